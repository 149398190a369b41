from confluent_kafka import Producer

# kcompare:ignore unknown-key the broker is ours

p = Producer({
    "bootstrap.servers": "localhost:9092",  # kcompare:ignore bad-value it is a test
})
text = "# kcompare:ignore not a comment"
