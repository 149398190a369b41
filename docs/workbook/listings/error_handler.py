"""A handler of errors with mistakes that are often seen. Nobody runs it: chapter 6 shows what
kcompare lint says of it.
"""

import time

from confluent_kafka import KafkaError, Producer

# kcompare:region handler
producer = Producer(
    {
        "bootstrap.servers": "127.0.0.1:9092",
        "transactional.id": "payments-1",
        "transaction.timeout.ms": 60000,
        "message.timeout.ms": 90000,
    }
)
producer.init_transactions()


def pay(payment):
    producer.begin_transaction()
    try:
        producer.produce("payments", value=payment)
        producer.commit_transaction()
    except KafkaError as failure:
        if failure.code() == KafkaError._CONCURRENT_TRANSACTIONS:
            time.sleep(1)
            producer.abort_transaction()
            pay(payment)
        elif failure.code() == KafkaError._TRANSACTION_TIMEOUT:
            return  # "the broker has aborted it"
        elif failure.code() == KafkaError._INVALID_TRANSACTION:
            producer.abort_transaction()
        elif failure.code() == KafkaError._TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
            raise


# kcompare:end
