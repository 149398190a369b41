"""Sends a hundred orders, so that each stands in the log once, and counts what became of
them.

    python docs/workbook/examples/python/idempotent_producer.py 127.0.0.1:9092
"""

import os
import sys

from confluent_kafka import KafkaError, KafkaException, Producer

ORDERS = 100


def main():
    with OrderProducer(servers()) as producer:
        for n in range(ORDERS):
            producer.send(f"customer-{n % 7}", f"order-{n}")
    counts = f"{producer.acknowledged} acknowledged, {producer.failed} failed, {producer.unknown} unknown"
    print(f"{ORDERS} orders: {counts}")
    if producer.first is not None:
        raise KafkaException(producer.first)


class OrderProducer:
    """Sends orders and counts their outcomes, which are all there behind the with."""

    # kcompare:region config
    def __init__(self, servers):
        self.acknowledged = self.failed = self.unknown = 0
        self.first = None
        self.producer = Producer(
            {
                "bootstrap.servers": servers,
                "enable.idempotence": True,  # off by default in librdkafka
                "acks": "all",  # idempotence needs it
                # Retries are not limited: idempotence makes them harmless. A record that is not
                # answered in this time gets an error.
                "delivery.timeout.ms": 30000,
            }
        )

    # kcompare:end

    # kcompare:region produce
    def send(self, customer, order):
        """Returns at once, unless the queue is full. The same key is the same partition, so that
        the orders of a customer stay in order.
        """
        while True:
            try:
                self.producer.produce("orders", key=customer, value=order, on_delivery=self.delivered)
                break
            except BufferError:
                self.producer.poll(0.1)  # makes room
        self.producer.poll(0)  # serves the reports that have come

    # kcompare:end

    # kcompare:region outcome
    def delivered(self, error, _message):
        """Is called once for each record, from poll and flush."""
        if error is None:
            self.acknowledged += 1
            return
        if error.code() == KafkaError._MSG_TIMED_OUT:
            self.unknown += 1  # it may stand in the log: to send it again as a new record could double it
        else:
            self.failed += 1
        self.first = self.first or error

    # kcompare:end

    def __enter__(self):
        return self

    # kcompare:region shutdown
    def __exit__(self, *_):
        """Waits for the reports of all orders; without that they are lost with the program."""
        left = self.producer.flush(60)
        if left:
            raise TimeoutError(f"flush: {left} orders are left after 60 s")

    # kcompare:end


def servers():
    """The first argument, or what the environment says."""
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    main()
