"""Writes ten orders under each of three guarantees, and says what the library told of each
delivery.

    python docs/workbook/examples/python/guarantees.py 127.0.0.1:9092
"""

import os
import sys

from confluent_kafka import KafkaError, Producer

ORDERS = 10

# kcompare:region config
# Asks for no answer, and so there is nothing after which it could send again.
AT_MOST_ONCE = {"acks": "0", "retries": 0}

# The default: sends again what was not answered. What the broker wrote and whose answer was
# lost stands in the log twice then.
AT_LEAST_ONCE = {"acks": "all", "enable.idempotence": False}

# The broker knows a record that comes again.
IDEMPOTENT = {"acks": "all", "enable.idempotence": True}
# kcompare:end


def main():
    for name, topic, config in (
        ("at most once", "at-most-once", AT_MOST_ONCE),
        ("at least once", "at-least-once", AT_LEAST_ONCE),
        ("idempotent", "idempotent", IDEMPOTENT),
    ):
        print(f"{name}: {produce(topic, config)}")


# kcompare:region produce
def produce(topic, config):
    """Sends all orders and waits for what becomes of them."""
    said = Outcomes()
    producer = Producer({"bootstrap.servers": servers(), "delivery.timeout.ms": 20000, **config})
    for n in range(ORDERS):
        producer.produce(topic, value=f"order-{n}", on_delivery=said.note)
        producer.poll(0)  # serves the reports that have come
    left = producer.flush(30)  # serves the others; every record has a report after delivery.timeout.ms
    if left:
        raise TimeoutError(f"{left} records without a report")
    return said


# kcompare:end


# kcompare:region outcome
class Outcomes:
    """Counts what the library told."""

    def __init__(self):
        self.sent = self.acknowledged = self.failed = self.unknown = 0
        self.first = None

    def note(self, error, message):
        if error is None and message.offset() is None:  # nobody answered: only that it was sent is known
            self.sent += 1
        elif error is None:
            self.acknowledged += 1
        elif error.code() == KafkaError._MSG_TIMED_OUT:  # it may stand in the log
            self.unknown += 1
        else:
            self.failed += 1
            self.first = self.first or error

    def __str__(self):
        text = f"{self.sent} only sent, {self.acknowledged} acknowledged, {self.failed} failed, {self.unknown} unknown"
        return text if self.first is None else f"{text}, the first with {self.first}"


# kcompare:end


def servers():
    """The first argument, or what the environment says."""
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    main()
