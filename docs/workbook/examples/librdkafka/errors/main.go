//go:build cgo

// Command errors meets an error of each class, and does what the class allows: the same
// again, abort and go on, or end.
//
//	go run ./docs/workbook/examples/librdkafka/errors 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

var topic = "orders"

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "errors:", err)
		os.Exit(1)
	}
}

// kcompare:region config

func newProducer(servers string) (*kafka.Producer, error) {
	return kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": servers, "transactional.id": "workbook-errors"})
}

// kcompare:end

func run(servers string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := noBroker(ctx); err != nil {
		return fmt.Errorf("no broker: %w", err)
	}
	old, err := newProducer(servers)
	if err != nil {
		return err
	}
	defer old.Close()
	if err := old.InitTransactions(ctx); err != nil {
		return err
	}
	if err := tooLarge(ctx, old); err != nil {
		return fmt.Errorf("too large: %w", err)
	}
	return fenced(ctx, old, servers)
}

// kcompare:region errors

// classify says what may be done about an error of a transaction: librdkafka knows it
// itself. A record that was refused has neither mark.
func classify(err error) string {
	var failure kafka.Error
	switch {
	case !errors.As(err, &failure):
		return "fatal" // not of Kafka
	case failure.IsFatal():
		return "fatal" // a newer instance has the id, say
	case failure.IsRetriable():
		return "retriable"
	}
	return "abort" // TxnRequiresAbort or refused: what was written is of no use, the producer is
}

// kcompare:end

// kcompare:region outcome

// react does what the class of an error allows. A fatal one leaves nothing but Close.
func react(ctx context.Context, producer *kafka.Producer, what string, failure error) error {
	class := classify(failure)
	fmt.Printf("%s: %s (%s)\n", what, class, cause(failure))
	if class == "abort" {
		return producer.AbortTransaction(ctx)
	}
	return nil // retriable: the same again, later
}

// kcompare:end

// cause is what librdkafka calls the code of an error.
func cause(err error) string {
	if failure := (kafka.Error{}); errors.As(err, &failure) {
		return failure.Code().String()
	}
	return "no answer"
}

// noBroker: nobody listens, and a limit ends the wait.
func noBroker(ctx context.Context) error {
	producer, err := newProducer("127.0.0.1:1")
	if err != nil {
		return err
	}
	defer producer.Close()
	limited, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	return react(ctx, producer, "no broker", producer.InitTransactions(limited))
}

// tooLarge: one record is refused, and the transaction with it.
func tooLarge(ctx context.Context, producer *kafka.Producer) error {
	if err := producer.BeginTransaction(); err != nil {
		return err
	}
	return react(ctx, producer, "too large", write(ctx, producer, make([]byte, 2_000_000)))
}

// fenced: a second instance begins while the first one has a transaction open.
func fenced(ctx context.Context, old *kafka.Producer, servers string) error {
	if err := old.BeginTransaction(); err != nil {
		return err
	}
	if err := write(ctx, old, []byte("order-1, old instance")); err != nil {
		return err
	}
	next, err := newProducer(servers)
	if err != nil {
		return err
	}
	defer next.Close()
	if err := next.InitTransactions(ctx); err != nil { // fences the old one, whose transaction is aborted
		return err
	}
	if err := next.BeginTransaction(); err != nil {
		return err
	}
	if err := write(ctx, next, []byte("order-1, new instance")); err != nil {
		return err
	}
	if err := next.CommitTransaction(ctx); err != nil {
		return err
	}
	fmt.Println("new instance: committed")
	return react(ctx, old, "fenced", old.CommitTransaction(ctx))
}

// write sends a record and waits for its report.
func write(ctx context.Context, producer *kafka.Producer, value []byte) error {
	report := make(chan kafka.Event, 1)
	at := kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}
	if err := producer.Produce(&kafka.Message{TopicPartition: at, Value: value}, report); err != nil {
		return err
	}
	select {
	case e := <-report:
		return e.(*kafka.Message).TopicPartition.Error
	case <-ctx.Done():
		return ctx.Err()
	}
}

// servers is the first argument, or what the environment says.
func servers() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
}
