"""Writes one order to three topics in a transaction, takes a second order back, and reads
the topics as readers of both isolation levels see them.

    python docs/workbook/examples/python/transaction.py 127.0.0.1:9092
"""

import os
import sys
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition

TOPICS = ["orders", "payments", "notifications"]
SECONDS = 30  # for each step that waits for the cluster


class PaymentDeclined(Exception):
    """How a business goes, and no fault."""


def main():
    # kcompare:region config
    producer = Producer(
        {
            "bootstrap.servers": servers(),
            "transactional.id": "workbook-transaction",  # the same after a restart: a new instance fences the old one
            "transaction.timeout.ms": 30000,  # then the broker aborts; readers wait as long for a producer that died
            "acks": "all",  # the default; transactions need it
        }
    )
    # kcompare:end
    settle(producer.init_transactions)  # fences older instances, and ends what they left open
    for order in "order-1", "order-2":
        transact(producer, order)
    for level in "read_committed", "read_uncommitted":
        print(level)
        read(level)


# kcompare:region transaction
def transact(producer, order):
    """Writes an order to all topics, or to none as far as readers of committed records can see."""
    producer.begin_transaction()
    try:
        write(producer, order)
        pay(order)
    except PaymentDeclined as reason:
        abort(producer, order, reason)
    except KafkaException as reason:
        abort(producer, order, reason)
        raise
    else:
        commit(producer, order)


# kcompare:end


def pay(order):
    """What the order depends on beside Kafka."""
    if order == "order-2":
        raise PaymentDeclined("the payment was declined")


# kcompare:region produce
def write(producer, order):
    """Sends a record to each topic and waits for every report: one that failed keeps the program from committing."""
    failed = []

    def delivered(error, _message):
        if error is not None:
            failed.append(error)

    for topic in TOPICS:
        producer.produce(topic, key=order, value=order, on_delivery=delivered)
    left = producer.flush(SECONDS)
    if failed or left:
        raise KafkaException(
            failed[0] if failed else KafkaError(KafkaError._TIMED_OUT, f"{left} records without a report")
        )


# kcompare:end


# kcompare:region commit
def commit(producer, order):
    """Aborts where the library says that it must."""
    try:
        settle(producer.commit_transaction)
    except KafkaException as failure:
        if failure.args[0].txn_requires_abort():
            abort(producer, order, failure)
        raise
    print(f"{order}: committed")


def settle(step):
    """After a retriable error (a timeout, say) nobody knows how a step ended: the same step again goes on with it."""
    deadline = time.monotonic() + 2 * SECONDS
    while True:
        try:
            return step(SECONDS)
        except KafkaException as failure:
            if not failure.args[0].retriable() or time.monotonic() > deadline:
                raise


# kcompare:end


# kcompare:region abort
def abort(producer, order, reason):
    """Drops what was not sent yet, as well."""
    settle(producer.abort_transaction)
    print(f"{order}: aborted, {reason}")


# kcompare:end


# kcompare:region read
def read(level):
    """Prints what the topics hold, up to their ends."""
    reader = Consumer(
        {
            "bootstrap.servers": servers(),
            "group.id": "workbook-reader",  # librdkafka wants one; no offset is committed
            "enable.auto.commit": False,
            "isolation.level": level,  # the default is read_committed
            "enable.partition.eof": True,  # says when an end is reached: markers and aborted records are never seen
        }
    )
    found = {topic: [] for topic in TOPICS}
    ended = set()
    deadline = time.monotonic() + SECONDS
    try:
        reader.assign([TopicPartition(topic, 0, OFFSET_BEGINNING) for topic in TOPICS])
        while len(ended) < len(TOPICS):
            message = reader.poll(1)
            if time.monotonic() > deadline:
                raise TimeoutError(f"the ends of {TOPICS} were not reached within {SECONDS} s")
            if message is None:
                continue
            if message.error() is None:
                found[message.topic()].append(f"{message.value().decode()} at offset {message.offset()}")
            elif message.error().code() == KafkaError._PARTITION_EOF:
                ended.add(message.topic())
            elif message.error().fatal():  # others are told for information: the library goes on trying
                raise KafkaException(message.error())
    finally:
        reader.close()
    for topic in TOPICS:
        print(f"  {topic}: {', '.join(found[topic])}")


# kcompare:end


def servers():
    """The first argument, or what the environment says."""
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    main()
