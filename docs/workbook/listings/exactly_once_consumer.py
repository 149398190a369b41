"""Settings of a consumer that gets committed records alone, and commits by itself. Nobody
runs it: page claims shows what kcompare lint says of it.
"""

from confluent_kafka import Consumer

consumer = Consumer(
    {
        "bootstrap.servers": "127.0.0.1:9092",
        "group.id": "bills",
        "isolation.level": "read_committed",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "session.timeout.ms": 30000,
        "heartbeat.interval.ms": 10000,
    }
)
