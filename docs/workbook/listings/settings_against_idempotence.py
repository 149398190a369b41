"""Settings that look like an idempotent producer. Chapter 2 shows what kcompare lint says of
them.
"""

from confluent_kafka import Producer

# kcompare:region settings
producer = Producer(
    {
        "bootstrap.servers": "127.0.0.1:9092",
        "enable.idempotence": True,
        "acks": 1,
        "max.in.flight.requests.per.connection": 6,
        "retries": 0,
        "transactional.id": None,
    }
)
# kcompare:end
producer.produce("orders", value=b"order-1", on_delivery=print)
producer.flush()
