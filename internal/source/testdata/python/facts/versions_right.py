from confluent_kafka import Producer

p = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": "v"})
p.init_transactions()
p.begin_transaction()
p.produce("t", b"v")
p.commit_transaction()
