from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient
from kafka import KafkaConsumer

p = Producer({"bootstrap.servers": "localhost:9092", "on_delivery": print})
p.produce("t", b"v")
p.flush()
admin = AdminClient({"bootstrap.servers": "localhost:9092"})
admin.create_topics([])
kp = KafkaConsumer("t", bootstrap_servers="localhost:9092", group_id="g")
kp.commit()


class Reader:
    def __init__(self):
        self.c = Consumer({"bootstrap.servers": "localhost:9092", "group.id": "g"})

    def one(self):
        m = self.c.poll(1)
        try:
            self.c.commit(asynchronous=False)
        except KafkaException as e:
            if e.args[0].code() == KafkaError._TIMED_OUT:
                print(m.value())
            if e.args[0].fatal():
                raise
        self.c.close()


def same(client):
    return client


same(p).flush()
same(Consumer({"bootstrap.servers": "localhost:9092", "group.id": "g"})).memberid()
