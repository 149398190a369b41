"""Writes thirty orders with confluent-kafka, so that each stands in the log once, and
looks at what became of every one of them.

    .venv/bin/python examples/producer.py 127.0.0.1:9092

The address may also stand in BOOTSTRAP_SERVERS.
"""

import json
import os
import sys

from confluent_kafka import Producer

ORDERS = 30


def main() -> int:
    producer = Producer(
        {
            "bootstrap.servers": servers(),
            "client.id": "orders-producer",
            # Off by default in librdkafka. It keeps retries from writing twice, and needs acks=all.
            "enable.idempotence": True,
            "acks": "all",
            "compression.type": "lz4",
            # A record that is given up may still stand in the log, so the time is generous.
            "delivery.timeout.ms": 120000,
        }
    )
    failed = []

    def delivered(error, message):
        if error is not None:
            failed.append((message.key(), error))

    for n in range(ORDERS):
        value = json.dumps({"order": n, "amount": 100 + n})
        # The same key is the same partition: the orders of a customer stay in order.
        producer.produce("orders", key=f"customer-{n % 5}", value=value, on_delivery=delivered)
        producer.poll(0)  # serves the delivery reports that have come

    left = producer.flush(120)  # waits for the others; without it they are lost with the program
    print(f"{ORDERS - len(failed) - left} of {ORDERS} orders written")
    for key, error in failed:
        print(f"{key}: {error}", file=sys.stderr)
    return 1 if failed or left else 0


def servers() -> str:
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    sys.exit(main())
