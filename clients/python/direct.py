"""The loop of produce-many, written on confluent-kafka alone: what client.py is measured against.

Each line of stdin is a number of records; it is answered by a line with the number of
those that failed, when all are reported.
"""

import sys

from confluent_kafka import Producer

TOPIC = "kcompare-overhead"
VALUE_BYTES = 100
POLL_EVERY = 1000  # records


def play(producer: Producer, count: int) -> int:
    acked = 0

    def report(error: object, message: object) -> None:
        nonlocal acked
        if error is None:
            acked += 1

    produce = producer.produce
    for first in range(0, count, POLL_EVERY):
        for n in range(first, min(first + POLL_EVERY, count)):
            value = (b"%d" % n).ljust(VALUE_BYTES, b".")
            while True:
                try:
                    produce(TOPIC, value, None, -1, report)
                    break
                except BufferError:
                    producer.poll(0.005)
        producer.poll(0)
    producer.flush()
    return count - acked


def main() -> None:
    producer = Producer(
        {
            "bootstrap.servers": sys.argv[1],
            "acks": "all",
            "enable.idempotence": True,
            "linger.ms": 5,
            "batch.size": 131072,
            "compression.type": "none",
            "max.in.flight.requests.per.connection": 5,
            "queue.buffering.max.messages": 500000,
        }
    )
    for line in sys.stdin:
        print(play(producer, int(line)), flush=True)


if __name__ == "__main__":
    main()
