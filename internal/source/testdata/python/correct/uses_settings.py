from confluent_kafka import DeserializingConsumer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import StringDeserializer

import settings

registry = SchemaRegistryClient({"url": "http://localhost:8081", "basic.auth.user.info": "user:pass"})
consumer = DeserializingConsumer({
    **settings.CONSUMER,
    "key.deserializer": StringDeserializer("utf_8"),
    "value.deserializer": AvroDeserializer(registry),
})
consumer.subscribe(["invoices"])
try:
    while True:
        msg = consumer.poll(1.0)
        if msg is None:
            continue
        print(msg.key(), msg.value())
except KeyboardInterrupt:
    pass
finally:
    consumer.close()
