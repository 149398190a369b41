//go:build linux

package sarama_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"kcompare/drivers"
	"kcompare/drivers/drivertest/overhead"
	driver "kcompare/sarama"
)

func TestMain(m *testing.M) {
	os.Exit(overhead.Main(m, overhead.Programs{
		Driver: func() (drivers.Driver, error) { return driver.New(), nil },
		Direct: map[string]func(string) (overhead.Direct, error){"direct": newDirect},
	}))
}

// BenchmarkOverhead compares the driver with a program that is written on sarama.
func BenchmarkOverhead(b *testing.B) { overhead.Benchmark(b, "direct") }

type direct struct{ lib sarama.AsyncProducer }

func newDirect(servers string) (overhead.Direct, error) {
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	conf.Producer.RequiredAcks = sarama.WaitForAll
	conf.Producer.Idempotent = true
	conf.Net.MaxOpenRequests = 1
	conf.Producer.Flush.Frequency = 5 * time.Millisecond
	conf.Producer.Flush.Bytes = 131072
	conf.Producer.Return.Successes = true
	lib, err := sarama.NewAsyncProducer([]string{servers}, conf)
	return direct{lib}, err
}

func (d direct) Play(count int) error {
	done := make(chan int)
	go func() {
		failed := 0
		for range count {
			select {
			case <-d.lib.Successes():
			case <-d.lib.Errors():
				failed++
			}
		}
		done <- failed
	}()
	var values overhead.Values
	for n := range count {
		d.lib.Input() <- &sarama.ProducerMessage{Topic: overhead.Topic, Value: sarama.ByteEncoder(values.Next(n))}
	}
	if failed := <-done; failed > 0 {
		return fmt.Errorf("%d records failed", failed)
	}
	return nil
}

func (d direct) Close() { d.lib.Close() }
