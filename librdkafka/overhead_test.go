//go:build cgo && linux

package librdkafka_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers/drivertest/overhead"
	"kcompare/librdkafka"
)

func TestMain(m *testing.M) {
	os.Exit(overhead.Main(m, overhead.Programs{
		Driver: librdkafka.New,
		Direct: map[string]func(string) (overhead.Direct, error){
			"numbered": func(servers string) (overhead.Direct, error) { return newDirect(servers, true) },
			"counted":  func(servers string) (overhead.Direct, error) { return newDirect(servers, false) },
		},
	}))
}

// BenchmarkOverhead compares the driver with programs that are written on
// confluent-kafka-go: one that numbers its records, as whoever wants to know which
// record was reported does by Message.Opaque, and one that only counts.
func BenchmarkOverhead(b *testing.B) {
	for _, direct := range []string{"numbered", "counted"} {
		b.Run(direct, func(b *testing.B) { overhead.Benchmark(b, direct) })
	}
}

type direct struct {
	lib      *kafka.Producer
	numbered bool
}

func newDirect(servers string, numbered bool) (overhead.Direct, error) {
	conf := kafka.ConfigMap{"go.delivery.report.fields": "none", "go.events.channel.size": 1000}
	for key, value := range overhead.Settings(servers) {
		conf[key] = value
	}
	lib, err := kafka.NewProducer(&conf)
	return direct{lib, numbered}, err
}

func (d direct) Play(count int) error {
	done := make(chan int)
	go func() {
		failed := 0
		for left := count; left > 0; {
			if m, is := (<-d.lib.Events()).(*kafka.Message); is {
				left--
				if m.TopicPartition.Error != nil {
					failed++
				}
			}
		}
		done <- failed
	}()
	var values overhead.Values
	topic := overhead.Topic
	numbers := make([]int, count)
	for n := range count {
		m := &kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny}, Value: values.Next(n)}
		if d.numbered {
			m.Opaque = &numbers[n]
		}
		for err := d.lib.Produce(m, nil); err != nil; err = d.lib.Produce(m, nil) {
			if e, is := err.(kafka.Error); !is || e.Code() != kafka.ErrQueueFull {
				return err
			}
			d.lib.Flush(5)
		}
	}
	d.lib.Flush(10_000)
	if failed := <-done; failed > 0 {
		return fmt.Errorf("%d records failed", failed)
	}
	return nil
}

func (d direct) Close() { d.lib.Close() }
