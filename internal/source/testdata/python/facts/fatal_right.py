from confluent_kafka import KafkaException, Producer

p = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": "w"})
p.init_transactions()
for n in range(1000):
    try:
        p.begin_transaction()
        p.produce("t", str(n))
        p.commit_transaction()
    except KafkaException as e:
        if not e.args[0].txn_requires_abort():
            raise
        p.abort_transaction()
