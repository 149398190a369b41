//go:build cgo

// Command idempotent_producer sends a hundred orders, so that each stands in the log once,
// and counts what became of them.
//
//	go run ./docs/workbook/examples/librdkafka/idempotent_producer 127.0.0.1:9092
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

const orders = 100

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "idempotent_producer:", err)
		os.Exit(1)
	}
}

func run(servers string) error {
	producer, err := newOrderProducer(servers)
	if err != nil {
		return err
	}
	for n := range orders {
		if err = producer.send(fmt.Sprintf("customer-%d", n%7), fmt.Sprintf("order-%d", n)); err != nil {
			break
		}
	}
	err = cmp.Or(err, producer.close(time.Minute))
	fmt.Printf("%d orders: %d acknowledged, %d failed, %d unknown\n", orders, producer.acknowledged, producer.failed, producer.unknown)
	return err
}

// orderProducer sends orders and counts their outcomes, which may be read after close.
type orderProducer struct {
	client *kafka.Producer
	topic  string
	served chan struct{} // closed when no report can come any more

	acknowledged, failed, unknown int
	first                         error
}

// kcompare:region config

func newOrderProducer(servers string) (*orderProducer, error) {
	client, err := kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers":  servers,
		"enable.idempotence": true,  // off by default in librdkafka
		"acks":               "all", // idempotence needs it

		// Retries are not limited: idempotence makes them harmless. A record that is not
		// answered in this time gets an error.
		"delivery.timeout.ms": 30000,
	})
	if err != nil {
		return nil, err
	}
	p := &orderProducer{client: client, topic: "orders", served: make(chan struct{})}
	go p.serve()
	return p, nil
}

// kcompare:end

// kcompare:region produce

// send returns at once, unless the queue is full. The same key is the same partition, so
// that the orders of a customer stay in order.
func (p *orderProducer) send(customer, order string) error {
	at := kafka.TopicPartition{Topic: &p.topic, Partition: kafka.PartitionAny}
	for {
		err := p.client.Produce(&kafka.Message{TopicPartition: at, Key: []byte(customer), Value: []byte(order)}, nil)
		var failure kafka.Error
		if !errors.As(err, &failure) || failure.Code() != kafka.ErrQueueFull {
			return err
		}
		p.client.Flush(100) // ms: makes room
	}
}

// kcompare:end

// kcompare:region outcome

// serve takes the report of each record, until the client is closed.
func (p *orderProducer) serve() {
	defer close(p.served)
	for event := range p.client.Events() {
		switch e := event.(type) {
		case *kafka.Message:
			p.delivered(e)
		case kafka.Error: // told for information, unless it is fatal
			if e.IsFatal() {
				p.first = cmp.Or(p.first, error(e))
			}
		}
	}
}

func (p *orderProducer) delivered(report *kafka.Message) {
	err := report.TopicPartition.Error
	var failure kafka.Error
	switch {
	case err == nil:
		p.acknowledged++
		return
	case errors.As(err, &failure) && failure.Code() == kafka.ErrMsgTimedOut:
		p.unknown++ // it may stand in the log: to send it again as a new record could double it
	default:
		p.failed++
	}
	if p.first == nil {
		p.first = fmt.Errorf("%s: %w", report.Value, err)
	}
}

// kcompare:end

// kcompare:region shutdown

// close waits for the reports of all orders; without that they are lost with the program.
func (p *orderProducer) close(limit time.Duration) error {
	left := p.client.Flush(int(limit.Milliseconds()))
	p.client.Close() // closes Events
	<-p.served
	if left > 0 {
		return fmt.Errorf("flush: %d orders are left after %v", left, limit)
	}
	return p.first
}

// kcompare:end

// servers is the first argument, or what the environment says.
func servers() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
}
