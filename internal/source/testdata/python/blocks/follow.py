import os
import time
import uuid
from random import randint

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic

from pkg.base import BASE, LINGER
from pkg import limits

SECOND = 1000
RUN = f"run-{int(time.time())}"
NAME = "plain"
LISTED = dict([("acks", "all"), ("retries", 2**4)])


class Service:
    group = "svc"
    defaults = {**BASE, "linger.ms": LINGER * 2}

    def __init__(self, txn=None, timeout=60 * SECOND):
        self.conf = self.defaults.copy()
        self.conf["delivery.timeout.ms"] = timeout
        self.conf.update({"acks": -1}, retries=limits.RETRIES)
        del self.conf["client.id"]
        self.producer = Producer(self.conf)

    def consumer(self):
        return Consumer(self.base() | {"group.id": self.group, "fetch.min.bytes": 1 << 10, "on_commit": self.done})

    def base(self):
        return dict(BASE, **{"enable.auto.commit": not True})

    def done(self, err, partitions):
        print(err, partitions)


def one(servers="localhost:1"):
    settings = {"bootstrap.servers": servers, "transactional.id": RUN, "linger.ms": 0.5, "debug": None}
    settings |= LISTED
    return Producer(settings, logger=None)


def two(kind):
    conf = {"bootstrap.servers": os.environ.get("B", "localhost:1"), "client.id": "%s-%d" % (NAME, randint(1, 9))}
    if kind == "safe":
        conf["acks"] = "all"
    else:
        conf["acks"] = "0"
    conf.setdefault("acks", "1")
    conf.pop("client.id")
    return Producer(conf)


def named(suffix):
    return Producer({"bootstrap.servers": ["a:1", "b:2"], "transactional.id": "n-" + suffix, **{}})


def changing(conf):
    conf = {**conf, "transactional.id": "-".join(["x", str(uuid.uuid4())[:8]])}
    return Producer(conf)


AdminClient({"bootstrap.servers": "localhost:1"}).create_topics([NewTopic("t", 3, 1, config={"retention.ms": "1"})])
ConfigResource(ConfigResource.Type.BROKER, "1", set_config={"log.retention.ms": "5"})
stray_consumer = {"bootstrap.servers": "localhost:1", "group.id": "stray"}
nested = {"kafka": {"acks": "all", "linger.ms": 5, "retry.backoff.ms": 7}, "other": {"linger.ms": 5}}


def made(acks):
    return {"bootstrap.servers": "localhost:1", "acks": acks}


Producer(made("all"))
Producer(made("0"))
late = {"bootstrap.servers": "é:1", "group.id": "é", "client.id": "before"}
Consumer(late)
late["client.id"] = "after"
late = {"bootstrap.servers": "localhost:2", "client.id": "again"}
worker = {"bootstrap.servers": "localhost:1", "group.id": "connect", "key.converter": "JsonConverter"}
