#!/bin/sh
# Lints and formats the client programs, the Python examples and those of the course: ruff for Python, eslint
# and prettier for JavaScript, google-java-format and javac with all its warnings for Java.
# The tools are pinned by the lock files beside this and kept in .clients/lint; what is
# there is not brought again.
# `lint.sh fmt` writes what `lint.sh` asks for.
set -eu
cd "$(dirname "$0")/../.."
lint=clients/lint
tools=.clients/lint
mkdir -p "$tools"

# stale says whether a tool has to be brought again: the copy of its lock file is made last.
stale() { ! cmp -s "$lint/$1" "$tools/$1"; }

if stale requirements.txt; then
    "${PYTHON:-python3}" -m venv --clear "$tools/venv"
    "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r "$lint/requirements.txt"
    cp "$lint/requirements.txt" "$tools/"
fi
if stale package-lock.json; then
    cp "$lint/package.json" "$tools/"
    cp "$lint/package-lock.json" "$tools/npm-shrinkwrap.json"
    npm ci --prefix "$tools" --ignore-scripts --no-audit --no-fund --silent
    mv "$tools/npm-shrinkwrap.json" "$tools/package-lock.json"
fi
if stale java.sha256; then
    mvn --batch-mode --quiet --no-transfer-progress org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact=com.google.googlejavaformat:google-java-format:1.28.0:jar:all-deps -DoutputDirectory="$tools" >&2
    (cd "$tools" && sha256sum --check --quiet) <"$lint/java.sha256"
    cp "$lint/java.sha256" "$tools/"
fi

java_format() {
    java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -jar "$tools/google-java-format-1.28.0-all-deps.jar" "$@" $java
}
examples=docs/workbook/examples
java="clients/java/*.java $examples/java/*.java"
python="clients examples $examples"
javascript="$lint/*.mjs clients/*/client.mjs clients/*/direct.mjs"
node="node $tools/node_modules"
if [ "${1:-}" = fmt ]; then
    "$tools/venv/bin/ruff" format --quiet --config "$lint/ruff.toml" $python
    $node/prettier/bin/prettier.cjs --config "$lint/prettier.json" --log-level warn --write $javascript
    java_format --replace
    exit
fi
"$tools/venv/bin/ruff" check --quiet --config "$lint/ruff.toml" $python
"$tools/venv/bin/ruff" format --quiet --check --config "$lint/ruff.toml" $python
cp "$lint/eslint.config.mjs" "$tools/" # it imports what stands in node_modules beside it
$node/eslint/bin/eslint.js --config "$tools/eslint.config.mjs" --max-warnings 0 $javascript
$node/prettier/bin/prettier.cjs --config "$lint/prettier.json" --log-level warn --check $javascript
java_format --dry-run --set-exit-if-changed >/dev/null || {
    echo "a Java program is not formatted: make fmt-clients" >&2
    exit 1
}

lib=.clients/clients/java@4.4.0/lib
[ -d "$lib" ] || { echo "$lib is not there: make setup" >&2; exit 1; }
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -Xlint:all -Werror -d "$classes" -cp "$lib/*" $java
