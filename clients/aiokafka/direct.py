"""The loop of produce-many, written on aiokafka alone: what client.py is measured against.

Each line of stdin is a number of records; it is answered by a line with the number of
those that failed, when all are reported.
"""

import asyncio
import sys

from aiokafka import AIOKafkaProducer

TOPIC = "kcompare-overhead"
VALUE_BYTES = 100


async def play(producer: AIOKafkaProducer, count: int) -> int:
    send = producer.send
    futures = [await send(TOPIC, (b"%d" % n).ljust(VALUE_BYTES, b".")) for n in range(count)]
    await producer.flush()
    return sum(future.exception() is not None for future in futures)


async def main() -> None:
    producer = AIOKafkaProducer(
        bootstrap_servers=sys.argv[1],
        acks="all",
        enable_idempotence=True,
        linger_ms=5,
        max_batch_size=131072,
        compression_type=None,
    )
    await producer.start()
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(await play(producer, int(line)), flush=True)
    await producer.stop()


if __name__ == "__main__":
    asyncio.run(main())
