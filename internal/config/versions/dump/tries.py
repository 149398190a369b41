"""What the librdkafka of an installed confluent-kafka says to settings.

Lines of stdin are NAME<TAB>VALUE; each is answered by a line on stdout: what
rd_kafka_conf_set has against it, nothing where it takes it. No client is made.
"""
import sys

from librdkafka import configured, open_library

lib, _ = open_library()
for line in sys.stdin:
    name, value = line.rstrip("\n").split("\t")
    code, text = configured(lib, name, value.encode())
    print(" ".join(text.split()) or "refused" if code else "")
print(lib.rd_kafka_version_str().decode())
