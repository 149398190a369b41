import signal
import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

running = True


def stop(signum, frame):
    global running
    running = False


def from_start(consumer, partitions):
    for p in partitions:
        p.offset = OFFSET_BEGINNING
    consumer.assign(partitions)


def main(servers, group):
    consumer = Consumer({
        "bootstrap.servers": servers,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
    })
    consumer.subscribe(["payments"], on_assign=from_start)
    signal.signal(signal.SIGTERM, stop)
    pending = []
    try:
        while running:
            msg = consumer.poll(1.0)
            if msg is None:
                continue
            if msg.error():
                if msg.error().code() == KafkaError._PARTITION_EOF:
                    continue
                raise KafkaException(msg.error())
            handle(msg)
            pending.append(msg)
            if len(pending) >= 100:
                offsets = {}
                for m in pending:
                    offsets[(m.topic(), m.partition())] = m.offset() + 1
                consumer.commit(offsets=[TopicPartition(t, p, o) for (t, p), o in offsets.items()], asynchronous=False)
                pending.clear()
    except KafkaException as e:
        error = e.args[0]
        print(error.code(), error.name(), file=sys.stderr)
    finally:
        consumer.close()


def handle(msg):
    print(msg.topic(), msg.partition(), msg.offset(), msg.key(), msg.value().decode())


if __name__ == "__main__":
    main(*sys.argv[1:3])
