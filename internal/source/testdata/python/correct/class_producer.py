"""A producer in a class, with reports, flush and a context manager."""
import logging
from typing import Optional

from confluent_kafka import KafkaException, Producer

log = logging.getLogger(__name__)


class AuditTrail:
    topic = "audit"

    def __init__(self, servers: str, timeout: float = 10.0):
        self._timeout = timeout
        self._failed = 0
        self._producer = Producer({
            "bootstrap.servers": servers,
            "enable.idempotence": True,
            "linger.ms": 20,
            "error_cb": self._on_error,
        })

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def write(self, key: Optional[str], line: bytes) -> None:
        while True:
            try:
                self._producer.produce(self.topic, key=key, value=line, on_delivery=self._on_delivery)
                break
            except BufferError:
                self._producer.poll(0.5)
        self._producer.poll(0)

    def close(self):
        left = self._producer.flush(self._timeout)
        if left or self._failed:
            raise RuntimeError(f"{left} lines unsent, {self._failed} refused")

    def _on_delivery(self, err, msg):
        if err is not None:
            self._failed += 1
            log.error("not written to %s: %s", msg.topic(), err)

    def _on_error(self, err):
        if err.fatal():
            log.critical("producer is dead: %s", err.str())


if __name__ == "__main__":
    try:
        with AuditTrail("localhost:9092") as trail:
            trail.write(None, b"started")
    except KafkaException as failure:
        log.error("kafka: %s", failure.args[0].str())
