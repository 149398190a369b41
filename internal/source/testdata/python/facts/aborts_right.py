import signal

from confluent_kafka import Consumer, KafkaException, Producer

consumer = Consumer({"bootstrap.servers": "localhost:9092", "group.id": "g", "enable.auto.commit": False})
producer = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": "g-0"})
producer.init_transactions()
consumer.subscribe(["in"])
stopping = []


def on_term(signum, frame):
    stopping.append(signum)


signal.signal(signal.SIGTERM, on_term)
while not stopping:
    messages = consumer.consume(10, 1.0)
    try:
        producer.begin_transaction()
        for m in messages:
            producer.produce("out", m.value())
        producer.send_offsets_to_transaction(consumer.position(consumer.assignment()),
                                             consumer.consumer_group_metadata())
        producer.commit_transaction()
    except KafkaException as e:
        print("aborted", e, e.args[0].fatal())
        producer.abort_transaction()
        for tp in consumer.committed(consumer.assignment()):
            consumer.seek(tp)
