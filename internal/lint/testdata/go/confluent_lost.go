package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/google/uuid"
)

func sendAndLeave(topic string) {
	p, err := kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": "localhost:9092", "acks": "all"})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	err = p.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}, Value: []byte("v")}, nil)
	if err != nil {
		log.Fatal(err)
	}
}

func randomIDs() {
	id := "payments-" + uuid.NewString()
	kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": "localhost:9092", "transactional.id": id})
	kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers": "localhost:9092",
		"transactional.id":  fmt.Sprintf("payments-%d", os.Getpid()),
	})
}

func process(ctx context.Context, c *kafka.Consumer, p *kafka.Producer, m *kafka.Message) error {
	group, err := c.GetConsumerGroupMetadata()
	if err != nil {
		return err
	}
	next := []kafka.TopicPartition{{
		Topic: m.TopicPartition.Topic, Partition: m.TopicPartition.Partition,
		Offset: m.TopicPartition.Offset,
	}}
	if err := p.SendOffsetsToTransaction(ctx, next, group); err != nil {
		return err
	}
	p.CommitTransaction(ctx)
	return nil
}
