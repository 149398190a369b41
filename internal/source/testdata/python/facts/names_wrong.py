import logging

from confluent_kafka import Producer

log = logging.getLogger(__name__)


class Sender:
    def __init__(self, topic, txn):
        self.topic = topic
        self.p = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": txn})
        self.p.init_transactions()

    def send(self, value):
        log.info("in %s", txn)  # want undefined-name txn
        try:
            self.p.begin_transaction()
            self.p.produce(topic, value)  # want undefined-name topic
            self.p.commit_transaction()
        except KafkaException:  # want undefined-name KafkaException
            self.p.abort_transaction()
            raise
