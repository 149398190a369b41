from confluent_kafka import Consumer, Producer, TopicPartition

consumer = Consumer({"bootstrap.servers": "b:9092", "group.id": "g", "enable.auto.commit": False})
producer = Producer({"bootstrap.servers": "b:9092", "transactional.id": "copy-1"})
producer.init_transactions()
consumer.subscribe(["in"])
while True:
    msg = consumer.poll(1)
    if msg is None or msg.error():
        continue
    producer.begin_transaction()
    producer.produce("out", msg.value())
    offsets = consumer.position(consumer.assignment())
    offsets.append(TopicPartition(msg.topic(), msg.partition(), msg.offset() + 1))
    producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata())
    producer.commit_transaction()
