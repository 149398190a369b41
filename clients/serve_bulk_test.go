package clients_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
)

// bulkTest has the honest program, a cluster, and a limit for each call.
type bulkTest struct {
	*testing.T
	drivers.Running
	cluster drivertest.Cluster
}

func newBulkTest(t *testing.T) bulkTest {
	t.Helper()
	running, err := start(t, doctored("honest"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		running.Close()
		if err := running.Fault(); err != nil {
			t.Error(err)
		}
	})
	return bulkTest{t, running, kfaketest.New(t)}
}

func (t bulkTest) context() context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func (t bulkTest) settings(pairs map[string]string) drivers.Settings {
	config := maps.Clone(t.cluster.Config())
	maps.Copy(config, pairs)
	return drivers.Settings{Config: config}
}

func (t bulkTest) topic(partitions int32) string {
	t.Helper()
	name, err := t.cluster.CreateTopic(t.context(), partitions)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func (t bulkTest) producer(pairs map[string]string) drivers.BulkProducer {
	t.Helper()
	p, err := t.NewProducer(t.settings(pairs))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p.(drivers.BulkProducer)
}

func (t bulkTest) transactional(id string) drivers.TransactionalProducer {
	t.Helper()
	p, err := t.NewTransactionalProducer(t.settings(map[string]string{"transactional.id": id}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	if err := p.Init(t.context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// read is the values of visible records, sorted, and how many transactions they are of.
func (t bulkTest) read(topic string) (values []string) {
	t.Helper()
	log, err := t.cluster.Log(t.context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range log {
		if r.State == drivertest.Visible {
			values = append(values, string(r.Key)+"="+string(r.Value))
		}
	}
	return slices.Sorted(slices.Values(values))
}

// TestRate: the last of 60 records at 200 a second is due 295 ms after the first. That
// the broker takes no answer meanwhile would show in all latencies.
func TestRate(t *testing.T) {
	b := newBulkTest(t)
	made, err := b.producer(map[string]string{"linger.ms": "0"}).ProduceMany(b.context(),
		drivers.Bulk{Topic: b.topic(1), Partition: 0, Count: 60, Rate: 200, ValueBytes: 10}, func(drivers.Reported) {})
	if err != nil {
		t.Fatal(err)
	}
	if made.Elapsed < 295*time.Millisecond {
		t.Errorf("60 records at 200 a second took %s, expected 295ms at least", made.Elapsed)
	}
	if len(made.Latencies) != 60 {
		t.Fatalf("expected 60 latencies, got %d", len(made.Latencies))
	}
	for n, us := range made.Latencies {
		late := made.Elapsed - time.Duration(n)*5*time.Millisecond
		if us == 0 || time.Duration(us)*time.Microsecond > late+time.Microsecond {
			t.Errorf("record %d: expected a latency of %s at most, got %d us", n, late, us)
		}
	}
	if made.Allocated == nil || made.Allocated.Objects <= 0 || made.Allocated.Bytes <= 0 {
		t.Errorf("expected allocations, got %+v", made.Allocated)
	}
}

// TestRateOfWhatFails: a record that is refused has no latency.
func TestRateOfWhatFails(t *testing.T) {
	b := newBulkTest(t)
	var failed int64
	made, err := b.producer(map[string]string{"batch.size": "600"}).ProduceMany(b.context(),
		drivers.Bulk{Topic: b.topic(1), Partition: 0, Count: 3, Rate: 1000, ValueBytes: 1000}, func(r drivers.Reported) {
			if r.Outcome == drivers.Failed {
				failed += r.Count
			}
		})
	want := []uint32{drivers.LatencyUnknown, drivers.LatencyUnknown, drivers.LatencyUnknown}
	if err != nil || failed != 3 || !slices.Equal(made.Latencies, want) {
		t.Errorf("expected 3 records that failed without a latency, got %d and %d: %v", failed, made.Latencies, err)
	}
}

// TestBulkTransactions: 25 records in transactions of 10 are three.
func TestBulkTransactions(t *testing.T) {
	b := newBulkTest(t)
	topic := b.topic(2)
	p := b.transactional("kcompare-bulk").(drivers.BulkProducer)
	var acked int64
	made, err := p.ProduceMany(b.context(), drivers.Bulk{Topic: topic, Partition: drivers.AnyPartition, Count: 25, Keys: 3, Transaction: 10},
		func(r drivers.Reported) {
			if r.Outcome == drivers.Acked {
				acked += r.Count
			}
		})
	if err != nil || acked != 25 || len(made.Latencies) != 3 {
		t.Fatalf("expected 25 records in 3 transactions, got %d in %d: %v", acked, len(made.Latencies), err)
	}
	if got := b.read(topic); len(got) != 25 || got[0] != "key-0=0" {
		t.Errorf("expected 25 visible records from key-0=0 on, got %q", got)
	}
	for n, us := range made.Latencies {
		if us == 0 || time.Duration(us)*time.Microsecond > made.Elapsed {
			t.Errorf("transaction %d: %d us of %s", n, us, made.Elapsed)
		}
	}
}

// TestBulkTransactionsThatFail: a transaction that cannot begin ends the call.
func TestBulkTransactionsThatFail(t *testing.T) {
	b := newBulkTest(t)
	p := b.transactional("kcompare-bulk")
	if err := p.Begin(b.context()); err != nil {
		t.Fatal(err)
	}
	_, err := p.(drivers.BulkProducer).ProduceMany(b.context(),
		drivers.Bulk{Topic: b.topic(1), Partition: 0, Count: 25, Transaction: 10}, func(drivers.Reported) {})
	if err == nil || !strings.Contains(err.Error(), "begin") {
		t.Errorf("expected the error of begin, got %v", err)
	}
}

// TestProcessMany: what was written is what was read, and the group stands behind it.
func TestProcessMany(t *testing.T) {
	b := newBulkTest(t)
	in, out := b.topic(2), b.topic(1)
	if _, err := b.producer(nil).ProduceMany(b.context(), drivers.Bulk{Topic: in, Partition: drivers.AnyPartition, Count: 100, Keys: 9},
		func(drivers.Reported) {}); err != nil {
		t.Fatal(err)
	}
	consumer, err := b.NewConsumer(b.settings(map[string]string{"group.id": "kcompare-bulk", "auto.offset.reset": "earliest", "isolation.level": "read_committed"}))
	if err != nil {
		t.Fatal(err)
	}
	defer consumer.Close()
	if err := consumer.Subscribe(b.context(), []string{in}); err != nil {
		t.Fatal(err)
	}
	done, err := b.transactional("kcompare-bulk").(drivers.BulkProcessor).ProcessMany(b.context(),
		drivers.Processing{Consumer: consumer, Topic: out, Count: 100, Transaction: 10})
	if err != nil || done.Records != 100 || len(done.Latencies) == 0 || len(done.Latencies) > 100 || done.Elapsed <= 0 || done.Allocated == nil {
		t.Fatalf("expected 100 records in some transactions, got %+v: %v", done, err)
	}
	if diff := cmp.Diff(b.read(in), b.read(out)); diff != "" {
		t.Errorf("the output differs from the input (-in +out):\n%s", diff)
	}
	stored, err := b.cluster.Offsets(b.context(), "kcompare-bulk")
	var sum int64
	for _, p := range stored {
		sum += p.Offset
	}
	if err != nil || sum != 100 {
		t.Errorf("expected offsets of the group behind 100 records, got %v: %v", stored, err)
	}
}
