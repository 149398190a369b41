from confluent_kafka import *

conf = {"bootstrap.servers": "localhost:9092", "group.id": "nb", "auto.offset.reset": "earliest"}
c = Consumer(conf)
c.subscribe(["t"])
for _ in range(10):
    m = c.poll(1)
    if m and not m.error():
        print(m.value())
c.close()
