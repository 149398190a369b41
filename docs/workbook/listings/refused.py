"""A transactional producer as checklists have it, for librdkafka. It does not get far."""

import signal

from confluent_kafka import Producer

producer = Producer(
    {
        "bootstrap.servers": "broker1:9092,broker2:9092,broker3:9092",
        "transactional.id": "payments-0",
        "min.insync.replicas": 2,
        "transaction.timeout.ms": 60000,
        "delivery.timeout.ms": 120000,
        "debug": "transaction",
    }
)


def stop(_number, _frame):
    producer.abort_transaction()


signal.signal(signal.SIGTERM, stop)
producer.init_transactions()
producer.begin_transaction()
producer.produce("payments", value=b"42")
producer.commit_transaction()
print(producer.metrics())
