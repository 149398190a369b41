import asyncio
from collections import defaultdict

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

SERVERS = "localhost:9092"


async def main():
    consumer = AIOKafkaConsumer("in", bootstrap_servers=SERVERS, group_id="counts", enable_auto_commit=False,
                                isolation_level="read_committed")
    producer = AIOKafkaProducer(bootstrap_servers=SERVERS, transactional_id="counts-0")
    await consumer.start()
    await producer.start()
    try:
        while True:
            batch = await consumer.getmany(timeout_ms=1000)
            async with producer.transaction():
                offsets, counts = {}, defaultdict(int)
                for tp, records in batch.items():
                    for record in records:
                        counts[record.key] += 1
                    offsets[TopicPartition(tp.topic, tp.partition)] = records[-1].offset + 1
                for key, n in counts.items():
                    await producer.send("counts", key=key, value=str(n).encode())
                await producer.send_offsets_to_transaction(offsets, "counts")
    finally:
        await consumer.stop()
        await producer.stop()


asyncio.run(main())
