// An idempotent producer whose reports are read, and that is flushed to the end.
package main

import (
	"log"
	"os"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

func main() {
	p, err := kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers":  os.Getenv("BROKERS"),
		"enable.idempotence": true,
		"acks":               "all",
		"linger.ms":          20,
		"compression.type":   "lz4",
	})
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for e := range p.Events() {
			if m, ok := e.(*kafka.Message); ok && m.TopicPartition.Error != nil {
				log.Printf("not delivered: %v", m.TopicPartition.Error)
			}
		}
	}()
	topic := "orders"
	for _, v := range os.Args[1:] {
		if err := p.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}, Value: []byte(v)}, nil); err != nil {
			log.Print(err)
		}
	}
	for p.Flush(10_000) > 0 {
		log.Print("still waiting")
	}
	p.Close()
}
