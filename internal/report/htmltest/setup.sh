#!/bin/sh
# Brings axe-core, which knows the rules of accessibility, to .clients/axe, in the version
# of package-lock.json; does nothing where that is there.
set -eu
cd "$(dirname "$0")/../../.."
lock=internal/report/htmltest
tools=.clients/axe
cmp -s "$lock/package-lock.json" "$tools/package-lock.json" && exit 0

command -v npm >/dev/null || { echo "setup: npm is missing: install Node.js 20 or later" >&2; exit 1; }
rm -rf "$tools"
mkdir -p "$tools"
cp "$lock/package.json" "$tools/"
cp "$lock/package-lock.json" "$tools/npm-shrinkwrap.json"
npm ci --prefix "$tools" --ignore-scripts --no-audit --no-fund --silent
# It is made last, so it stands for a package that is whole.
mv "$tools/npm-shrinkwrap.json" "$tools/package-lock.json"
