"""Each worker process makes its own producer."""
from multiprocessing import Pool

from confluent_kafka import Producer

_producer = None


def start(servers):
    global _producer
    _producer = Producer({"bootstrap.servers": servers, "acks": "all"})


def work(n):
    failed = []
    _producer.produce("numbers", str(n), on_delivery=lambda err, _: failed.append(err) if err else None)
    _producer.flush()
    return not failed


if __name__ == "__main__":
    with Pool(4, initializer=start, initargs=("localhost:9092",)) as pool:
        print(sum(pool.map(work, range(1000))))
