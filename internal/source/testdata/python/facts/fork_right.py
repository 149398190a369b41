import os
from multiprocessing import Pool, get_context

from confluent_kafka import Consumer, Producer

CONF = {"bootstrap.servers": "localhost:9092", "on_delivery": print}
parent = Producer(CONF)


def deliver(n):
    own = Producer(CONF)
    own.produce("t", str(n))
    own.flush()


def work(n):
    deliver(n)


def read():
    return Consumer({"bootstrap.servers": "localhost:9092", "group.id": "g"}).poll(1)


if __name__ == "__main__":
    with Pool(2) as pool:
        pool.map(work, range(3))
    context = get_context("fork")
    context.Process(target=read).start()
    pid = os.fork()
    if pid == 0:
        deliver(4)
    parent.produce("t", b"parent")
    parent.flush()
