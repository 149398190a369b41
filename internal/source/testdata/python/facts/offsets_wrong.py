from confluent_kafka import Consumer, Producer, TopicPartition as TP


class Copier:
    def __init__(self, conf):
        self.c = Consumer({**conf, "group.id": "copier"})
        self.p = Producer({**conf, "transactional.id": "copier-0"})

    def step(self):
        m = self.c.poll(1)
        if m is None or m.error():
            return
        self.p.begin_transaction()
        at = m.offset()
        ends = [TP(m.topic(), m.partition(), at)]  # want offset-not-next send_offsets_to_transaction
        self.p.send_offsets_to_transaction(ends, self.c.consumer_group_metadata())
        self.p.commit_transaction()


def drain(consumer: Consumer):
    batch = consumer.consume(100, 1.0)
    tps = []
    for message in batch:
        tps.append(TP(message.topic(), message.partition(), offset=message.offset()))  # want offset-not-next commit
    consumer.commit(offsets=tps)
    consumer.store_offsets(offsets=[TP(x.topic(), x.partition(), x.offset()) for x in batch])  # want offset-not-next store_offsets
