import uuid
from unittest import mock

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic


@pytest.fixture(scope="session")
def servers(request):
    return request.config.getoption("--servers")


@pytest.fixture
def topic(servers):
    admin = AdminClient({"bootstrap.servers": servers})
    name = f"test-{uuid.uuid4().hex}"
    new = NewTopic(name, num_partitions=3, replication_factor=1,
                   config={"min.insync.replicas": "1", "cleanup.policy": "delete", "retention.ms": "60000"})
    for future in admin.create_topics([new]).values():
        future.result()
    yield name
    for future in admin.delete_topics([name]).values():
        future.result()


@pytest.fixture
def producer(servers):
    made = Producer({"bootstrap.servers": servers, "client.id": f"test-{uuid.uuid4()}"})
    yield made
    made.flush()


def test_report(producer, topic):
    seen = mock.Mock()
    producer.produce(topic, b"x", on_delivery=seen)
    assert producer.flush(10) == 0
    err, msg = seen.call_args.args
    assert err is None and msg.offset() == 0


def test_too_large(producer, topic):
    with pytest.raises(KafkaException) as caught:
        producer.produce(topic, b"x" * 2_000_000)
    assert caught.value.args[0].code() == KafkaError.MSG_SIZE_TOO_LARGE


def test_unknown_key(servers):
    with pytest.raises(KafkaException):
        Producer({"bootstrap.servers": servers, "message.max.byte": 1000})


def test_no_transactional_id(servers):
    p = Producer({"bootstrap.servers": servers})
    with pytest.raises(KafkaException):
        p.init_transactions(1)
    with pytest.raises(AttributeError):
        p.send("t", b"v")
