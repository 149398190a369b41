import logging

from confluent_kafka import KafkaException, Producer

log = logging.getLogger(__name__)


class Sender:
    def __init__(self, topic, txn):
        self.topic, self.txn = topic, txn
        self.p = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": txn})
        self.p.init_transactions()

    def send(self, value):
        txn = self.txn
        log.info("in %s", txn)
        try:
            self.p.begin_transaction()
            self.p.produce(self.topic, value)
            self.p.commit_transaction()
        except KafkaException:
            self.p.abort_transaction()
            raise
