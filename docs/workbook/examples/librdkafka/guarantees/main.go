//go:build cgo

// Command guarantees writes ten orders under each of three guarantees, and says what the
// library told of each delivery.
//
//	go run ./docs/workbook/examples/librdkafka/guarantees 127.0.0.1:9092
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

const orders = 10

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "guarantees:", err)
		os.Exit(1)
	}
}

// kcompare:region config

// atMostOnce asks for no answer, and so there is nothing after which it could send again.
func atMostOnce() kafka.ConfigMap {
	return kafka.ConfigMap{"acks": "0", "retries": 0}
}

// atLeastOnce is librdkafka's default: it sends again what was not answered. What the
// broker wrote and whose answer was lost stands in the log twice then.
func atLeastOnce() kafka.ConfigMap {
	return kafka.ConfigMap{"acks": "all", "enable.idempotence": false}
}

// idempotent: the broker knows a record that comes again.
func idempotent() kafka.ConfigMap {
	return kafka.ConfigMap{"acks": "all", "enable.idempotence": true}
}

// kcompare:end

func run(servers string) error {
	for _, guarantee := range []struct {
		name, topic string
		config      kafka.ConfigMap
	}{
		{"at most once", "at-most-once", atMostOnce()},
		{"at least once", "at-least-once", atLeastOnce()},
		{"idempotent", "idempotent", idempotent()},
	} {
		guarantee.config["bootstrap.servers"] = servers
		said, err := produce(guarantee.topic, guarantee.config)
		if err != nil {
			return fmt.Errorf("%s: %w", guarantee.name, err)
		}
		fmt.Printf("%s: %s\n", guarantee.name, said)
	}
	return nil
}

// kcompare:region produce

// produce sends all orders and waits for what becomes of them.
func produce(topic string, config kafka.ConfigMap) (*outcomes, error) {
	config["delivery.timeout.ms"] = 20000 // every record has a report by then
	client, err := kafka.NewProducer(&config)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	reports := make(chan kafka.Event, orders) // room for all, so that the library never waits for us
	for n := range orders {
		at := kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}
		err := client.Produce(&kafka.Message{TopicPartition: at, Value: fmt.Appendf(nil, "order-%d", n)}, reports)
		if err != nil { // nothing was sent, and no report will come
			return nil, err
		}
	}
	var said outcomes
	for range orders {
		said.note((<-reports).(*kafka.Message))
	}
	return &said, nil
}

// kcompare:end

// kcompare:region outcome

// outcomes counts what the library told.
type outcomes struct {
	sent, acknowledged, failed, unknown int
	first                               error
}

func (o *outcomes) note(report *kafka.Message) {
	at := report.TopicPartition
	var failure kafka.Error
	switch {
	case at.Error == nil && at.Offset < 0: // nobody answered: only that it was sent is known
		o.sent++
	case at.Error == nil:
		o.acknowledged++
	case errors.As(at.Error, &failure) && failure.Code() == kafka.ErrMsgTimedOut: // it may stand in the log
		o.unknown++
	default:
		o.failed++
		o.first = cmp.Or(o.first, at.Error)
	}
}

func (o *outcomes) String() string {
	text := fmt.Sprintf("%d only sent, %d acknowledged, %d failed, %d unknown", o.sent, o.acknowledged, o.failed, o.unknown)
	if o.first != nil {
		text += ", the first with " + o.first.Error()
	}
	return text
}

// kcompare:end

// servers is the first argument, or what the environment says.
func servers() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
}
