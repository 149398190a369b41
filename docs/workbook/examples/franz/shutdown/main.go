// Command shutdown writes transactions until it is told to end, and ends without leaving
// one open: readers of committed records would wait for its timeout.
//
//	go run ./docs/workbook/examples/franz/shutdown 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "shutdown:", err)
		os.Exit(1)
	}
}

func run(servers []string) error {
	// kcompare:region config
	producer, err := kgo.NewClient(
		kgo.SeedBrokers(servers...),
		kgo.DefaultProduceTopic("orders"),
		kgo.TransactionalID("workbook-shutdown"),
		kgo.TransactionTimeout(20*time.Second), // less than whoever sends SIGTERM waits before SIGKILL
	)
	// kcompare:end
	if err != nil {
		return err
	}

	// kcompare:region shutdown
	// The signal only ends the loop. It does not cancel what is under way: a commit that is
	// cut off has an unknown outcome.
	stopping, forget := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer forget()
	for n := 1; stopping.Err() == nil && err == nil; n++ {
		err = transact(stopping, producer, n)
	}
	return errors.Join(err, finish(producer))
	// kcompare:end
}

// kcompare:region transaction

// transact is one transaction, which ends before anybody looks at the signal again.
func transact(stopping context.Context, producer *kgo.Client, n int) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(stopping), 10*time.Second)
	defer stop()
	if err := producer.BeginTransaction(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	err := producer.ProduceSync(ctx, kgo.StringRecord(fmt.Sprintf("order-%d", n))).FirstErr()
	if n == 3 {
		terminate(stopping)
	}
	if err == nil {
		err = producer.EndTransaction(ctx, kgo.TryCommit)
	}
	if err != nil {
		return errors.Join(err, producer.AbortBufferedRecords(ctx), producer.EndTransaction(ctx, kgo.TryAbort))
	}
	fmt.Printf("transaction %d: committed\n", n)
	return nil
}

// kcompare:end

// kcompare:region finish

// finish waits for records that are on their way, but not for ever.
func finish(producer *kgo.Client) error {
	defer producer.Close()
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	err := producer.Flush(ctx)
	fmt.Printf("flushed: %d records are left\n", producer.BufferedProduceRecords())
	return err
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
func servers() []string {
	given := cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
	if len(os.Args) > 1 {
		given = os.Args[1]
	}
	return strings.Split(given, ",")
}
