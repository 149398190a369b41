"""Every variable KAFKA_* is a setting: KAFKA_LINGER_MS is linger.ms."""
import os
import sys

from confluent_kafka import Consumer, Producer

PREFIX = "KAFKA_"


def from_environment(env=os.environ):
    return {
        name[len(PREFIX):].lower().replace("_", "."): value
        for name, value in env.items()
        if name.startswith(PREFIX)
    }


def producer():
    conf = from_environment()
    conf.setdefault("bootstrap.servers", "localhost:9092")
    conf.setdefault("acks", "all")
    for key in ("group.id", "auto.offset.reset"):
        conf.pop(key, None)
    return Producer(conf)


def consumer():
    conf = {"bootstrap.servers": "localhost:9092", "group.id": "from-env"} | from_environment()
    return Consumer(conf)


def client(kind):
    conf = {"bootstrap.servers": os.getenv("KAFKA_BOOTSTRAP_SERVERS", "localhost:9092")}
    if kind == "producer":
        conf["linger.ms"] = int(os.getenv("LINGER_MS", "5"))
        return Producer(conf)
    conf["group.id"] = "g"
    conf.update({"auto.offset.reset": "earliest"})
    return Consumer(conf)


if __name__ == "__main__":
    p = producer()
    failures = []
    p.produce("topic", sys.stdin.buffer.read(), callback=lambda err, msg: failures.append(err) if err else None)
    p.flush()
    sys.exit(bool(failures))
