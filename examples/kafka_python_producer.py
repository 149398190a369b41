"""Writes thirty orders with kafka-python, so that each stands in the log once, and looks
at what became of every one of them.

    .venv/bin/python examples/kafka_python_producer.py 127.0.0.1:9092

The address may also stand in BOOTSTRAP_SERVERS.
"""

import json
import os
import sys

from kafka import KafkaProducer
from kafka.errors import KafkaError

ORDERS = 30


def main() -> int:
    producer = KafkaProducer(
        bootstrap_servers=servers().split(","),
        client_id="orders-producer",
        enable_idempotence=True,
        acks="all",
        compression_type="gzip",
    )
    promises = []
    for n in range(ORDERS):
        value = json.dumps({"order": n, "amount": 100 + n}).encode()
        promises.append(producer.send("orders", key=f"customer-{n % 5}".encode(), value=value))
    producer.flush(timeout=120)

    failed = 0
    for promise in promises:
        try:
            promise.get(timeout=120)
        except KafkaError as error:
            failed += 1
            print(error, file=sys.stderr)
    producer.close()
    print(f"{ORDERS - failed} of {ORDERS} orders written")
    return 1 if failed else 0


def servers() -> str:
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    sys.exit(main())
