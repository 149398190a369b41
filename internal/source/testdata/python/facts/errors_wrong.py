import confluent_kafka as ck
from confluent_kafka import Consumer, KafkaError, Producer

p = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": "e"})
try:
    p.init_transactions()
except KafkaError as e:  # want except-kafka-error except KafkaError
    print("failed", e)


def read(c: Consumer):
    try:
        m = c.poll(1)
        if m and m.error():
            raise m.error()  # want raise-kafka-error raise
        return m
    except (ck.KafkaError, ck.error.KafkaError):  # want except-kafka-error except KafkaError
        return None


def check(message):
    problem = message.error()
    if problem:
        raise message.error()  # want raise-kafka-error raise
    raise KafkaError(KafkaError._FAIL)  # want raise-kafka-error raise
