"""Meets an error of each class, and does what the class allows: the same again, abort and
go on, or end.

    python docs/workbook/examples/python/errors.py 127.0.0.1:9092
"""

import os
import sys

from confluent_kafka import KafkaException, Producer

SECONDS = 30  # for each step that waits for the cluster


def main():
    no_broker()
    old = new_producer(servers())
    old.init_transactions(SECONDS)
    too_large(old)
    fenced(old)


# kcompare:region config
def new_producer(servers):
    return Producer({"bootstrap.servers": servers, "transactional.id": "workbook-errors"})


# kcompare:end


# kcompare:region errors
def classify(error):
    """What may be done about a KafkaError of a transaction: librdkafka knows it itself. A
    record that was refused has neither mark.
    """
    if error.fatal():
        return "fatal"  # a newer instance has the id, say
    if error.retriable():
        return "retriable"
    return "abort"  # txn_requires_abort or refused: what was written is of no use, the producer is


# kcompare:end


# kcompare:region outcome
def react(producer, what, failure):
    """Does what the class of an error allows. A fatal one leaves nothing but to drop the producer."""
    error = failure.args[0]
    kind = classify(error)
    print(f"{what}: {kind} ({error.name()})")
    if kind == "abort":
        producer.abort_transaction(SECONDS)
    # retriable: the same again, later


# kcompare:end


def no_broker():
    """Nobody listens, and a limit ends the wait."""
    producer = new_producer("127.0.0.1:1")
    try:
        producer.init_transactions(1)
    except KafkaException as failure:
        react(producer, "no broker", failure)


def too_large(producer):
    """One record is refused, and the transaction with it."""
    producer.begin_transaction()
    try:
        write(producer, b"0" * 2_000_000)
    except KafkaException as failure:
        react(producer, "too large", failure)


def fenced(old):
    """A second instance begins while the first one has a transaction open."""
    old.begin_transaction()
    write(old, "order-1, old instance")
    new = new_producer(servers())
    new.init_transactions(SECONDS)  # fences the old one, whose transaction is aborted
    new.begin_transaction()
    write(new, "order-1, new instance")
    new.commit_transaction(SECONDS)
    print("new instance: committed")
    try:
        old.commit_transaction(SECONDS)
    except KafkaException as failure:
        react(old, "fenced", failure)


def write(producer, value):
    """Sends a record and waits for its report."""
    failed = []
    producer.produce("orders", value=value, on_delivery=lambda error, _message: failed.append(error) if error else None)
    if producer.flush(SECONDS):
        raise TimeoutError("a record without a report")
    if failed:
        raise KafkaException(failed[0])


def servers():
    """The first argument, or what the environment says."""
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    main()
