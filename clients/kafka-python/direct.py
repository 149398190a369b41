"""The loop of produce-many, written on kafka-python alone: what client.py is measured against.

Each line of stdin is a number of records; it is answered by a line with the number of
those that failed, when all are reported.
"""

import sys

from kafka import KafkaProducer

TOPIC = "kcompare-overhead"
VALUE_BYTES = 100


def play(producer: KafkaProducer, count: int) -> int:
    send = producer.send
    futures = [send(TOPIC, (b"%d" % n).ljust(VALUE_BYTES, b".")) for n in range(count)]
    producer.flush()
    return sum(future.failed() for future in futures)


def main() -> None:
    producer = KafkaProducer(
        bootstrap_servers=sys.argv[1],
        acks="all",
        enable_idempotence=True,
        linger_ms=5,
        batch_size=131072,
        compression_type=None,
        max_in_flight_requests_per_connection=5,
    )
    for line in sys.stdin:
        print(play(producer, int(line)), flush=True)


if __name__ == "__main__":
    main()
