// Command idempotent_producer sends a hundred orders, so that each stands in the log once,
// and counts what became of them.
//
//	go run ./docs/workbook/examples/franz/idempotent_producer 127.0.0.1:9092
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

const orders = 100

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "idempotent_producer:", err)
		os.Exit(1)
	}
}

func run(servers []string) error {
	producer, err := newOrderProducer(servers)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for n := range orders {
		producer.send(ctx, fmt.Sprintf("customer-%d", n%7), fmt.Sprintf("order-%d", n))
	}
	err = producer.close(ctx)
	fmt.Printf("%d orders: %d acknowledged, %d failed, %d unknown\n", orders, producer.acknowledged, producer.failed, producer.unknown)
	return err
}

// orderProducer sends orders and counts their outcomes, which may be read after close.
type orderProducer struct {
	client *kgo.Client

	acknowledged, failed, unknown int
	first                         error
}

// kcompare:region config

func newOrderProducer(servers []string) (*orderProducer, error) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(servers...),
		kgo.DefaultProduceTopic("orders"),
		kgo.RequiredAcks(kgo.AllISRAcks()), // the default, as is idempotence: DisableIdempotentWrite would turn it off

		// Retries are not limited: idempotence makes them harmless. A record that is never
		// answered gets an error after this time, if nothing of it was sent.
		kgo.RecordDeliveryTimeout(30*time.Second),
	)
	if err != nil {
		return nil, err
	}
	return &orderProducer{client: client}, nil
}

// kcompare:end

// kcompare:region produce

// send returns at once. The same key is the same partition, so that the orders of a customer
// stay in order.
func (p *orderProducer) send(ctx context.Context, customer, order string) {
	p.client.Produce(ctx, &kgo.Record{Key: []byte(customer), Value: []byte(order)}, p.delivered)
}

// kcompare:end

// kcompare:region outcome

// delivered is called once for each record, never concurrently.
func (p *orderProducer) delivered(r *kgo.Record, err error) {
	switch {
	case err == nil:
		p.acknowledged++
		return
	case errors.Is(err, kgo.ErrRecordTimeout), errors.Is(err, context.DeadlineExceeded):
		p.unknown++ // it may stand in the log: to send it again as a new record could double it
	default:
		p.failed++
	}
	if p.first == nil {
		p.first = fmt.Errorf("%s: %w", r.Value, err)
	}
}

// kcompare:end

// kcompare:region shutdown

// close waits for the outcomes of all orders; without that they are lost with the program.
func (p *orderProducer) close(ctx context.Context) error {
	defer p.client.Close()
	if err := p.client.Flush(ctx); err != nil {
		return fmt.Errorf("flush: %d orders are left: %w", p.client.BufferedProduceRecords(), err)
	}
	return p.first
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
