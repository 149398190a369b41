from confluent_kafka import Consumer, KafkaError, KafkaException, KafkaProducer, Producer  # want no-such-member KafkaProducer
from confluent_kafka.admin import AdminClient
from kafka import KafkaConsumer

p = Producer({"bootstrap.servers": "localhost:9092"})
p.send("t", b"v")  # want no-such-member send
p.flush()
admin = AdminClient({"bootstrap.servers": "localhost:9092"})
admin.create_topic("t")  # want no-such-member create_topic
kp = KafkaConsumer("t", bootstrap_servers="localhost:9092", group_id="g")
kp.commit_sync()  # want no-such-member commit_sync


class Reader:
    def __init__(self):
        self.c = Consumer({"bootstrap.servers": "localhost:9092", "group.id": "g"})

    def one(self):
        m = self.c.poll_one()  # want no-such-member poll_one
        m = self.c.poll(1)
        try:
            self.c.commit(asynchronous=False)
        except KafkaException as e:
            if e.code() == KafkaError.TIMED_OUT:  # want no-such-member code # want no-such-member TIMED_OUT
                print(m.payload())  # want no-such-member payload
            if e.args[0].is_fatal():  # want no-such-member is_fatal
                raise
        self.c.close()
