"""A producer with idempotence and nothing else, which is asked for a transaction. Chapter 1
shows what kcompare lint says of it.
"""

from confluent_kafka import Producer

# kcompare:region calls
producer = Producer(
    {
        "bootstrap.servers": "127.0.0.1:9092",
        "acks": "all",
        "enable.idempotence": True,
    }
)
producer.init_transactions()
producer.begin_transaction()
producer.produce("orders", value=b"order-1", on_delivery=print)
producer.commit_transaction()
# kcompare:end
