import confluent_kafka as ck
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer

p = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": "e"})
try:
    p.init_transactions()
except KafkaException as e:
    print("failed", e.args[0].code())


def read(c: Consumer):
    try:
        m = c.poll(1)
        if m and m.error():
            raise KafkaException(m.error())
        return m
    except (ck.KafkaException, ck.KafkaError):
        return None


def check(message):
    problem = message.error()
    if problem:
        raise KafkaException(message.error())
    raise KafkaException(KafkaError(KafkaError._FAIL))


def both(producer):
    try:
        producer.produce("t", b"v")
    except KafkaError:
        print("never")
    except KafkaException as e:
        print(e.args[0])
