"""Moves rows of an outbox table to Kafka; rows are marked in the delivery callback."""
import threading
import time

from confluent_kafka import KafkaException, Producer


class Outbox(threading.Thread):
    conf = {"bootstrap.servers": "localhost:9092", "enable.idempotence": True, "linger.ms": 50}

    def __init__(self, db, stop: threading.Event):
        super().__init__(daemon=True)
        self.db, self.stop = db, stop
        self.producer = Producer(self.conf)

    def run(self):
        try:
            while not self.stop.is_set():
                for row in self.db.unsent(100):
                    self.send(row)
                self.producer.poll(0.2)
        finally:
            self.producer.flush(10)

    def send(self, row):
        def sent(err, msg, row=row):
            if err is None:
                self.db.mark(row.id, msg.offset(), time.time())
        try:
            self.producer.produce(row.topic, row.payload, row.key, on_delivery=sent)
        except BufferError:
            self.producer.poll(1)
        except KafkaException as e:
            if e.args[0].fatal():
                self.stop.set()
            else:
                raise
