#!/bin/sh
# Holds the Java program to google-java-format, and to the compiler with all its warnings
# as errors. `clients/lint/java.sh --fix` formats it. The formatter comes from Maven once;
# the jars of the client are those of `make setup`.
set -eu
cd "$(dirname "$0")/../.."
version=1.28.0 # the last one for Java 17
sum=32342e7c1b4600f80df3471da46aee8012d3e1445d5ea1be1fb71289b07cc735
source=clients/java/Client.java
lib=.clients/clients/java@4.4.0/lib
jar=.clients/lint/google-java-format-$version-all-deps.jar

if ! [ -f "$jar" ]; then
    mvn --batch-mode --quiet --no-transfer-progress org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact="com.google.googlejavaformat:google-java-format:$version:jar:all-deps" -DoutputDirectory="$(dirname "$jar")"
fi
echo "$sum  $jar" | sha256sum --check --quiet

exports=
for package in api code file parser tree util; do
    exports="$exports --add-exports=jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED"
done
case ${1:-} in
--fix) java $exports -jar "$jar" --replace "$source" ;;
*) java $exports -jar "$jar" --dry-run --set-exit-if-changed "$source" ;;
esac

[ -d "$lib" ] || { echo "lint: $lib is missing: make setup" >&2; exit 1; }
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -Xlint:all -Werror -d "$classes" -cp "$lib/*" "$source"
