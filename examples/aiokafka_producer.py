"""Writes thirty orders with aiokafka, so that each stands in the log once, and looks at
what became of every one of them.

    .venv/bin/python examples/aiokafka_producer.py 127.0.0.1:9092

The address may also stand in BOOTSTRAP_SERVERS.
"""

import asyncio
import json
import os
import sys

from aiokafka import AIOKafkaProducer

ORDERS = 30


async def main() -> int:
    producer = AIOKafkaProducer(
        bootstrap_servers=servers(),
        client_id="orders-producer",
        enable_idempotence=True,
        acks="all",
        compression_type="gzip",
    )
    await producer.start()
    try:
        promises = []
        for n in range(ORDERS):
            value = json.dumps({"order": n, "amount": 100 + n}).encode()
            promises.append(await producer.send("orders", key=f"customer-{n % 5}".encode(), value=value))
        results = await asyncio.gather(*promises, return_exceptions=True)
    finally:
        await producer.stop()

    failed = [result for result in results if isinstance(result, BaseException)]
    for error in failed:
        print(error, file=sys.stderr)
    print(f"{ORDERS - len(failed)} of {ORDERS} orders written")
    return 1 if failed else 0


def servers() -> str:
    return sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BOOTSTRAP_SERVERS", "127.0.0.1:9092")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
