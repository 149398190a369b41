from dataclasses import dataclass, asdict
from uuid import uuid4

from confluent_kafka import SerializingProducer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import StringSerializer

SCHEMA = """{"type": "record", "name": "User", "fields": [{"name": "name", "type": "string"}]}"""


@dataclass
class User:
    name: str


def delivery_report(err, msg):
    if err is not None:
        print("Delivery failed for User record {}: {}".format(msg.key(), err))
        return
    print("User record {} produced to {} [{}] at offset {}".format(msg.key(), msg.topic(), msg.partition(), msg.offset()))


def main():
    registry = SchemaRegistryClient({"url": "http://localhost:8081"})
    serializer = AvroSerializer(registry, SCHEMA, lambda user, ctx: asdict(user), {"auto.register.schemas": False})
    producer = SerializingProducer({"bootstrap.servers": "localhost:9092",
                                    "key.serializer": StringSerializer("utf_8"),
                                    "value.serializer": serializer})
    for name in ("ada", "grace"):
        producer.poll(0.0)
        producer.produce(topic="users", key=str(uuid4()), value=User(name), on_delivery=delivery_report)
    producer.flush()


main()
