// Command guarantees writes ten orders under each of three guarantees, and says what the
// library told of each delivery.
//
//	go run ./docs/workbook/examples/franz/guarantees 127.0.0.1:9092
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

const orders = 10

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "guarantees:", err)
		os.Exit(1)
	}
}

// kcompare:region config

// atMostOnce asks for no answer, and so there is nothing after which it could send again.
func atMostOnce() []kgo.Opt {
	return []kgo.Opt{kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite()}
}

// atLeastOnce sends again what was not answered. What the broker wrote and whose answer was
// lost stands in the log twice then.
func atLeastOnce() []kgo.Opt {
	return []kgo.Opt{kgo.RequiredAcks(kgo.AllISRAcks()), kgo.DisableIdempotentWrite()}
}

// idempotent is franz-go's default: the broker knows a record that comes again.
func idempotent() []kgo.Opt {
	return []kgo.Opt{kgo.RequiredAcks(kgo.AllISRAcks())}
}

// kcompare:end

func run(servers []string) error {
	for _, guarantee := range []struct {
		name, topic string
		opts        []kgo.Opt
		answered    bool
	}{
		{"at most once", "at-most-once", atMostOnce(), false},
		{"at least once", "at-least-once", atLeastOnce(), true},
		{"idempotent", "idempotent", idempotent(), true},
	} {
		said := outcomes{answered: guarantee.answered}
		err := produce(servers, guarantee.topic, guarantee.opts, &said)
		if err != nil {
			return fmt.Errorf("%s: %w", guarantee.name, err)
		}
		fmt.Printf("%s: %s\n", guarantee.name, &said)
	}
	return nil
}

// kcompare:region produce

// produce sends all orders and waits for what becomes of them.
func produce(servers []string, topic string, opts []kgo.Opt, said *outcomes) error {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(servers...))...)
	if err != nil {
		return err
	}
	defer client.Close()
	for n := range orders {
		client.Produce(ctx, &kgo.Record{Topic: topic, Value: fmt.Appendf(nil, "order-%d", n)}, said.note)
	}
	return client.Flush(ctx)
}

// kcompare:end

// kcompare:region outcome

// outcomes counts what the library told. Promises are called one at a time.
type outcomes struct {
	answered bool // whether the broker was asked for answers: kgo numbers records from 0 where it was not

	sent, acknowledged, failed, unknown int
	first                               error
}

func (o *outcomes) note(_ *kgo.Record, err error) {
	switch {
	case err == nil && !o.answered: // only that it was sent is known; the offset is made up
		o.sent++
	case err == nil:
		o.acknowledged++
	case errors.Is(err, kgo.ErrRecordTimeout), errors.Is(err, context.DeadlineExceeded): // it may stand in the log
		o.unknown++
	default:
		o.failed++
		o.first = cmp.Or(o.first, err)
	}
}

func (o *outcomes) String() string {
	text := fmt.Sprintf("%d only sent, %d acknowledged, %d failed, %d unknown", o.sent, o.acknowledged, o.failed, o.unknown)
	if o.first != nil {
		text += ", the first with " + o.first.Error()
	}
	return text
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
