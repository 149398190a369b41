from aiokafka import AIOKafkaConsumer, TopicPartition


async def follow():
    consumer = AIOKafkaConsumer("in", bootstrap_servers="localhost:9092", group_id="g", enable_auto_commit=False)
    await consumer.start()
    msg = await consumer.getone()
    await consumer.commit({TopicPartition(msg.topic, msg.partition): msg.offset + 1})
    async for other in consumer:
        await consumer.commit({TopicPartition("in", 0): (other.offset + 1, "note")})
