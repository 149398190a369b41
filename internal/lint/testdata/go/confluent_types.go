package main

import (
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

const linger int64 = 20

func typed() (*kafka.Producer, error) {
	config := kafka.ConfigMap{
		"bootstrap.servers": "localhost:9092",
		"linger.ms":         linger,
		"retries":           int32(5),
		"client.id":         nil,
	}
	config.SetKey("delivery.timeout.ms", 30*time.Second)
	config["compression.typ"] = "lz4"
	return kafka.NewProducer(&config)
}
