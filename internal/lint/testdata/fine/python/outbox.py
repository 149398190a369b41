"""Class-based producer that flushes when its block ends."""
import json
import logging
import os

from confluent_kafka import KafkaException, Producer

log = logging.getLogger(__name__)

DEFAULTS = {
    "bootstrap.servers": os.environ.get("KAFKA_BOOTSTRAP", "localhost:9092"),
    "enable.idempotence": True,
    "acks": "all",
    "compression.type": "zstd",
    "linger.ms": 20,
}


class Outbox:
    def __init__(self, topic, **overrides):
        self.topic = topic
        self.failed = 0
        self.producer = Producer({**DEFAULTS, **overrides})

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        remaining = self.producer.flush(30)
        if remaining:
            log.error("%d records are still waiting", remaining)
        return False

    def _delivered(self, err, msg):
        if err is not None:
            self.failed += 1
            log.error("delivery to %s failed: %s", msg.topic(), err)

    def send(self, key, value):
        while True:
            try:
                self.producer.produce(self.topic, key=key, value=json.dumps(value), on_delivery=self._delivered)
                break
            except BufferError:
                self.producer.poll(0.5)
            except KafkaException as e:
                log.error("produce: %s", e.args[0].str())
                raise
        self.producer.poll(0)


def main():
    with Outbox("orders", **{"client.id": "outbox"}) as box:
        for n in range(10):
            box.send(str(n), {"n": n})


if __name__ == "__main__":
    main()
