"""Settings that are often written for a producer, not all of which are a producer's. Nobody
runs it: page claims shows what kcompare lint says of it.
"""

from confluent_kafka import Producer

producer = Producer(
    {
        "bootstrap.servers": "127.0.0.1:9092",
        "transactional.id": "bills-1",
        "acks": "all",
        "min.insync.replicas": 2,
        "transaction.timeout.ms": 30000,
        "delivery.timeout.ms": 90000,
    }
)
