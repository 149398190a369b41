package clients_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/drivers/memory"
)

// inMemory is a program whose library costs next to nothing, so that what is measured is
// the way to it and back.
func inMemory() error {
	d := memory.New(memory.Honest)
	d.Broker().CreateTopic(benchTopic, 3)
	return clients.Serve(os.Stdin, os.Stdout, d)
}

const benchTopic = "payments"

func benchProducer(b *testing.B) drivers.Producer {
	running, err := start(b, doctored("in memory"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(running.Close)
	p, err := running.NewProducer(drivers.Settings{Config: map[string]string{"bootstrap.servers": memory.Address}})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkProduce sends records of 100 bytes one by one.
func BenchmarkProduce(b *testing.B) {
	p := benchProducer(b)
	ctx := context.Background()
	record := drivers.Record{Topic: benchTopic, Value: []byte(strings.Repeat("x", 100)), Key: []byte("key-1"),
		Headers: []drivers.Header{{Key: "kc-id", Value: []byte("5")}, {Key: "kc-send", Value: []byte("0:1:89abcdef")}}}
	for b.Loop() {
		p.Produce(ctx, record, func(drivers.Delivery) {})
	}
	if err := p.Flush(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkProduceMany has the program make them.
func BenchmarkProduceMany(b *testing.B) {
	p := benchProducer(b).(drivers.BulkProducer)
	b.ResetTimer()
	lines := 0
	bulk := drivers.Bulk{Topic: benchTopic, Partition: 0, Count: int64(b.N), Keys: 1000, ValueBytes: 100}
	if _, err := p.ProduceMany(context.Background(), bulk, func(drivers.Reported) { lines++ }); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(lines), "lines")
}
