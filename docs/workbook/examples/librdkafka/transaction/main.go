//go:build cgo

// Command transaction writes one order to three topics in a transaction, takes a second
// order back, and reads the topics as readers of both isolation levels see them.
//
//	go run ./docs/workbook/examples/librdkafka/transaction 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

var topics = []string{"orders", "payments", "notifications"}

var errDeclined = errors.New("the payment was declined")

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "transaction:", err)
		os.Exit(1)
	}
}

func run(servers string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	// kcompare:region config
	producer, err := kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers":      servers,
		"transactional.id":       "workbook-transaction", // the same after a restart: a new instance fences the old one
		"transaction.timeout.ms": 30000,                  // then the broker aborts; readers wait as long for a producer that died
		"acks":                   "all",                  // the default; transactions need it
	})
	// kcompare:end
	if err != nil {
		return err
	}
	defer producer.Close()

	if err := settle(ctx, producer.InitTransactions); err != nil { // fences older instances, and ends what they left open
		return fmt.Errorf("init: %w", err)
	}
	for _, order := range []string{"order-1", "order-2"} {
		if err := transact(ctx, producer, order); err != nil {
			return fmt.Errorf("%s: %w", order, err)
		}
	}
	for _, level := range []string{"read_committed", "read_uncommitted"} {
		fmt.Println(level)
		if err := read(ctx, servers, level); err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	return nil
}

// kcompare:region transaction

// transact writes an order to all topics, or to none as far as readers of committed
// records can see.
func transact(ctx context.Context, producer *kafka.Producer, order string) error {
	if err := producer.BeginTransaction(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	err := write(ctx, producer, order)
	if err == nil {
		err = pay(order)
	}
	switch {
	case err == nil:
		return commit(ctx, producer, order)
	case errors.Is(err, errDeclined): // how a business goes, and no fault
		return abort(ctx, producer, order, err)
	}
	return errors.Join(err, abort(ctx, producer, order, err))
}

// kcompare:end

// pay is what the order depends on beside Kafka.
func pay(order string) error {
	if order == "order-2" {
		return errDeclined
	}
	return nil
}

// kcompare:region produce

// write sends a record to each topic and waits for every report: one that failed must keep
// the program from committing.
func write(ctx context.Context, producer *kafka.Producer, order string) error {
	reports := make(chan kafka.Event, len(topics)) // room for all, so that the library never waits for us
	for _, topic := range topics {
		at := kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}
		err := producer.Produce(&kafka.Message{TopicPartition: at, Key: []byte(order), Value: []byte(order)}, reports)
		if err != nil {
			return fmt.Errorf("%s: %w", topic, err)
		}
	}
	for range topics {
		select {
		case report := <-reports:
			if at := report.(*kafka.Message).TopicPartition; at.Error != nil {
				return fmt.Errorf("%s: %w", *at.Topic, at.Error)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// kcompare:end

// kcompare:region commit

// commit aborts where the library says that it must.
func commit(ctx context.Context, producer *kafka.Producer, order string) error {
	err := settle(ctx, producer.CommitTransaction)
	var failure kafka.Error
	if errors.As(err, &failure) && failure.TxnRequiresAbort() {
		return errors.Join(fmt.Errorf("commit: %w", err), abort(ctx, producer, order, err))
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	fmt.Printf("%s: committed\n", order)
	return nil
}

// settle: after a retriable error (a timeout, say) nobody knows how a step ended. The same
// step again goes on with it.
func settle(ctx context.Context, step func(context.Context) error) error {
	for {
		err := step(ctx)
		var failure kafka.Error
		if !errors.As(err, &failure) || !failure.IsRetriable() || ctx.Err() != nil {
			return err
		}
	}
}

// kcompare:end

// kcompare:region abort

// abort drops what was not sent yet, as well.
func abort(ctx context.Context, producer *kafka.Producer, order string, reason error) error {
	if err := settle(ctx, producer.AbortTransaction); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	fmt.Printf("%s: aborted, %v\n", order, reason)
	return nil
}

// kcompare:end

// kcompare:region read

// read prints what the topics hold, up to their ends.
func read(ctx context.Context, servers, level string) error {
	reader, err := kafka.NewConsumer(&kafka.ConfigMap{
		"bootstrap.servers":    servers,
		"group.id":             "workbook-reader", // librdkafka wants one; no offset is committed
		"enable.auto.commit":   false,
		"isolation.level":      level, // the default is read_committed
		"enable.partition.eof": true,  // says when an end is reached: markers and aborted records are never seen
	})
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }() // it has nothing to lose
	var start []kafka.TopicPartition
	for _, topic := range topics {
		start = append(start, kafka.TopicPartition{Topic: &topic, Partition: 0, Offset: kafka.OffsetBeginning})
	}
	if err := reader.Assign(start); err != nil {
		return err
	}
	found := map[string][]string{}
	for ended := 0; ended < len(topics); {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch e := reader.Poll(1000).(type) {
		case *kafka.Message:
			at := e.TopicPartition
			found[*at.Topic] = append(found[*at.Topic], fmt.Sprintf("%s at offset %d", e.Value, at.Offset))
		case kafka.PartitionEOF:
			ended++
		case kafka.Error:
			if e.IsFatal() { // others are told for information: the library goes on trying
				return e
			}
		}
	}
	for _, topic := range topics {
		fmt.Printf("  %s: %s\n", topic, strings.Join(found[topic], ", "))
	}
	return nil
}

// kcompare:end

// servers is the first argument, or what the environment says.
func servers() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
}
