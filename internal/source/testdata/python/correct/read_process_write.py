"""Consume, transform, produce in transactions; seeks back after an abort."""
import os

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

COMMON = {"bootstrap.servers": os.environ.get("BROKERS", "localhost:9092")}
SHARD = os.environ["SHARD"]


def transform(value):
    return value.upper()


def rewind(consumer):
    for position in consumer.committed(consumer.assignment(), timeout=10):
        if position.offset >= 0:
            consumer.seek(position)


def run():
    consumer = Consumer({**COMMON, "group.id": "upper", "enable.auto.commit": False,
                         "isolation.level": "read_committed"})
    producer = Producer({**COMMON, "transactional.id": "upper-" + SHARD, "transaction.timeout.ms": 45_000,
                         "delivery.timeout.ms": 40_000})
    producer.init_transactions(30)
    consumer.subscribe(["words"])
    while True:
        batch = consumer.consume(500, timeout=1.0)
        good = [m for m in batch if not m.error()]
        if not good:
            continue
        try:
            producer.begin_transaction()
            for m in good:
                producer.produce("upper-words", key=m.key(), value=transform(m.value()))
            producer.send_offsets_to_transaction(consumer.position(consumer.assignment()),
                                                 consumer.consumer_group_metadata())
            producer.commit_transaction(30)
        except KafkaException as e:
            if e.args[0].fatal():
                raise
            if e.args[0].txn_requires_abort():
                producer.abort_transaction()
                rewind(consumer)


run()
