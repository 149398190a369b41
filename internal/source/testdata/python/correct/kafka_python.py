import json
import logging

from kafka import KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafka.errors import KafkaError

COMMON = dict(bootstrap_servers=["localhost:9092", "localhost:9093"], client_id="mirror",
              security_protocol="PLAINTEXT", api_version=(2, 6, 0))

producer = KafkaProducer(acks="all", retries=5, linger_ms=10, compression_type="gzip",
                         value_serializer=lambda v: json.dumps(v).encode("utf-8"), **COMMON)
consumer = KafkaConsumer("in", group_id="mirror", enable_auto_commit=False, auto_offset_reset="earliest",
                         value_deserializer=lambda b: json.loads(b), **COMMON)

try:
    for message in consumer:
        try:
            producer.send("out", key=message.key, value=message.value).get(timeout=10)
        except KafkaError:
            logging.exception("send of offset %d", message.offset)
            break
        tp = TopicPartition(message.topic, message.partition)
        consumer.commit({tp: OffsetAndMetadata(message.offset + 1, "")})
finally:
    consumer.close()
    producer.close()
