#!/bin/sh
# Brings Mermaid's own parser to .clients/mermaid, in the version of package-lock.json; does
# nothing where that is there. Of the package (84 MB) the bundle is kept that needs no other
# package (3.5 MB): that is why the lock file names no dependencies.
set -eu
cd "$(dirname "$0")/../.."
lock=internal/mermaidtest
tools=.clients/mermaid
cmp -s "$lock/package-lock.json" "$tools/package-lock.json" && exit 0

command -v npm >/dev/null || { echo "setup: npm is missing: install Node.js 20 or later" >&2; exit 1; }
rm -rf "$tools"
mkdir -p "$tools"
cp "$lock/package.json" "$tools/"
cp "$lock/package-lock.json" "$tools/npm-shrinkwrap.json"
npm ci --prefix "$tools" --ignore-scripts --no-audit --no-fund --silent
dist=$tools/node_modules/mermaid/dist
find "$dist" -type f ! -path "$dist/mermaid.esm.min.mjs" ! -path "$dist/chunks/mermaid.esm.min/*.mjs" -delete
find "$dist" -type d -empty -delete
# It is made last, so it stands for a parser that is whole.
mv "$tools/npm-shrinkwrap.json" "$tools/package-lock.json"
