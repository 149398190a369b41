"""Logs what becomes of a bill. Nobody runs it: page claims shows what kcompare lint says of
it.
"""

import logging

from confluent_kafka import Producer


class Bills:
    def __init__(self, transactional_id):
        self.producer = Producer(
            {"bootstrap.servers": "127.0.0.1:9092", "transactional.id": transactional_id, "debug": "transaction"}
        )
        self.producer.init_transactions()

    def send(self, bill):
        logging.info("%s begins", transactional_id)
        self.producer.begin_transaction()
        self.producer.produce("bills", value=bill, on_delivery=print)
        self.producer.commit_transaction()
