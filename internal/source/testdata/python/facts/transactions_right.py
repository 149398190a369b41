from confluent_kafka import Producer
from kafka import KafkaProducer

BASE = {"bootstrap.servers": "localhost:9092", "enable.idempotence": True}
a = Producer({**BASE, "transactional.id": "a"})
a.init_transactions()
b = Producer(dict(BASE, **{"transactional.id": "b"}))
b.init_transactions(10)
b.begin_transaction()
c = KafkaProducer(bootstrap_servers="localhost:9092", transactional_id="c")
c.init_transactions()


def given(conf):
    d = Producer(conf)
    d.init_transactions()
    return d
