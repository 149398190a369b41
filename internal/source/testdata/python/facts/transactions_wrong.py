from confluent_kafka import Producer
from kafka import KafkaProducer

BASE = {"bootstrap.servers": "localhost:9092", "enable.idempotence": True}
a = Producer(BASE)
a.init_transactions()  # want transaction-without-id init_transactions
b = Producer({**BASE, "transactional.id": None})
b.init_transactions(10)  # want transaction-without-id init_transactions
b.begin_transaction()
c = KafkaProducer(bootstrap_servers="localhost:9092")
c.init_transactions()  # want transaction-without-id init_transactions
