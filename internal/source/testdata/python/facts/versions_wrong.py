from confluent_kafka import Producer

p = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": "v"})
p.init_transactions()
p.begin_transaction()
p.produce_batch("t", [{"value": b"v"}])  # want member-of-some-versions produce_batch
p.commit_transaction()
