import zlib

from confluent_kafka import Producer
from kafka import KafkaProducer

p = Producer({"bootstrap.servers": "localhost:9092", "on_delivery": print})
seen = {}


def pick(key):
    return zlib.crc32(key) % 12


def send(key, value, number):
    seen[hash(key)] = value
    p.produce("t", value, key, partition=pick(key))
    p.produce("u", value, key, partition=hash(int(number)) % 6)
    p.flush()


k = KafkaProducer(bootstrap_servers="localhost:9092",
                  partitioner=lambda key, every, available: every[zlib.crc32(key) % len(every)])
k.close()
