"""A program that a signal asks to end, with a transaction open or not. Nobody runs it: page
claims shows what kcompare lint says of it.
"""

import signal

from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "127.0.0.1:9092", "transactional.id": "bills-1"})
running = True


def stop(_number, _frame):
    global running
    running = False
    producer.abort_transaction()


signal.signal(signal.SIGTERM, stop)
producer.init_transactions()
while running:
    producer.begin_transaction()
    producer.produce("bills", value=b"bill-1", on_delivery=print)
    producer.commit_transaction()
