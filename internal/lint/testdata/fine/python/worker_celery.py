"""A celery worker whose tasks write to Kafka: each process has its own producer."""
import atexit
import os

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown
from confluent_kafka import Producer

app = Celery("worker", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(task_acks_late=True, worker_prefetch_multiplier=1)

_producer = None


@worker_process_init.connect
def start(**_):
    global _producer
    _producer = Producer({
        "bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"],
        "client.id": f"worker-{os.getpid()}",
        "queue.buffering.max.messages": 10000,
        "message.timeout.ms": 60000,
    })
    atexit.register(_producer.flush)


@worker_process_shutdown.connect
def stop(**_):
    if _producer is not None:
        _producer.flush(10)


def report(err, msg):
    if err:
        raise RuntimeError(f"not delivered: {err}")


@app.task(bind=True, acks_late=True, max_retries=5)
def publish(self, topic, key, value):
    try:
        _producer.produce(topic, key=key, value=value, callback=report)
    except BufferError as e:
        raise self.retry(exc=e, countdown=1)
    _producer.poll(0)
