"""Code that runs with several versions of the library."""
import confluent_kafka
from confluent_kafka import Producer

try:
    from confluent_kafka.aio import AIOProducer
except ImportError:
    AIOProducer = None


def shut(producer):
    producer.flush()
    if hasattr(producer, "close"):
        producer.close()


def code(name):
    return getattr(confluent_kafka.KafkaError, name, None)


producer = Producer({"bootstrap.servers": "localhost:9092"})
producer.produce("t", b"v", callback=lambda e, m: print(e or m.offset()))
shut(producer)
if hasattr(producer, "cluster_id"):
    print(producer.cluster_id())
try:
    producer.produce_batch("t", [])
except AttributeError:
    pass
