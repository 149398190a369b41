"""Streaming with pyspark and a confluent AIO producer, rdkafka callbacks."""
import asyncio
import functools
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, KafkaException, OFFSET_BEGINNING, Producer, TopicPartition
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
df = (spark.readStream.format("kafka").option("kafka.bootstrap.servers", "k:9092")
      .option("kafka.security.protocol", "SASL_SSL").option("startingOffsets", "earliest").load())


class AIOProducer:
    def __init__(self, config, loop=None):
        self._loop = loop or asyncio.get_running_loop()
        self._producer = Producer(config)
        self._pool = ThreadPoolExecutor(max_workers=1)

    async def produce(self, topic, value):
        result = self._loop.create_future()

        def ack(err, msg):
            if err:
                self._loop.call_soon_threadsafe(result.set_exception, KafkaException(err))
            else:
                self._loop.call_soon_threadsafe(result.set_result, msg)

        self._producer.produce(topic, value, on_delivery=ack)
        await self._loop.run_in_executor(self._pool, functools.partial(self._producer.poll, 0.1))
        return await result

    def close(self):
        self._producer.flush()
        self._pool.shutdown()


def on_assign(consumer, partitions):
    for p in partitions:
        p.offset = OFFSET_BEGINNING
    consumer.assign(partitions)


def transactional(conf):
    producer = Producer({**conf, "transactional.id": f"copy-{socket.gethostname()}", "transaction.timeout.ms": 60000})
    consumer = Consumer({**conf, "group.id": "copy", "isolation.level": "read_committed", "enable.auto.commit": False,
                         "error_cb": print, "stats_cb": lambda s: json.loads(s), "statistics.interval.ms": 60000,
                         "on_commit": lambda err, tps: None})
    consumer.subscribe(["in"], on_assign=on_assign)
    producer.init_transactions()
    while True:
        msgs = consumer.consume(num_messages=500, timeout=1.0)
        if not msgs:
            continue
        producer.begin_transaction()
        try:
            for msg in msgs:
                if msg.error():
                    raise KafkaException(msg.error())
                producer.produce("out", key=msg.key(), value=msg.value(), headers=msg.headers())
            producer.send_offsets_to_transaction(consumer.position(consumer.assignment()), consumer.consumer_group_metadata())
            producer.commit_transaction()
        except KafkaException as e:
            if e.args[0].fatal():
                raise
            producer.abort_transaction()
            for tp in consumer.committed(consumer.assignment()):
                consumer.seek(TopicPartition(tp.topic, tp.partition, max(tp.offset, 0)))


def version():
    return confluent_kafka.version(), confluent_kafka.libversion()


try:
    transactional({"bootstrap.servers": "k:9092"})
except KafkaException as e:
    if e.args[0].code() in (KafkaError._ALL_BROKERS_DOWN, KafkaError.TOPIC_AUTHORIZATION_FAILED):
        raise SystemExit(str(e))
    raise
except KeyboardInterrupt:
    pass
