package main

import (
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

func env(name, fallback string) string {
	if v, ok := os.LookupEnv(name); ok {
		return v
	}
	return fallback
}

func common() *kafka.ConfigMap {
	c := &kafka.ConfigMap{
		"bootstrap.servers": env("KAFKA_BOOTSTRAP_SERVERS", "localhost:9092"),
		"client.id":         env("HOSTNAME", "local"),
	}
	if user := os.Getenv("KAFKA_USER"); user != "" {
		_ = c.SetKey("security.protocol", "SASL_SSL")
		_ = c.SetKey("sasl.mechanisms", "PLAIN")
		_ = c.SetKey("sasl.username", user)
		_ = c.SetKey("sasl.password", os.Getenv("KAFKA_PASSWORD"))
	}
	return c
}

// forRole adds what only one kind of client needs.
func forRole(role string) *kafka.ConfigMap {
	c := common()
	switch role {
	case "producer":
		linger, err := strconv.Atoi(env("KAFKA_LINGER_MS", "5"))
		if err != nil {
			linger = 5
		}
		(*c)["linger.ms"] = linger
		(*c)["enable.idempotence"] = true
	case "consumer":
		(*c)["group.id"] = env("KAFKA_GROUP", "orders")
		(*c)["auto.offset.reset"] = "earliest"
	}
	return c
}

func main() {
	producer, err := kafka.NewProducer(forRole("producer"))
	if err != nil {
		log.Fatal(err)
	}
	defer producer.Close()
	go func() {
		for e := range producer.Events() {
			if m, ok := e.(*kafka.Message); ok && m.TopicPartition.Error != nil {
				log.Println("not delivered:", m.TopicPartition.Error)
			}
		}
	}()
	consumer, err := kafka.NewConsumer(forRole("consumer"))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = consumer.Close() }()
	if err := consumer.SubscribeTopics([]string{"orders"}, nil); err != nil {
		log.Fatal(err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	for {
		select {
		case <-stop:
			if left := producer.Flush(10000); left > 0 {
				fmt.Println(left, "records were not sent")
			}
			return
		default:
			switch e := consumer.Poll(100).(type) {
			case *kafka.Message:
				topic := "copies"
				err := producer.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}, Value: e.Value}, nil)
				if err != nil {
					log.Println(err)
				}
			case kafka.Error:
				log.Println(e)
			}
		}
	}
}
