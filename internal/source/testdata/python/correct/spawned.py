import multiprocessing as mp

from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "localhost:9092"})


def report(err, msg):
    assert err is None, err


def child(n):
    producer.produce("t", str(n), callback=report)
    producer.flush()


if __name__ == "__main__":
    mp.set_start_method("spawn")
    p = mp.Process(target=child, args=(1,))
    p.start()
    p.join()
    producer.produce("t", b"parent", callback=report)
    producer.flush()
