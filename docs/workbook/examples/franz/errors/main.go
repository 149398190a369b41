// Command errors meets an error of each class, and does what the class allows: the same
// again, abort and go on, or end.
//
//	go run ./docs/workbook/examples/franz/errors 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "errors:", err)
		os.Exit(1)
	}
}

// kcompare:region config

func newProducer(servers ...string) (*kgo.Client, error) {
	return kgo.NewClient(kgo.SeedBrokers(servers...), kgo.TransactionalID("workbook-errors"), kgo.DefaultProduceTopic("orders"))
}

// kcompare:end

func run(servers []string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := noBroker(ctx); err != nil {
		return fmt.Errorf("no broker: %w", err)
	}
	old, err := newProducer(servers...)
	if err != nil {
		return err
	}
	defer old.Close()
	if err := tooLarge(ctx, old); err != nil {
		return fmt.Errorf("too large: %w", err)
	}
	return fenced(ctx, old, servers)
}

// kcompare:region errors

// classify says what may be done about an error of a transaction. kgo has no classes of its
// own: they follow from the broker's code.
func classify(err error) string {
	switch {
	case errors.Is(err, kerr.ProducerFenced), errors.Is(err, kerr.InvalidProducerEpoch): // a newer instance has the id
		return "fatal"
	case errors.Is(err, kerr.InvalidTxnState), errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return "fatal"
	case kerr.IsRetriable(err), errors.Is(err, context.DeadlineExceeded):
		return "retriable"
	}
	if connection := (*net.OpError)(nil); errors.As(err, &connection) {
		return "retriable"
	}
	return "abort" // what was written is of no use, the producer is
}

// kcompare:end

// kcompare:region outcome

// react does what the class of an error allows.
func react(ctx context.Context, producer *kgo.Client, what string, failure error) error {
	class := classify(failure)
	fmt.Printf("%s: %s (%s)\n", what, class, cause(failure))
	switch class {
	case "retriable": // the same again, later
		return nil
	case "abort":
		if err := producer.AbortBufferedRecords(ctx); err != nil {
			return err
		}
		return producer.EndTransaction(ctx, kgo.TryAbort)
	}
	producer.Close() // whatever else it did would be refused, too
	return nil
}

// kcompare:end

// cause is the broker's code, where it was a broker that refused.
func cause(err error) string {
	if code := (*kerr.Error)(nil); errors.As(err, &code) {
		return code.Message
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
	_, _, err = producer.ProducerID(limited) // what kgo otherwise does with the first record
	return react(ctx, producer, "no broker", err)
}

// tooLarge: one record is refused, and the transaction with it.
func tooLarge(ctx context.Context, producer *kgo.Client) error {
	if err := producer.BeginTransaction(); err != nil {
		return err
	}
	err := producer.ProduceSync(ctx, &kgo.Record{Value: make([]byte, 2_000_000)}).FirstErr()
	return react(ctx, producer, "too large", err)
}

// fenced: a second instance begins while the first one has a transaction open.
func fenced(ctx context.Context, old *kgo.Client, servers []string) error {
	if err := old.BeginTransaction(); err != nil {
		return err
	}
	if err := old.ProduceSync(ctx, kgo.StringRecord("order-1, old instance")).FirstErr(); err != nil {
		return err
	}
	next, err := newProducer(servers...)
	if err != nil {
		return err
	}
	defer next.Close()
	if _, _, err := next.ProducerID(ctx); err != nil { // fences the old one, whose transaction is aborted
		return err
	}
	if err := next.BeginTransaction(); err != nil {
		return err
	}
	if err := next.ProduceSync(ctx, kgo.StringRecord("order-1, new instance")).FirstErr(); err != nil {
		return err
	}
	if err := next.EndTransaction(ctx, kgo.TryCommit); err != nil {
		return err
	}
	fmt.Println("new instance: committed")
	return react(ctx, old, "fenced", old.EndTransaction(ctx, kgo.TryCommit))
}

// servers is the first argument, or what the environment says.
func servers() []string {
	given := cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
	if len(os.Args) > 1 {
		given = os.Args[1]
	}
	return strings.Split(given, ",")
}
