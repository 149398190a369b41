"""Several consumers, each in a process of its own that is spawned."""
import multiprocessing as mp
import os
import signal

from confluent_kafka import Consumer, KafkaError, KafkaException

TOPIC = "clicks"


def settings(index):
    return {
        "bootstrap.servers": os.environ.get("KAFKA", "localhost:9092"),
        "group.id": "clicks",
        "group.instance.id": f"clicks-{index}",
        "enable.auto.commit": True,
        "enable.auto.offset.store": False,
        "partition.assignment.strategy": "cooperative-sticky",
        "max.poll.interval.ms": 600000,
    }


def work(index):
    running = True

    def stop(*_):
        nonlocal running
        running = False

    signal.signal(signal.SIGTERM, stop)
    consumer = Consumer(settings(index))
    consumer.subscribe([TOPIC])
    try:
        while running:
            msg = consumer.poll(1.0)
            if msg is None:
                continue
            if msg.error():
                if msg.error().code() == KafkaError._PARTITION_EOF:
                    continue
                raise KafkaException(msg.error())
            print(index, msg.topic(), msg.partition(), msg.offset(), msg.value())
            consumer.store_offsets(msg)
    finally:
        consumer.close()


if __name__ == "__main__":
    context = mp.get_context("spawn")
    processes = [context.Process(target=work, args=(n,)) for n in range(int(os.environ.get("WORKERS", "4")))]
    for p in processes:
        p.start()
    for p in processes:
        p.join()
