// Command monitoring sends a hundred orders and prints what the library told of them, and
// by which name.
//
//	go run ./docs/workbook/examples/franz/monitoring 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const orders = 100

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "monitoring:", err)
		os.Exit(1)
	}
}

func run(servers []string) error {
	var seen figures
	// kcompare:region config
	client, err := kgo.NewClient(
		kgo.SeedBrokers(servers...),
		kgo.DefaultProduceTopic("orders"),
		kgo.WithHooks(&seen), // franz-go has no figures of its own: it calls hooks, as its plugins for Prometheus do
	)
	// kcompare:end
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	for n := range orders {
		client.Produce(ctx, kgo.StringRecord(fmt.Sprintf("order-%d", n)), nil) // outcomes are counted by a hook
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	if err := seen.complete(ctx); err != nil {
		return err
	}
	seen.print(client)
	return nil
}

// kcompare:region outcome

// figures counts what hooks tell; they are called by several goroutines.
type figures struct {
	sent, acknowledged, failed, answers atomic.Int64
}

var (
	_ kgo.HookProduceBatchWritten     = (*figures)(nil)
	_ kgo.HookProduceRecordUnbuffered = (*figures)(nil)
	_ kgo.HookBrokerE2E               = (*figures)(nil)
)

// OnProduceBatchWritten is called for each batch of a request that was written; one that is
// sent again counts again.
func (f *figures) OnProduceBatchWritten(_ kgo.BrokerMetadata, _ string, _ int32, m kgo.ProduceBatchMetrics) {
	f.sent.Add(int64(m.NumRecords))
}

// OnProduceRecordUnbuffered is called once for each record, when its outcome is known.
func (f *figures) OnProduceRecordUnbuffered(_ *kgo.Record, err error) {
	if err != nil {
		f.failed.Add(1)
		return
	}
	f.acknowledged.Add(1)
}

// complete waits for what is told of the last batch: kgo does so when it has handled the
// answer, which may be after Flush.
func (f *figures) complete(ctx context.Context) error {
	for f.sent.Load()+f.failed.Load() < orders {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d of %d orders were told of: %w", f.sent.Load(), orders, ctx.Err())
		}
	}
	return nil
}

// OnBrokerE2E tells how long a request took: e2e.DurationE2E.
func (f *figures) OnBrokerE2E(_ kgo.BrokerMetadata, _ int16, e2e kgo.BrokerE2E) {
	if e2e.Err() == nil && e2e.DurationE2E() > 0 {
		f.answers.Add(1)
	}
}

// kcompare:end

// kcompare:region print

func (f *figures) print(client *kgo.Client) {
	fmt.Printf("sent: %d (HookProduceBatchWritten)\n", f.sent.Load())
	fmt.Printf("acknowledged: %d (HookProduceRecordUnbuffered)\n", f.acknowledged.Load())
	fmt.Printf("failed: %d (HookProduceRecordUnbuffered)\n", f.failed.Load())
	fmt.Printf("waiting: %d (Client.BufferedProduceRecords)\n", client.BufferedProduceRecords())
	fmt.Printf("sent again: %d (sent, without acknowledged and failed)\n", f.sent.Load()-f.acknowledged.Load()-f.failed.Load())
	fmt.Printf("time of a request is told: %t (HookBrokerE2E)\n", f.answers.Load() > 0)
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
