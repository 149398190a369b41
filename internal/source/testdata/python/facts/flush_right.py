from confluent_kafka import Producer
from kafka import KafkaProducer


def once(payload):
    p = Producer({"bootstrap.servers": "localhost:9092"})
    p.produce("t", payload, callback=print)
    p.poll(0)
    p.produce("t", payload, callback=print)
    p.flush()


def other(payload):
    k = KafkaProducer(bootstrap_servers="localhost:9092")
    k.send("t", payload)
    k.close()


def waits(payload):
    k = KafkaProducer(bootstrap_servers="localhost:9092")
    future = k.send("t", payload)
    return future.get(timeout=10)


def given():
    p = Producer({"bootstrap.servers": "localhost:9092"})
    p.produce("t", b"hello", callback=print)
    return p


def forever(source):
    p = Producer({"bootstrap.servers": "localhost:9092", "on_delivery": print})
    while True:
        p.produce("t", next(source))
        p.poll(0)


def keeps(self):
    p = self.p = Producer({"bootstrap.servers": "localhost:9092"})
    p.produce("t", b"hello", callback=print)
    self.others.append(p)


quiet = Producer({"bootstrap.servers": "localhost:9092"})
quiet.produce("t", b"v", on_delivery=print)
quiet.flush()


def polls_until_delivered():
    done = []
    p = Producer({"bootstrap.servers": "localhost:9092"})
    p.produce("t", b"v", callback=lambda err, msg: done.append(err or msg))
    while not done:
        p.poll(1)
