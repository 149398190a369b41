package sarama

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
)

const long = 20 * time.Second

// reports counts what was told of records, by outcome and code.
type reports struct {
	mu  sync.Mutex
	all map[string]int
}

func (r *reports) add(d drivers.Delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]int{}
	}
	told := d.Outcome.String()
	if d.Err != nil {
		told += " " + d.Err.Code
	}
	r.all[told]++
}

func (r *reports) snapshot() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]int{}
	for told, n := range r.all {
		all[told] = n
	}
	return all
}

func start(t *testing.T, partitions int32) (context.Context, drivertest.Cluster, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	t.Cleanup(cancel)
	cluster := kfaketest.New(t)
	topic, err := cluster.CreateTopic(ctx, partitions)
	if err != nil {
		t.Fatal(err)
	}
	return ctx, cluster, topic
}

func produce(ctx context.Context, p drivers.Producer, topic string, n int) *reports {
	var r reports
	for i := range n {
		p.Produce(ctx, drivers.Record{Topic: topic, Value: fmt.Append(nil, i)}, r.add)
	}
	return &r
}

// TestCloseGivesUp: of records that linger sarama says nothing until their time is up.
// Nobody waits for that, and nothing of them is written any more.
func TestCloseGivesUp(t *testing.T) {
	ctx, cluster, topic := start(t, 1)
	config := cluster.Config()
	config["linger.ms"] = "600000"
	p, err := New().NewProducer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	r := produce(ctx, p, topic, 600) // more than one channel holds
	began := time.Now()
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 2*patience {
		t.Errorf("close took %v", took)
	}
	if n := r.snapshot()["acked"]; n > 0 {
		t.Errorf("%d records were acked", n)
	}
	if log, err := cluster.Log(ctx, topic); err != nil || len(log) > 0 {
		t.Errorf("the log has %d records: %v", len(log), err)
	}
	after := produce(ctx, p, topic, 1).snapshot()
	if diff := cmp.Diff(map[string]int{"failed CLOSED": 1}, after); diff != "" {
		t.Errorf("a record after Close (-want +got):\n%s", diff)
	}
}

// TestClosePlainly: sarama's own close writes what lingers.
func TestClosePlainly(t *testing.T) {
	ctx, cluster, topic := start(t, 1)
	config := cluster.Config()
	config["linger.ms"] = "300"
	p, err := New().NewProducer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	r := produce(ctx, p, topic, 20)
	if err := p.(drivers.PlainCloser).ClosePlainly(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]int{"acked": 20}, r.snapshot()); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	if log, err := cluster.Log(ctx, topic); err != nil || len(log) != 20 {
		t.Errorf("the log has %d records of 20: %v", len(log), err)
	}
}

// TestNoProducer: what was handed to a producer that sarama could not make was not sent,
// and the producer is dead.
func TestNoProducer(t *testing.T) {
	d := deliver(t, pairs("bootstrap.servers=127.0.0.1:1 retry.backoff.ms=1"), drivers.Record{Topic: "t"})
	if d.Outcome != drivers.Failed || d.Err.Class != drivers.Fatal || d.Err.Code != "ErrOutOfBrokers" {
		t.Errorf("got %s: %v", d.Outcome, d.Err)
	}
}

// TestCommitAfterFailure: sarama refuses to commit after a record has failed, and goes
// on after an abort.
func TestCommitAfterFailure(t *testing.T) {
	ctx, cluster, topic := start(t, 1)
	config := cluster.Config()
	config["transactional.id"] = "t"
	p, err := New().NewTransactionalProducer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	if err := errors.Join(p.Init(ctx), p.Begin(ctx)); err != nil {
		t.Fatal(err)
	}
	produce(ctx, p, topic, 1)
	var large reports
	p.Produce(ctx, drivers.Record{Topic: topic, Value: make([]byte, 2<<20)}, large.add)
	outcome, err := p.Commit(ctx)
	if outcome != drivers.TransactionUnknown || drivers.ClassOf(err) != drivers.Abortable {
		t.Errorf("commit after a failure: %s, %v", outcome, err)
	}
	if err := p.Flush(ctx); err != nil { // a commit that fails does not wait for the last reports
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]int{"failed ConfigurationError": 1}, large.snapshot()); diff != "" {
		t.Errorf("reports of the large record (-want +got):\n%s", diff)
	}
	if outcome, err := p.Abort(ctx); outcome != drivers.Aborted || err != nil {
		t.Errorf("abort: %s, %v", outcome, err)
	}
	if err := p.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	produce(ctx, p, topic, 1)
	if outcome, err := p.Commit(ctx); outcome != drivers.Committed || err != nil {
		t.Errorf("commit of the next transaction: %s, %v", outcome, err)
	}
}

// TestBeforeInit: nothing is sent before a producer id is there.
func TestBeforeInit(t *testing.T) {
	ctx, cluster, topic := start(t, 1)
	config := cluster.Config()
	config["transactional.id"] = "t"
	p, err := New().NewTransactionalProducer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	if err := p.Begin(ctx); drivers.ClassOf(err) != drivers.Application {
		t.Errorf("begin: %v", err)
	}
	if diff := cmp.Diff(map[string]int{"failed NOT_INITIALIZED": 1}, produce(ctx, p, topic, 1).snapshot()); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}
