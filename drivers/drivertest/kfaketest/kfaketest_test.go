package kfaketest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
)

const patience = 20 * time.Second

// start makes a cluster with one topic of one partition.
func start(t *testing.T) (context.Context, drivertest.Cluster, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cluster := kfaketest.New(t)
	topic, err := cluster.CreateTopic(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	return ctx, cluster, topic
}

func client(t *testing.T, cluster drivertest.Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	// One batch for all the records that a test hands over at once.
	opts = append(opts, kgo.SeedBrokers(strings.Split(cluster.Config()["bootstrap.servers"], ",")...), kgo.ProducerLinger(100*time.Millisecond))
	c, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseAllowingRebalance)
	return c
}

func records(topic string, values ...string) []*kgo.Record {
	var rs []*kgo.Record
	for _, v := range values {
		rs = append(rs, &kgo.Record{Topic: topic, Value: []byte(v)})
	}
	return rs
}

// The log tells a record of every fate, compressed batches, and nil from empty.
func TestLogTellsEveryState(t *testing.T) {
	ctx, cluster, topic := start(t)
	plain := client(t, cluster, kgo.ProducerBatchCompression(kgo.SnappyCompression()))
	ended := client(t, cluster, kgo.TransactionalID("ended"))
	open := client(t, cluster, kgo.TransactionalID("open"))
	transact := func(c *kgo.Client, values ...string) error {
		return errors.Join(c.BeginTransaction(), c.ProduceSync(ctx, records(topic, values...)...).FirstErr())
	}
	described := &kgo.Record{
		Topic: topic, Key: []byte{}, Value: nil, Headers: []kgo.RecordHeader{{Key: "nil"}, {Key: "empty", Value: []byte{}}},
	}
	for _, step := range []func() error{
		func() error { return plain.ProduceSync(ctx, records(topic, "a", "b")...).FirstErr() },
		func() error { return transact(ended, "committed") },
		func() error { return ended.EndTransaction(ctx, kgo.TryCommit) },
		func() error { return transact(ended, "aborted") },
		func() error { return ended.EndTransaction(ctx, kgo.TryAbort) },
		func() error { return plain.ProduceSync(ctx, described).FirstErr() },
		func() error { return transact(open, "open") },
		func() error { return plain.ProduceSync(ctx, records(topic, "behind")...).FirstErr() },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}

	at := func(offset int64, value string, state drivertest.State, batch int) drivertest.LogRecord {
		r := drivers.Record{Topic: topic, Offset: offset, Value: []byte(value)}
		return drivertest.LogRecord{Record: r, State: state, BatchRecords: batch}
	}
	want := []drivertest.LogRecord{
		at(0, "a", drivertest.Visible, 2),
		at(1, "b", drivertest.Visible, 2),
		at(2, "committed", drivertest.Visible, 1), // 3 is its marker
		at(4, "aborted", drivertest.Aborted, 1),   // 5 is its marker
		at(6, "", drivertest.Visible, 1),
		at(7, "open", drivertest.Pending, 1),
		at(8, "behind", drivertest.Pending, 1),
	}
	want[4].Key, want[4].Value = []byte{}, nil
	want[4].Headers = []drivers.Header{{Key: "nil"}, {Key: "empty", Value: []byte{}}}
	got, err := cluster.Log(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// A log longer than one Fetch answer is read to its end.
func TestLogReadsOn(t *testing.T) {
	ctx, cluster, topic := start(t)
	c := client(t, cluster, kgo.ProducerBatchCompression(kgo.NoCompression()))
	large := string(make([]byte, 900_000))
	for range 12 {
		if err := c.ProduceSync(ctx, records(topic, large)...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := cluster.Log(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got {
		if r.Offset != int64(i) || len(r.Value) != len(large) {
			t.Errorf("record %d: expected offset %d and %d bytes, got offset %d and %d bytes", i, i, len(large), r.Offset, len(r.Value))
		}
	}
	if len(got) != 12 {
		t.Errorf("expected 12 records, got %d", len(got))
	}
}

func TestOffsets(t *testing.T) {
	ctx, cluster, topic := start(t)
	c := client(t, cluster, kgo.ConsumerGroup("group"), kgo.ConsumeTopics(topic))
	if err := c.ProduceSync(ctx, records(topic, "a", "b")...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := c.PollFetches(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.CommitUncommittedOffsets(ctx); err != nil {
		t.Fatal(err)
	}
	stored := drivers.Position{TopicPartition: drivers.TopicPartition{Topic: topic}, Offset: 2}
	for group, want := range map[string][]drivers.Position{"group": {stored}, "nobody": nil} {
		got, err := cluster.Offsets(ctx, group)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("offsets of %s (-want +got):\n%s", group, diff)
		}
	}
}

// Only the transactional.id that was named loses its requests.
func TestLoseEndTxn(t *testing.T) {
	ctx, cluster, _ := start(t)
	cluster.LoseEndTxn("deaf")
	for id, want := range map[string]drivertest.State{"deaf": drivertest.Pending, "heard": drivertest.Visible} {
		topic, err := cluster.CreateTopic(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := client(t, cluster, kgo.TransactionalID(id))
		if err := errors.Join(c.BeginTransaction(), c.ProduceSync(ctx, records(topic, id)...).FirstErr()); err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		err = c.EndTransaction(short, kgo.TryCommit)
		cancel()
		if lost := err != nil; lost != (want == drivertest.Pending) {
			t.Errorf("commit of %s: %v", id, err)
		}
		if log, err := cluster.Log(ctx, topic); err != nil || len(log) != 1 || log[0].State != want {
			t.Errorf("log after the commit of %s: expected one record, %s, got %v, %v", id, want, log, err)
		}
	}
}
