"""Writes transactions until it is told to end, and ends without leaving one open: readers
of committed records would wait for its timeout.

    python docs/workbook/examples/python/shutdown.py 127.0.0.1:9092
"""

import os
import signal
import sys

from confluent_kafka import KafkaException, Producer

stopping = False


# kcompare:region shutdown
def stop(_number, _frame):
    """Only ends the loop. Python runs it between two steps of the main thread, maybe in the middle
    of a transaction: no place to call the producer from.
    """
    global stopping
    stopping = True


def main():
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    producer = new_producer()
    try:
        producer.init_transactions(30)
        n = 0
        while not stopping:
            n += 1
            transact(producer, n)
    finally:
        finish(producer)


# kcompare:end


# kcompare:region config
def new_producer():
    return Producer(
        {
            "bootstrap.servers": servers(),
            "transactional.id": "workbook-shutdown",
            "transaction.timeout.ms": 20000,  # less than whoever sends SIGTERM waits before SIGKILL
        }
    )


# kcompare:end


# kcompare:region transaction
def transact(producer, n):
    """One transaction, which ends before anybody looks at the signal again."""
    producer.begin_transaction()
    try:
        producer.produce("orders", value=f"order-{n}")
        if n == 3:
            terminate()
        producer.commit_transaction(10)  # flushes; a record that failed makes it fail
    except KafkaException:
        producer.abort_transaction(10)
        raise
    print(f"transaction {n}: committed")


# kcompare:end


# kcompare:region finish
def finish(producer):
    """Waits for records that are on their way, but not for ever."""
    left = producer.flush(10)
    print(f"flushed: {left} records are left")
    if left:
        raise TimeoutError(f"flush: {left} records are left")


# kcompare:end


def terminate():
    """What an operator does: in the middle of a transaction."""
    os.kill(os.getpid(), signal.SIGTERM)
    print("SIGTERM in transaction 3")


def servers():
    """The first argument, or what the environment says."""
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    main()
