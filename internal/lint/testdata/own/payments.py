import asyncio

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import Consumer, Producer
from kafka import KafkaProducer

BASE = {"bootstrap.servers": "kafka:9092", "message.max.bytes": 2000000}
RETRIES = "5x"

lossy = Producer({**BASE, "enable.idempotence": False, "retries": 3, "acks": 7000})
late = Producer({**BASE, "transactional.id": "late-1", "delivery.timeout.ms": 90000})
odd = Producer({**BASE, "retries": RETRIES, "metadata.broker.list": "other:9092"})
# kcompare:ignore broker-key the page shows what is refused
refused = Producer({**BASE, "min.insync.replicas": 2})
nobody = Consumer(BASE)
slow = Consumer(dict(BASE, **{"group.id": "slow", "session.timeout.ms": 400000, "heartbeat.interval.ms": 200000}))
old = KafkaProducer(bootstrap_servers="kafka:9092", acks=1, enable_idempotence=True, lingr_ms=5)


async def main(settings):
    AIOKafkaProducer(bootstrap_servers="kafka:9092", group_id="x")
    AIOKafkaConsumer("orders", bootstrap_servers="kafka:9092", group_id="g", session_timeout_ms=10000, heartbeat_interval_ms=9000)
    Consumer({**settings, "auto.offset.reset": "none"})


asyncio.run(main({}))
