"""Fixtures for tests against a broker in a container."""
import uuid

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from testcontainers.kafka import KafkaContainer


@pytest.fixture(scope="session")
def bootstrap():
    with KafkaContainer("confluentinc/cp-kafka:7.6.0") as kafka:
        yield kafka.get_bootstrap_server()


@pytest.fixture
def topic(bootstrap):
    admin = AdminClient({"bootstrap.servers": bootstrap})
    name = f"test-{uuid.uuid4().hex[:8]}"
    futures = admin.create_topics([NewTopic(name, num_partitions=3, replication_factor=1)])
    futures[name].result(timeout=30)
    yield name
    admin.delete_topics([name])[name].result(timeout=30)


@pytest.fixture
def producer(bootstrap):
    p = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    yield p
    p.flush(10)


@pytest.fixture
def consumer(bootstrap, request):
    conf = {
        "bootstrap.servers": bootstrap,
        "group.id": f"{request.node.name}-{uuid.uuid4()}",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    c = Consumer(conf)
    yield c
    c.close()


def test_round_trip(producer, consumer, topic):
    done = []
    producer.produce(topic, b"value", b"key", on_delivery=lambda err, msg: done.append((err, msg.offset())))
    assert producer.flush(10) == 0
    assert done == [(None, 0)]
    consumer.assign([TopicPartition(topic, done and 0, 0)])
    msg = consumer.poll(10)
    assert msg is not None and msg.error() is None
    consumer.commit(message=msg, asynchronous=False)
    assert consumer.committed([TopicPartition(topic, msg.partition())])[0].offset == 1
