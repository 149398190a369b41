"""kafka-python behind a small class, and a dict that a faust app takes."""
import json
import ssl

import faust
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.admin import NewTopic
from kafka.errors import KafkaError, TopicAlreadyExistsError

app = faust.App("app", broker="kafka://localhost:9092", producer_acks=-1, consumer_max_fetch_size=4194304)


def make_producer(servers):
    return KafkaProducer(
        bootstrap_servers=servers,
        value_serializer=lambda v: json.dumps(v).encode(),
        key_serializer=str.encode,
        acks="all",
        retries=5,
        linger_ms=50,
        batch_size=32768,
        compression_type="lz4",
        max_in_flight_requests_per_connection=1,
        security_protocol="SSL",
        ssl_context=ssl.create_default_context(cafile="ca.pem"),
    )


def publish(servers, rows):
    producer = make_producer(servers)
    try:
        futures = [producer.send("rows", key=row["id"], value=row) for row in rows]
        for future in futures:
            future.get(timeout=10)
    except KafkaError as e:
        print("not sent:", e)
        raise
    finally:
        producer.close()


def read(servers):
    consumer = KafkaConsumer("rows", bootstrap_servers=servers.split(","), group_id="rows", enable_auto_commit=False,
                             auto_offset_reset="earliest", value_deserializer=json.loads, max_poll_records=100,
                             session_timeout_ms=30000, heartbeat_interval_ms=10000, consumer_timeout_ms=5000)
    for message in consumer:
        print(message.offset, message.value)
        consumer.commit()
    consumer.close()


def create(servers):
    admin = KafkaAdminClient(bootstrap_servers=servers, client_id="admin")
    try:
        admin.create_topics([NewTopic("rows", 3, 1, topic_configs={"retention.ms": "86400000"})])
    except TopicAlreadyExistsError:
        pass
    finally:
        admin.close()
