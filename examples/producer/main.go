// Command producer writes thirty orders, so that each stands in the log once, and looks
// at what became of every one of them.
//
//	go run ./examples/producer 127.0.0.1:9092
//
// The address may also stand in BOOTSTRAP_SERVERS.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	topic  = "orders"
	orders = 30
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "producer:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := newClient(servers(args))
	if err != nil {
		return err
	}
	defer client.Close()

	var results []kgo.ProduceResult
	for n := range orders {
		results = append(results, client.ProduceSync(ctx, order(n))...)
	}
	return check(results)
}

// newClient says every setting that the promise "each record once" rests on, although
// these are franz-go's defaults: somebody may read it who knows another library's.
func newClient(servers []string) (*kgo.Client, error) {
	return kgo.NewClient(
		kgo.SeedBrokers(servers...),
		kgo.ClientID("orders-producer"),
		kgo.RequiredAcks(kgo.AllISRAcks()), // a record is written when all in-sync replicas have it
		kgo.AllowAutoTopicCreation(),       // an example has no administrator; leave it out in production

		// Idempotence is on unless DisableIdempotentWrite is given. It keeps retries from
		// writing twice. It does not help against a timeout: a record that the client gives
		// up may still stand in the log. So the time is generous.
		kgo.RecordDeliveryTimeout(2*time.Minute),
	)
}

// order has the same key for the same customer, and so the same partition: the orders of
// a customer stay in order.
func order(n int) *kgo.Record {
	return &kgo.Record{
		Topic: topic,
		Key:   fmt.Appendf(nil, "customer-%d", n%5),
		Value: fmt.Appendf(nil, `{"order": %d, "amount": %d}`, n, 100+n),
	}
}

// check reads every promise. A record without one is not known to be written, and not
// known to be absent either.
func check(results []kgo.ProduceResult) error {
	written := 0
	var first error
	for _, r := range results {
		if r.Err == nil {
			written++
			continue
		}
		first = cmp.Or(first, fmt.Errorf("%s: %w", r.Record.Value, r.Err))
	}
	fmt.Printf("%d of %d orders written\n", written, len(results))
	return first
}

// servers is the first argument, or what the environment says.
func servers(args []string) []string {
	var given string
	if len(args) > 0 {
		given = args[0]
	}
	return strings.Split(cmp.Or(given, os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092"), ",")
}
