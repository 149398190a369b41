"""Read, process, write with aiokafka's transactions."""
import asyncio
import os
import socket

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError
from aiokafka.structs import OffsetAndMetadata

BOOTSTRAP = os.getenv("BOOTSTRAP_SERVERS", "localhost:9092")
GROUP = "transfers"


async def run():
    consumer = AIOKafkaConsumer(
        "transfers",
        bootstrap_servers=BOOTSTRAP,
        group_id=GROUP,
        enable_auto_commit=False,
        isolation_level="read_committed",
        auto_offset_reset="earliest",
    )
    producer = AIOKafkaProducer(
        bootstrap_servers=BOOTSTRAP,
        transactional_id=f"transfers-{socket.gethostname()}",
        acks="all",
        enable_idempotence=True,
        linger_ms=10,
        compression_type="gzip",
    )
    await consumer.start()
    await producer.start()
    try:
        while True:
            batch = await consumer.getmany(timeout_ms=1000, max_records=100)
            if not batch:
                continue
            async with producer.transaction():
                offsets = {}
                for partition, records in batch.items():
                    for record in records:
                        await producer.send("ledger", value=record.value, key=record.key)
                    offsets[partition] = OffsetAndMetadata(records[-1].offset + 1, "")
                await producer.send_offsets_to_transaction(offsets, GROUP)
    except KafkaError as e:
        print("stopped:", e)
    finally:
        await consumer.stop()
        await producer.stop()


if __name__ == "__main__":
    asyncio.run(run())
