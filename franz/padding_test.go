package franz

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/drivers/drivertest/kfaketest"
)

// The sizes around what a batch can hold, small records behind large ones and
// the other way round, all lingering so that kgo would fill batches if it could.
func TestOneRecordPerBatch(t *testing.T) {
	sizes := map[string][]int{
		"small":             {0, 1, 10, 50, 100, 150, 200, 10, 10, 200, 200},
		"up to the limit":   {100, 210, 215, 220, 225, 230, 300, 400, 430, 10, 10, 430, 10},
		"large first":       {3000, 10, 10, 1, 3000, 5900, 10, 2999, 3001, 10},
		"just over half":    {220, 220, 221, 222, 223, 224, 225, 0, 0},
		"large, within 1 M": {900000, 5, 5, 5},
	}
	cluster := kfaketest.New(t)
	for name, values := range sizes {
		t.Run(name, func(t *testing.T) {
			topic, err := cluster.CreateTopic(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			config := map[string]string{"bootstrap.servers": cluster.Config()["bootstrap.servers"], "linger.ms": "50", "compression.type": "lz4"}
			p, err := New().NewProducer(drivers.Settings{Config: config, OneRecordPerBatch: true})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			var got reports
			for i, size := range values {
				value := append([]byte(strconv.Itoa(i)+":"), bytes.Repeat([]byte{'v'}, size)...)
				p.Produce(t.Context(), drivers.Record{Topic: topic, Partition: 0, Key: []byte("k"), Value: value}, got.of(strconv.Itoa(i)))
			}
			if err := p.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i, ds := range got.snapshot() {
				if len(ds) != 1 || ds[0].Outcome != drivers.Acked {
					t.Errorf("record %s: %+v", i, ds)
				}
			}
			log, err := cluster.Log(t.Context(), topic)
			if err != nil {
				t.Fatal(err)
			}
			if len(log) != len(values) {
				t.Errorf("%d records in the log, sent %d", len(log), len(values))
			}
			for _, r := range log {
				if r.BatchRecords != 1 {
					t.Errorf("offset %d: %d records in its batch", r.Offset, r.BatchRecords)
				}
			}
		})
	}
}

// Without the padding the same records share batches: the test above can fail.
func TestBatchesAreSharedWithoutPadding(t *testing.T) {
	cluster := kfaketest.New(t)
	topic, err := cluster.CreateTopic(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New().NewProducer(drivers.Settings{Config: map[string]string{
		"bootstrap.servers": cluster.Config()["bootstrap.servers"], "linger.ms": "200"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var got reports
	for i := range 10 {
		p.Produce(t.Context(), drivers.Record{Topic: topic, Value: []byte("v")}, got.of(strconv.Itoa(i)))
	}
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := cluster.Log(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	if len(log) != 10 || log[9].BatchRecords < 2 {
		t.Errorf("%d records, the last one in a batch of %d", len(log), log[len(log)-1].BatchRecords)
	}
}

func TestEncodedLength(t *testing.T) {
	// length 22: attributes, 2 deltas, key 1+1, value 1+5, 1 header of 1+2 and 1+8
	r := &kgo.Record{Key: []byte("k"), Value: []byte("value"), Headers: []kgo.RecordHeader{{Key: "id", Value: []byte("12345678")}}}
	if got, want := encodedLength(r), 1+3+2+6+1+3+9; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
