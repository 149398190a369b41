//go:build cgo

// Command shutdown writes transactions until it is told to end, and ends without leaving
// one open: readers of committed records would wait for its timeout.
//
//	go run ./docs/workbook/examples/librdkafka/shutdown 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

var topic = "orders"

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "shutdown:", err)
		os.Exit(1)
	}
}

func run(servers string) error {
	// kcompare:region config
	producer, err := kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers":      servers,
		"transactional.id":       "workbook-shutdown",
		"transaction.timeout.ms": 20000, // less than whoever sends SIGTERM waits before SIGKILL
	})
	// kcompare:end
	if err != nil {
		return err
	}

	// kcompare:region shutdown
	// The signal only ends the loop. It does not cancel what is under way: a commit that is
	// cut off has an unknown outcome.
	stopping, forget := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer forget()
	err = producer.InitTransactions(stopping)
	for n := 1; stopping.Err() == nil && err == nil; n++ {
		err = transact(stopping, producer, n)
	}
	return errors.Join(err, finish(producer))
	// kcompare:end
}

// kcompare:region transaction

// transact is one transaction, which ends before anybody looks at the signal again.
func transact(stopping context.Context, producer *kafka.Producer, n int) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(stopping), 10*time.Second)
	defer stop()
	if err := producer.BeginTransaction(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	at := kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}
	report := make(chan kafka.Event, 1)
	// kcompare:ignore events-unread there is room for its only report, and the commit fails if that is bad
	err := producer.Produce(&kafka.Message{TopicPartition: at, Value: fmt.Appendf(nil, "order-%d", n)}, report)
	if n == 3 {
		terminate(stopping)
	}
	if err == nil {
		err = producer.CommitTransaction(ctx) // flushes; a record that failed makes it fail
	}
	if err != nil {
		return errors.Join(err, producer.AbortTransaction(ctx))
	}
	fmt.Printf("transaction %d: committed\n", n)
	return nil
}

// kcompare:end

// kcompare:region finish

// finish waits for records that are on their way, but not for ever.
func finish(producer *kafka.Producer) error {
	defer producer.Close()
	left := producer.Flush(10_000) // ms
	fmt.Printf("flushed: %d records are left\n", left)
	if left > 0 {
		return fmt.Errorf("flush: %d records are left", left)
	}
	return nil
}

// kcompare:end

// terminate is what an operator does: in the middle of a transaction.
func terminate(stopping context.Context) {
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(syscall.SIGTERM) == nil {
		<-stopping.Done()
		fmt.Println("SIGTERM in transaction 3")
	}
}

// servers is the first argument, or what the environment says.
func servers() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
}
