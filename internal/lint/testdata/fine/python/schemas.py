"""Avro records by way of the schema registry."""
import os

from confluent_kafka import DeserializingConsumer, SerializingProducer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import StringDeserializer, StringSerializer

SCHEMA = """{"type": "record", "name": "User", "fields": [{"name": "name", "type": "string"}]}"""

registry = SchemaRegistryClient({
    "url": os.environ["SCHEMA_REGISTRY_URL"],
    "basic.auth.user.info": f"{os.environ['SR_KEY']}:{os.environ['SR_SECRET']}",
})

common = {
    "bootstrap.servers": os.environ["BOOTSTRAP_SERVERS"],
    "security.protocol": "SASL_SSL",
    "sasl.mechanisms": "PLAIN",
    "sasl.username": os.environ["CLUSTER_KEY"],
    "sasl.password": os.environ["CLUSTER_SECRET"],
}

producer = SerializingProducer({
    **common,
    "key.serializer": StringSerializer("utf_8"),
    "value.serializer": AvroSerializer(registry, SCHEMA, conf={"auto.register.schemas": False}),
})


def done(err, msg):
    print("failed" if err else "delivered", err or msg.offset())


producer.produce(topic="users", key="ada", value={"name": "Ada"}, on_delivery=done)
producer.flush()

consumer = DeserializingConsumer({
    **common,
    "group.id": "users",
    "auto.offset.reset": "earliest",
    "key.deserializer": StringDeserializer("utf_8"),
    "value.deserializer": AvroDeserializer(registry),
})
consumer.subscribe(["users"])
while True:
    record = consumer.poll(1.0)
    if record is not None and record.error() is None:
        print(record.value()["name"])
