import os
from multiprocessing import Pool, get_context

from confluent_kafka import Consumer, Producer

shared = Producer({"bootstrap.servers": "localhost:9092", "on_delivery": print})  # want client-before-fork Producer
reader = Consumer({"bootstrap.servers": "localhost:9092", "group.id": "g"})  # want client-before-fork Consumer
late = Producer({"bootstrap.servers": "localhost:9092", "on_delivery": print})  # want client-before-fork Producer


def deliver(n):
    shared.produce("t", str(n))
    shared.flush()


def work(n):
    deliver(n)


def read():
    return reader.poll(1)


if __name__ == "__main__":
    with Pool(2) as pool:
        pool.map(work, range(3))
    context = get_context("fork")
    context.Process(target=read).start()
    pid = os.fork()
    if pid == 0:
        late.produce("t", b"child")
        late.flush()
