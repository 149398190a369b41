//go:build linux

package franz_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/drivers/drivertest/overhead"
	"kcompare/franz"
)

func TestMain(m *testing.M) {
	os.Exit(overhead.Main(m, overhead.Programs{
		Driver: func() (drivers.Driver, error) { return franz.New(), nil },
		Direct: map[string]func(string) (overhead.Direct, error){"direct": newDirect},
	}))
}

// BenchmarkOverhead compares the driver with a program that is written on kgo.
func BenchmarkOverhead(b *testing.B) { overhead.Benchmark(b, "direct") }

// BenchmarkOverheadSeldomCollected does so while Go's runtime collects garbage at a fifth of
// its times: the driver's process has some megabytes more in use, after which the runtime
// collects less often, and so the program on kgo has the dearer collections.
func BenchmarkOverheadSeldomCollected(b *testing.B) {
	b.Setenv("GOGC", "400")
	overhead.Benchmark(b, "direct")
}

type direct struct{ cl *kgo.Client }

func newDirect(servers string) (overhead.Direct, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(servers), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.ProducerLinger(5*time.Millisecond),
		kgo.ProducerBatchMaxBytes(131072), kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.MaxBufferedRecords(500_000))
	return direct{cl}, err
}

func (d direct) Play(count int) error {
	var values overhead.Values
	var failed atomic.Int64
	report := func(_ *kgo.Record, err error) {
		if err != nil {
			failed.Add(1)
		}
	}
	ctx := context.Background()
	for n := range count {
		d.cl.Produce(ctx, &kgo.Record{Topic: overhead.Topic, Value: values.Next(n)}, report)
	}
	if err := d.cl.Flush(ctx); err != nil {
		return err
	}
	if n := failed.Load(); n > 0 {
		return fmt.Errorf("%d records failed", n)
	}
	return nil
}

func (d direct) Close() { d.cl.Close() }
