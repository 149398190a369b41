from aiokafka import AIOKafkaConsumer, TopicPartition


async def follow():
    consumer = AIOKafkaConsumer("in", bootstrap_servers="localhost:9092", group_id="g", enable_auto_commit=False)
    await consumer.start()
    msg = await consumer.getone()
    await consumer.commit({TopicPartition(msg.topic, msg.partition): msg.offset})  # want offset-not-next commit
    async for other in consumer:
        await consumer.commit({TopicPartition("in", 0): (other.offset, "note")})  # want offset-not-next commit
