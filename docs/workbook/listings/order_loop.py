"""An order processor with mistakes that are often seen. Nobody runs it: chapter 5 shows what
kcompare lint says of it.
"""

import json

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

producer = Producer({"bootstrap.servers": "127.0.0.1:9092", "transactional.id": "taxes-1"})
consumer = Consumer({"bootstrap.servers": "127.0.0.1:9092", "group.id": "taxes"})
producer.init_transactions()
consumer.subscribe(["incoming-orders"])


# kcompare:region loop
def taxed(order):
    amount = json.loads(order)["amount"]
    if amount <= 0:
        raise ValueError("the amount is not positive")
    return json.dumps({"amount": amount, "tax": amount * 0.1})


while True:
    order = consumer.poll(1)
    if order is None:
        continue
    if order.error():
        raise order.error()
    try:
        producer.begin_transaction()
        producer.produce("processed-orders", key=order.key(), value=taxed(order.value()))
        done = TopicPartition(order.topic(), order.partition(), order.offset())
        producer.send_offsets_to_transaction([done], consumer.consumer_group_metadata())
        producer.commit_transaction()
    except KafkaError:
        producer.abort_transaction()  # "the order will be read again"
    except ValueError:
        producer.abort_transaction()
# kcompare:end
