// A consumer that commits after each message.
package shop

import (
	"log"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

var consumerConfig = kafka.ConfigMap{
	"bootstrap.servers":             "localhost:9092",
	"group.id":                      "shop",
	"auto.offset.reset":             "earliest",
	"enable.auto.commit":            false,
	"partition.assignment.strategy": "cooperative-sticky",
	"session.timeout.ms":            45_000,
	"max.poll.interval.ms":          300_000,
	"isolation.level":               "read_committed",
}

func consume(stop <-chan struct{}) error {
	c, err := kafka.NewConsumer(&consumerConfig)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SubscribeTopics([]string{"orders"}, nil); err != nil {
		return err
	}
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		m, err := c.ReadMessage(time.Second)
		if err != nil {
			continue
		}
		log.Print(string(m.Value))
		if _, err := c.CommitMessage(m); err != nil {
			return err
		}
	}
}
