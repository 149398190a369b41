"""Looks at what is taught of the Python library, and prints what came of it. Page claims.md
has the sentences.

    python docs/workbook/listings/claims.py 127.0.0.1:9092
"""

import logging
import os
import sys
import time

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

INPUT = "claims-input"
SECONDS = 30  # for each step that waits for the cluster


def main():
    transactions_without_an_id()
    what_except_catches()
    names()
    settings()
    offsets()


def transactions_without_an_id():
    for told, config in ("no transactional.id", {}), ("transactional.id None", {"transactional.id": None}):
        producer = Producer({"bootstrap.servers": servers(), "enable.idempotence": True, **config})
        print(f"{told}: init_transactions is told {refusal(producer.init_transactions, SECONDS)}")
        producer.produce("orders", value=told)
        print(f"{told}: {producer.flush(SECONDS)} records wait after a flush")


def what_except_catches():
    """No transaction has begun, so that the commit is refused."""
    producer = transactional("workbook-claims")
    producer.init_transactions(SECONDS)
    try:
        try:
            producer.commit_transaction(SECONDS)
        except KafkaError:
            print("a failed commit: except KafkaError catches it")
    except KafkaException:
        print("a failed commit: except KafkaException catches it")
    try:
        try:
            raise KafkaError(KafkaError._TIMED_OUT)
        except Exception:
            print("raise of a KafkaError: except Exception catches it")
    except KafkaError:
        print("raise of a KafkaError: it goes past except Exception")


def names():
    for name in "INVALID_TRANSACTION", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "TRANSACTION_TIMEOUT", "CONCURRENT_TRANSACTIONS":
        print(f"KafkaError._{name}: {'there is' if hasattr(KafkaError, '_' + name) else 'there is not'}")
    for name in "CONCURRENT_TRANSACTIONS", "INVALID_TXN_STATE":
        print(f"KafkaError.{name}: {'there is' if hasattr(KafkaError, name) else 'there is not'}")
    print(f"Producer.metrics: {'there is' if hasattr(Producer, 'metrics') else 'there is not'}")


def settings():
    """Whether a client can be made with them. Nothing is sent."""
    id = {"transactional.id": "workbook-claims"}
    for told, config in [
        ("transactional.id without enable.idempotence", id),
        ("transactional.id with enable.idempotence false", {**id, "enable.idempotence": False}),
        ("max.in.flight 5 with idempotence", {"max.in.flight": 5, "enable.idempotence": True}),
        ("max.in.flight 6 with idempotence", {"max.in.flight": 6, "enable.idempotence": True}),
        ("acks 1 with idempotence", {"acks": 1, "enable.idempotence": True}),
        ("min.insync.replicas in a producer", {**id, "min.insync.replicas": 2}),
        ("message.timeout.ms below transaction.timeout.ms", {**id, "message.timeout.ms": 29999, "transaction.timeout.ms": 30000}),
        ("message.timeout.ms equal to transaction.timeout.ms", {**id, "message.timeout.ms": 30000, "transaction.timeout.ms": 30000}),
        ("message.timeout.ms above transaction.timeout.ms", {**id, "message.timeout.ms": 30001, "transaction.timeout.ms": 30000}),
        ("debug transaction", {"debug": "transaction"}),
        ("debug eos", {"debug": "eos", "logger": logging.getLogger("quiet")}),
    ]:
        print(f"{told}: {refusal(Producer, {'bootstrap.servers': servers(), **config})}")
    reading = {
        "group.id": "workbook-claims",
        "isolation.level": "read_committed",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "session.timeout.ms": 30000,
        "heartbeat.interval.ms": 10000,
    }
    print(f"a consumer of committed records: {refusal(Consumer, {'bootstrap.servers': servers(), **reading})}")


def refusal(call, *arguments):
    """What the call is told."""
    try:
        call(*arguments)
    except KafkaException as failure:
        return failure.args[0].name()
    return "ok"


def offsets():
    """An order in each of two partitions. The transaction of the first is aborted. That of the second sends where the
    consumer stands, and behind that the next offset of its own order.
    """
    write()
    consumer = Consumer(
        {
            "bootstrap.servers": servers(),
            "group.id": "workbook-claims",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([INPUT])
    aborted, done = poll(consumer, 2)
    producer = transactional("workbook-claims")
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.abort_transaction(SECONDS)
    producer.begin_transaction()
    stands = consumer.position(consumer.assignment())
    behind = [*stands, TopicPartition(INPUT, done.partition(), done.offset() + 1)]
    producer.send_offsets_to_transaction(behind, consumer.consumer_group_metadata(), SECONDS)
    producer.commit_transaction(SECONDS)
    for told, order in ("done", done), ("aborted", aborted):
        committed = consumer.committed([TopicPartition(INPUT, order.partition())], SECONDS)[0].offset
        print(f"the order that was {told}: after a restart it is {'passed over' if committed > order.offset() else 'read again'}")
    consumer.close()


def poll(consumer, count):
    messages = []
    deadline = time.monotonic() + SECONDS
    while len(messages) < count:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            messages.append(message)
        if time.monotonic() > deadline:
            raise TimeoutError(f"{count} records did not come within {SECONDS} s")
    return messages


def write():
    producer = Producer({"bootstrap.servers": servers(), "enable.idempotence": True})
    for partition in 0, 1:
        producer.produce(INPUT, value=f"order-{partition + 1}", partition=partition)
    if producer.flush(SECONDS):
        raise TimeoutError("a record without a report")


def transactional(id):
    return Producer({"bootstrap.servers": servers(), "transactional.id": id})


def servers():
    """The first argument, or what the environment says."""
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    main()
