// Command transaction writes one order to three topics in a transaction, takes a second
// order back, and reads the topics as readers of both isolation levels see them.
//
//	go run ./docs/workbook/examples/franz/transaction 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

var topics = []string{"orders", "payments", "notifications"}

var errDeclined = errors.New("the payment was declined")

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "transaction:", err)
		os.Exit(1)
	}
}

func run(servers []string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	// kcompare:region config
	producer, err := kgo.NewClient(
		kgo.SeedBrokers(servers...),
		kgo.TransactionalID("workbook-transaction"), // stays the same after a restart: a new instance fences the old one
		kgo.TransactionTimeout(30*time.Second),      // then the broker aborts by itself; readers wait as long for a producer that died
		kgo.RequiredAcks(kgo.AllISRAcks()),          // the default; transactions need it
	)
	// kcompare:end
	if err != nil {
		return err
	}
	defer producer.Close()

	for _, order := range []string{"order-1", "order-2"} {
		if err := transact(ctx, producer, order); err != nil {
			return fmt.Errorf("%s: %w", order, err)
		}
	}
	for _, level := range []struct {
		name string
		is   kgo.IsolationLevel
	}{{"read_committed", kgo.ReadCommitted()}, {"read_uncommitted", kgo.ReadUncommitted()}} {
		fmt.Println(level.name)
		if err := read(ctx, servers, level.is); err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	return nil
}

// kcompare:region transaction

// transact writes an order to all topics, or to none as far as readers of committed
// records can see.
func transact(ctx context.Context, producer *kgo.Client, order string) error {
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

// write sends a record to each topic and waits for every answer: kgo commits whatever was
// acknowledged, so that a record that failed must keep the program from committing.
func write(ctx context.Context, producer *kgo.Client, order string) error {
	var records []*kgo.Record
	for _, topic := range topics {
		records = append(records, &kgo.Record{Topic: topic, Key: []byte(order), Value: []byte(order)})
	}
	return producer.ProduceSync(ctx, records...).FirstErr()
}

// kcompare:end

// kcompare:region commit

// commit aborts where the commit failed or its outcome is not known: kgo does not allow a
// commit to be tried again.
func commit(ctx context.Context, producer *kgo.Client, order string) error {
	if err := producer.EndTransaction(ctx, kgo.TryCommit); err != nil {
		return errors.Join(fmt.Errorf("commit: %w", err), abort(ctx, producer, order, err))
	}
	fmt.Printf("%s: committed\n", order)
	return nil
}

// kcompare:end

// kcompare:region abort

// abort drops what was not sent yet, because it would be part of the next transaction.
func abort(ctx context.Context, producer *kgo.Client, order string, reason error) error {
	if err := producer.AbortBufferedRecords(ctx); err != nil {
		return fmt.Errorf("drop buffered records: %w", err)
	}
	if err := producer.EndTransaction(ctx, kgo.TryAbort); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	fmt.Printf("%s: aborted, %v\n", order, reason)
	return nil
}

// kcompare:end

// kcompare:region read

// read prints what the topics hold, up to their ends. The last thing in each is the marker
// of a transaction, which takes an offset as a record does.
func read(ctx context.Context, servers []string, level kgo.IsolationLevel) error {
	start := map[string]map[int32]kgo.Offset{}
	for _, topic := range topics {
		start[topic] = map[int32]kgo.Offset{0: kgo.NewOffset().AtStart()}
	}
	reader, err := kgo.NewClient(
		kgo.SeedBrokers(servers...),
		kgo.ConsumePartitions(start),
		kgo.FetchIsolationLevel(level), // the default is read_uncommitted
		kgo.KeepControlRecords(),       // shows the markers, and so that an end is reached
	)
	if err != nil {
		return err
	}
	defer reader.Close()
	found := map[string][]string{}
	for ended := map[string]bool{}; len(ended) < len(topics); {
		fetches := reader.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			for _, r := range p.Records {
				if !r.Attrs.IsControl() {
					found[r.Topic] = append(found[r.Topic], fmt.Sprintf("%s at offset %d", r.Value, r.Offset))
				}
				if r.Offset+1 == p.HighWatermark {
					ended[r.Topic] = true
				}
			}
		})
	}
	for _, topic := range topics {
		fmt.Printf("  %s: %s\n", topic, strings.Join(found[topic], ", "))
	}
	return nil
}

// kcompare:end

// servers is the first argument, or what the environment says.
func servers() []string {
	given := cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
	if len(os.Args) > 1 {
		given = os.Args[1]
	}
	return strings.Split(given, ",")
}
