import signal

from confluent_kafka import Consumer, KafkaException, Producer

consumer = Consumer({"bootstrap.servers": "localhost:9092", "group.id": "g", "enable.auto.commit": False})
producer = Producer({"bootstrap.servers": "localhost:9092", "transactional.id": "g-0"})
producer.init_transactions()
consumer.subscribe(["in"])


def on_term(signum, frame):
    producer.abort_transaction()  # want transaction-in-signal-handler abort_transaction


signal.signal(signal.SIGTERM, on_term)
while True:
    messages = consumer.consume(10, 1.0)
    try:
        producer.begin_transaction()
        for m in messages:
            producer.produce("out", m.value())
        producer.send_offsets_to_transaction(consumer.position(consumer.assignment()),
                                             consumer.consumer_group_metadata())
        producer.commit_transaction()
    except KafkaException as e:
        print("aborted", e)
        producer.abort_transaction()  # want abort-without-seek abort_transaction
