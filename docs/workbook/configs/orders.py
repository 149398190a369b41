"""The settings of the order service before its move: Python, confluent-kafka."""

from confluent_kafka import Producer

producer = Producer(
    {
        "bootstrap.servers": "127.0.0.1:9092",
        "client.id": "order-service",
        "enable.idempotence": True,
        "compression.type": "lz4",
        "linger.ms": 20,
        "delivery.timeout.ms": 60000,
    }
)
