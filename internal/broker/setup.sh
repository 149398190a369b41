#!/bin/sh
# Brings the jars of Apache Kafka and makes the archive it starts faster with, once: tests
# that begin together would all wait for that, on a machine that is busy with them.
set -e
cd "$(dirname "$0")/../.."
for tool in java mvn; do command -v "$tool" >/dev/null || exit 0; done # make test says what was not run
exec "${GO:-go}" run ./cmd/kcompare run at-most-once --client=franz --messages=10 --broker=kafka --progress=none -o /dev/null
