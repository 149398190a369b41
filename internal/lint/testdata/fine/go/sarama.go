package main

import (
	"log"
	"time"

	"github.com/IBM/sarama"
)

// settings has the names that other clients use, for a page that shows them.
var settings = map[string]string{"acks": "1", "linger.ms": "5", "request.timeout": "10"}

func main() {
	config := sarama.NewConfig()
	config.Version = sarama.V3_6_0_0
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Idempotent = true
	config.Net.MaxOpenRequests = 1
	config.Producer.Return.Successes = true
	config.Producer.Flush.Frequency = 5 * time.Millisecond
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	producer, err := sarama.NewSyncProducer([]string{"localhost:9092"}, config)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = producer.Close() }()
	if _, _, err := producer.SendMessage(&sarama.ProducerMessage{Topic: "kafka", Value: sarama.StringEncoder("v")}); err != nil {
		log.Fatal(err, settings)
	}
}
