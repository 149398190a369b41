from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import KafkaError
from fastapi import FastAPI, HTTPException, Request
import asyncio
import json

from settings import KAFKA


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.producer = AIOKafkaProducer(
        bootstrap_servers=KAFKA["servers"],
        acks="all",
        enable_idempotence=True,
        value_serializer=lambda v: json.dumps(v).encode(),
    )
    await app.state.producer.start()
    task = asyncio.create_task(follow(app))
    yield
    task.cancel()
    await app.state.producer.stop()


app = FastAPI(lifespan=lifespan)


async def follow(app):
    consumer = AIOKafkaConsumer("orders", bootstrap_servers=KAFKA["servers"], group_id="web",
                                enable_auto_commit=False, auto_offset_reset="earliest")
    await consumer.start()
    try:
        async for msg in consumer:
            app.state.last = (msg.topic, msg.partition, msg.offset)
            await consumer.commit()
    finally:
        await consumer.stop()


@app.post("/orders")
async def create(order: dict, request: Request):
    try:
        meta = await request.app.state.producer.send_and_wait("orders", order)
    except KafkaError as e:
        raise HTTPException(503, str(e)) from e
    return {"offset": meta.offset}
