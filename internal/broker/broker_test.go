package broker

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/evidence"
)

// patience bounds what must happen; brief bounds what must not.
const (
	patience = 10 * time.Second
	brief    = 150 * time.Millisecond
)

func withTimeout(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func start(t testing.TB, nodes int) *Embedded {
	t.Helper()
	e, err := StartEmbedded(nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func reader(t testing.TB, e *Embedded) *Reader {
	t.Helper()
	r, err := NewReader(e.Addrs(), e.Access())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// cluster is three nodes, a reader and the topic "orders".
func cluster(t testing.TB, partitions int32) (*Embedded, *Reader) {
	t.Helper()
	e := start(t, 3)
	r := reader(t, e)
	if _, err := r.CreateTopics(withTimeout(t, patience), []Topic{{Name: "orders", Partitions: partitions}}); err != nil {
		t.Fatal(err)
	}
	return e, r
}

// producer writes to the partitions that its records name.
func producer(t testing.TB, e *Embedded, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	opts = append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	for _, addr := range e.Addrs() {
		opts = append(opts, kgo.SeedBrokers(addr))
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// order is a record with identities, and how it must read back.
func order(n int) (*kgo.Record, evidence.LogRecord) {
	id := evidence.RecordID{Role: "orders", N: n}
	key, value := fmt.Sprintf("order-%04d", n), fmt.Sprintf("payment-%04d", n)
	send := evidence.SendID{Instance: 1, Ordinal: n, Sum: evidence.Checksum([]byte(key), []byte(value), id)}
	sent := &kgo.Record{
		Topic: "orders", Key: []byte(key), Value: []byte(value),
		Headers: []kgo.RecordHeader{
			{Key: evidence.IDHeader, Value: []byte(id.String())},
			{Key: evidence.SendHeader, Value: []byte(send.String())},
		},
	}
	return sent, evidence.LogRecord{Key: key, ID: id, Send: send, Sum: send.Sum}
}

// produce writes orders first to last, each in a batch of its own, and returns
// how they must read back, the first of them at offset at.
func produce(t testing.TB, cl *kgo.Client, partition int32, at int64, first, last int) []evidence.LogRecord {
	t.Helper()
	var want []evidence.LogRecord
	for n := first; n <= last; n++ {
		sent, read := order(n)
		sent.Partition = partition
		read.Offset = at + int64(n-first)
		want = append(want, read)
		if err := cl.ProduceSync(withTimeout(t, patience), sent).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

func producerID(t testing.TB, cl *kgo.Client) (int64, int16) {
	t.Helper()
	id, epoch, err := cl.ProducerID(withTimeout(t, patience))
	if err != nil {
		t.Fatal(err)
	}
	return id, epoch
}
