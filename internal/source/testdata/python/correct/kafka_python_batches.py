from kafka import KafkaConsumer
from kafka.structs import OffsetAndMetadata


def drain(servers, topic):
    consumer = KafkaConsumer(bootstrap_servers=servers, group_id="drain", enable_auto_commit=False, max_poll_records=200)
    consumer.subscribe([topic])
    while True:
        batches = consumer.poll(timeout_ms=1000)
        if not batches:
            return
        for tp, records in batches.items():
            store(records)
            consumer.commit({tp: OffsetAndMetadata(records[-1].offset + 1, None)})


def store(records):
    print(len(records), records[0].offset, records[-1].offset)


if __name__ == "__main__":
    drain("localhost:9092", "lines")
