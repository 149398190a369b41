from confluent_kafka import Producer
from kafka import KafkaProducer


def once(payload):
    p = Producer({"bootstrap.servers": "localhost:9092"})
    p.produce("t", payload, callback=print)
    p.poll(0)
    p.produce("t", payload, callback=print)  # want missing-flush produce


def other(payload):
    k = KafkaProducer(bootstrap_servers="localhost:9092")
    k.send("t", payload)  # want missing-flush send


quiet = Producer({"bootstrap.servers": "localhost:9092"})
quiet.produce("t", b"v")  # want delivery-report-unread produce
quiet.flush()


def gives_up(source):
    p = Producer({"bootstrap.servers": "localhost:9092", "on_delivery": print})
    while True:
        p.poll(0)
        line = next(source, None)
        if line is None:
            break
        p.produce("t", line)  # want missing-flush produce
