//go:build cgo

// Command monitoring sends a hundred orders and prints what the library told of them, and
// by which name.
//
//	go run ./docs/workbook/examples/librdkafka/monitoring 127.0.0.1:9092
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

const orders = 100

var topic = "orders"

func main() {
	if err := run(servers()); err != nil {
		fmt.Fprintln(os.Stderr, "monitoring:", err)
		os.Exit(1)
	}
}

func run(servers string) error {
	// kcompare:region config
	producer, err := kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers":      servers,
		"enable.idempotence":     true,
		"delivery.timeout.ms":    20000,
		"statistics.interval.ms": 200, // 0, the default, is none; minutes are usual
	})
	// kcompare:end
	if err != nil {
		return err
	}
	// kcompare:ignore missing-flush gather waits for every report
	defer producer.Close()
	for n := range orders {
		at := kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}
		if err := producer.Produce(&kafka.Message{TopicPartition: at, Value: fmt.Appendf(nil, "order-%d", n)}, nil); err != nil {
			return err
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	var seen figures
	if err := seen.gather(ctx, producer.Events()); err != nil {
		return err
	}
	seen.print()
	return nil
}

// kcompare:region outcome

// figures is what delivery reports and statistics tell.
type figures struct {
	acknowledged, failed int
	statistics           statistics
}

// statistics is a part of the JSON that STATISTICS.md of librdkafka describes.
type statistics struct {
	Sent    int64 `json:"txmsgs"`
	Waiting int64 `json:"msg_cnt"`
	Brokers map[string]struct {
		Again int64 `json:"txretries"`
		Time  struct {
			Count int64 `json:"cnt"`
		} `json:"rtt"`
	} `json:"brokers"`
}

// gather takes events until all orders have a report and statistics know of them.
func (f *figures) gather(ctx context.Context, events <-chan kafka.Event) error {
	for !f.complete() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d orders have a report: %w", f.acknowledged+f.failed, orders, ctx.Err())
		case event := <-events:
			switch e := event.(type) {
			case *kafka.Message:
				if e.TopicPartition.Error == nil {
					f.acknowledged++
				} else {
					f.failed++
				}
			case *kafka.Stats:
				f.statistics = statistics{}
				if err := json.Unmarshal([]byte(e.String()), &f.statistics); err != nil {
					return fmt.Errorf("statistics: %w", err)
				}
			}
		}
	}
	return nil
}

func (f *figures) complete() bool {
	_, answers := f.statistics.requests()
	known := f.statistics.Waiting == 0 && f.statistics.Sent+int64(f.failed) >= orders && answers > 0
	return known && f.acknowledged+f.failed == orders
}

// requests sums up what is told broker by broker.
func (s statistics) requests() (again, answers int64) {
	for _, b := range s.Brokers {
		again += b.Again
		answers += b.Time.Count
	}
	return again, answers
}

// kcompare:end

// kcompare:region print

func (f *figures) print() {
	again, answers := f.statistics.requests()
	fmt.Printf("sent: %d (txmsgs)\n", f.statistics.Sent)
	fmt.Printf("acknowledged: %d (delivery reports)\n", f.acknowledged)
	fmt.Printf("failed: %d (delivery reports)\n", f.failed)
	fmt.Printf("waiting: %d (msg_cnt)\n", f.statistics.Waiting)
	fmt.Printf("sent again: %d (txretries)\n", again)
	fmt.Printf("time of a request is told: %t (rtt)\n", answers > 0)
}

// kcompare:end

// servers is the first argument, or what the environment says.
func servers() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
}
