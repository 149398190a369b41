package broker

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// What was written stands where the records say, in their order, whoever leads
// the partitions by now, and it came over connections that the reader lists.
func TestWrite(t *testing.T) {
	e, r := cluster(t, 3)
	for p := range int32(3) {
		if err := e.PlaceLeader("orders", p, 2-p); err != nil {
			t.Fatal(err)
		}
	}
	var records []drivers.Record
	want := map[int32][]evidence.LogRecord{}
	for n := range 30 {
		partition := int32(n % 2 * 2) // nothing for partition 1
		sent, read := order(n)
		record := drivers.Record{Topic: "orders", Partition: partition, Key: sent.Key, Value: sent.Value}
		for _, h := range sent.Headers {
			record.Headers = append(record.Headers, drivers.Header{Key: h.Key, Value: h.Value})
		}
		read.Offset = int64(len(want[partition]))
		records, want[partition] = append(records, record), append(want[partition], read)
	}
	if err := r.Write(withTimeout(t, patience), records); err != nil {
		t.Fatal(err)
	}
	got := map[int32][]evidence.LogRecord{}
	for _, p := range readLog(t, r, nil).Partitions {
		for _, b := range p.Batches {
			got[p.Partition] = append(got[p.Partition], b.Records...)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	known := map[string]bool{}
	for _, addr := range r.Connections() {
		known[addr] = true
	}
	if strangers := e.Strangers(known); len(strangers) > 0 {
		t.Errorf("strangers %v, connections %v", strangers, slices.Sorted(maps.Keys(known)))
	}
}

func TestWriteNothing(t *testing.T) {
	r := reader(t, start(t, 1))
	if err := r.Write(withTimeout(t, patience), nil); err != nil {
		t.Error(err)
	}
}

func TestWriteRefused(t *testing.T) {
	_, r := cluster(t, 1)
	err := r.Write(withTimeout(t, patience), []drivers.Record{{Topic: "orders", Partition: 7, Value: []byte("v")}})
	if err == nil || !strings.HasPrefix(err.Error(), "write 1 records: ") {
		t.Errorf("a partition that is not there: error %v", err)
	}
}

// A topic has the settings that it was created with: this broker refuses a record
// that another topic takes.
func TestTopicConfig(t *testing.T) {
	e := start(t, 1)
	r := reader(t, e)
	topics := []Topic{
		{Name: "orders", Partitions: 1},
		{Name: "small", Partitions: 1, Config: map[string]string{"max.message.bytes": "1000", "retention.ms": "-1"}},
	}
	if _, err := r.CreateTopics(withTimeout(t, patience), topics); err != nil {
		t.Fatal(err)
	}
	cl := producer(t, e, kgo.ProducerBatchCompression(kgo.NoCompression()))
	for _, test := range []struct {
		topic string
		size  int
		want  error
	}{
		{"orders", 2000, nil},
		{"small", 500, nil},
		{"small", 2000, kerr.MessageTooLarge},
	} {
		err := cl.ProduceSync(withTimeout(t, patience), &kgo.Record{Topic: test.topic, Value: make([]byte, test.size)}).FirstErr()
		if !errors.Is(err, test.want) {
			t.Errorf("%d bytes to %s: error %v, expected %v", test.size, test.topic, err, test.want)
		}
	}
}

// TestAwaitEnds: it returns when the log is long enough, and at the deadline names a
// partition that is not.
func TestAwaitEnds(t *testing.T) {
	_, r := cluster(t, 3)
	at := TopicPartition{Topic: "orders", Partition: 1}
	sent, _ := order(1)
	written := make(chan error, 1)
	go func() {
		written <- r.Write(withTimeout(t, patience), []drivers.Record{{Topic: at.Topic, Partition: at.Partition, Key: sent.Key}})
	}()
	if err := r.AwaitEnds(withTimeout(t, patience), map[TopicPartition]int64{at: 1}); err != nil {
		t.Error(err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	err := r.AwaitEnds(withTimeout(t, 500*time.Millisecond), map[TopicPartition]int64{at: 2})
	if err == nil || !strings.Contains(err.Error(), "orders-1 ends at offset 1, expected 2") {
		t.Errorf("error is %v, expected one that names orders-1", err)
	}
}
