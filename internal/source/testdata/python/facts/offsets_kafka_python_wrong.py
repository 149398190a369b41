from kafka import KafkaConsumer, TopicPartition
from kafka.structs import OffsetAndMetadata

consumer = KafkaConsumer("in", bootstrap_servers="localhost:9092", group_id="g", enable_auto_commit=False)
for record in consumer:
    tp = TopicPartition(record.topic, record.partition)
    done = {}
    done[tp] = OffsetAndMetadata(record.offset, "")  # want offset-not-next commit
    consumer.commit(done)
