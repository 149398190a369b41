from confluent_kafka import Producer
from kafka import KafkaProducer

p = Producer({"bootstrap.servers": "localhost:9092", "on_delivery": print})


def pick(key):
    return hash(key) % 12  # want builtin-hash hash


def send(key, value):
    p.produce("t", value, key, partition=pick(key))
    where = abs(hash(key)) % 6  # want builtin-hash hash
    p.produce("u", value, key, where)
    p.flush()


k = KafkaProducer(bootstrap_servers="localhost:9092",
                  partitioner=lambda key, every, available: every[hash(key) % len(every)])  # want builtin-hash hash
k.close()
