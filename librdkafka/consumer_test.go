//go:build cgo

package librdkafka

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

var partition0 = drivers.TopicPartition{Topic: topic, Partition: 0}

func newTestConsumer(t *testing.T, s drivers.Settings) drivers.Consumer {
	t.Helper()
	c, err := newDriver(t).NewConsumer(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// While a transaction is open the coordinator answers UNSTABLE_OFFSET_COMMIT
// (KIP-447). The transaction is committed only when that was said several times.
func TestCommittedWaitsForTransaction(t *testing.T) {
	const group = "kcompare-undecided"
	cluster := newCluster(t)
	asked := make(chan struct{}, 100)
	cluster.ControlKey(kmsg.OffsetFetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		asked <- struct{}{}
		return nil, nil, false
	})
	c := newTestConsumer(t, settings(cluster.ListenAddrs()[0], "group.id", group))
	if err := c.Commit(within(t, deadline), []drivers.Position{{TopicPartition: partition0, Offset: 0}}); err != nil {
		t.Fatal(err)
	}
	p := newTransactional(t, cluster.ListenAddrs()[0])
	begin(t, p)
	want := []drivers.Position{{TopicPartition: partition0, Offset: 1}}
	if err := p.SendOffsets(within(t, deadline), want, drivers.GroupMetadata{Group: group}); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		stored []drivers.Position
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		stored, err := c.Committed(within(t, deadline), []drivers.TopicPartition{partition0})
		answers <- answer{stored, err}
	}()
	for n := range 5 {
		select {
		case <-asked:
		case early := <-answers:
			t.Fatalf("Committed returned %v, %v after %d requests, with the transaction open", early.stored, early.err, n)
		}
	}
	if outcome, err := p.Commit(within(t, deadline)); outcome != drivers.Committed {
		t.Fatal(outcome, err)
	}
	got := <-answers
	if diff := cmp.Diff(want, got.stored); diff != "" || got.err != nil {
		t.Errorf("Committed after the transaction (-want +got):\n%s\nerror: %v", diff, got.err)
	}
}

func TestNoGroup(t *testing.T) {
	c := newTestConsumer(t, settings(newCluster(t).ListenAddrs()[0]))
	ctx := within(t, deadline)
	_, committed := c.Committed(ctx, []drivers.TopicPartition{partition0})
	for call, err := range map[string]error{
		"subscribe": c.Subscribe(ctx, []string{topic}),
		"commit":    c.Commit(ctx, []drivers.Position{{TopicPartition: partition0, Offset: 1}}),
		"committed": committed,
	} {
		var e *drivers.Error
		if !errors.As(err, &e) || e.Call != call || e.Class != drivers.Application || e.Code != "_UNKNOWN_GROUP" {
			t.Errorf("%s: %v, want _UNKNOWN_GROUP of class %s", call, err, drivers.Application)
		}
	}
	group, err := c.GroupMetadata()
	if diff := cmp.Diff(drivers.GroupMetadata{}, group); diff != "" || err != nil {
		t.Errorf("GroupMetadata (-want +got):\n%s\nerror: %v", diff, err)
	}
}

// Lost brokers are librdkafka's to find again: they are logged, and Poll goes on.
func TestPollGoesOnWithoutBroker(t *testing.T) {
	s := settings(deadAddress(t), "group.id", "kcompare-lost")
	lines := make(chan string, 1000)
	s.Log = func(line string) {
		select {
		case lines <- line:
		default:
		}
	}
	c := newTestConsumer(t, s)
	ctx, cancel := context.WithCancel(within(t, deadline))
	if err := c.Subscribe(ctx, []string{topic}); err != nil {
		t.Fatal(err)
	}
	polled := make(chan error, 1)
	go func() {
		_, err := c.Poll(ctx)
		polled <- err
	}()
	for told := false; !told; {
		select {
		case line := <-lines:
			told = strings.Contains(line, "_ALL_BROKERS_DOWN")
		case err := <-polled:
			t.Fatalf("Poll ended before its context: %v", err)
		case <-ctx.Done():
			t.Fatalf("no _ALL_BROKERS_DOWN was logged within %v", deadline)
		}
	}
	cancel()
	if err := <-polled; err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// With auto-commit librdkafka's own close waits for the answer to the last
// commit, which does not come here until the test has seen that Close returns.
func TestCloseIsBounded(t *testing.T) {
	cluster := newCluster(t)
	addr := cluster.ListenAddrs()[0]
	release := make(chan struct{})
	cluster.ControlKey(kmsg.OffsetCommit.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.SleepControl(func() { <-release })
		return nil, nil, false
	})
	r := newReports()
	p := newTestProducer(t, settings(addr))
	produce(t.Context(), p, r, 0)
	if err := errors.Join(p.Flush(within(t, deadline)), p.Close()); err != nil {
		t.Fatal(err)
	}
	c := newTestConsumer(t, settings(addr, "group.id", "kcompare-close", "enable.auto.commit", "true", "auto.offset.reset", "earliest"))
	ctx := within(t, deadline)
	if err := c.Subscribe(ctx, []string{topic}); err != nil {
		t.Fatal(err)
	}
	records, err := c.Poll(ctx)
	if len(records) != 1 || err != nil {
		t.Fatalf("Poll = %v, %v; want one record", records, err)
	}
	before := time.Now()
	err = c.Close()
	var e *drivers.Error
	if !errors.As(err, &e) || e.Call != "close" || e.Code != "_TIMED_OUT" {
		t.Errorf("Close = %v, want _TIMED_OUT", err)
	}
	if took := time.Since(before); took > prompt {
		t.Errorf("Close took %v, want at most %v", took, prompt)
	}
	close(release)
	waitUntilGone(t)
}

// librdkafka forgets its position at a seek. Only a record, or another
// assignment, may make the driver forget where that seek went.
func TestPositionsAfterSeek(t *testing.T) {
	addr := newCluster(t).ListenAddrs()[0]
	r, p := newReports(), newTestProducer(t, settings(addr))
	for n := range 3 {
		produce(t.Context(), p, r, n)
	}
	if err := p.Flush(within(t, deadline)); err != nil {
		t.Fatal(err)
	}
	c := newTestConsumer(t, settings(addr))
	ctx := within(t, deadline)
	from := []drivers.Position{{TopicPartition: partition0, Offset: drivers.OffsetStart}}
	if err := c.Assign(ctx, from); err != nil {
		t.Fatal(err)
	}
	positions := func(want ...drivers.Position) {
		t.Helper()
		got, err := c.Positions()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Positions (-want +got):\n%s\nerror: %v", diff, err)
		}
	}
	at := func(offset int64) drivers.Position {
		return drivers.Position{TopicPartition: partition0, Offset: offset}
	}
	readTo := func(end int64) {
		t.Helper()
		for next := int64(-1); next < end; {
			records, err := c.Poll(ctx)
			if len(records) == 0 {
				t.Fatalf("Poll returned %v, %v before offset %d", records, err, end)
			}
			next = records[len(records)-1].Offset + 1
		}
	}
	seek := func(offset int64) {
		t.Helper()
		if err := c.Seek(ctx, at(offset)); err != nil {
			t.Fatal(err)
		}
	}
	positions()
	readTo(3)
	positions(at(3))
	seek(1)
	positions(at(1))
	readTo(3)
	positions(at(3))
	seek(1)
	if err := c.Assign(ctx, from); err != nil {
		t.Fatal(err)
	}
	positions()
}

func TestRevokedPartitionIsForgotten(t *testing.T) {
	other := drivers.TopicPartition{Topic: topic, Partition: 1}
	c := newTestConsumer(t, settings(newCluster(t).ListenAddrs()[0], "group.id", "kcompare-revoked")).(*consumer)
	c.sought, c.returned = map[drivers.TopicPartition]int64{partition0: 5, other: 6}, 7
	name := topic
	revoked := kafka.RevokedPartitions{Partitions: []kafka.TopicPartition{{Topic: &name, Partition: 0}}}
	if err := c.rebalanced(c.lib, revoked); err != nil {
		t.Fatal(err)
	}
	told := []drivers.Rebalance{{Change: drivers.Revoked, Partitions: []drivers.TopicPartition{partition0}, After: 7}}
	if diff := cmp.Diff(told, c.Rebalances()); diff != "" {
		t.Errorf("rebalances (-want +got):\n%s", diff)
	}
	if again := c.Rebalances(); len(again) > 0 {
		t.Errorf("told again: %+v", again)
	}
	if diff := cmp.Diff(map[drivers.TopicPartition]int64{other: 6}, c.sought); diff != "" {
		t.Errorf("sought positions (-want +got):\n%s", diff)
	}
}

// kfake answers GROUP_ID_NOT_FOUND, Apache Kafka that there is no offset.
func TestCommittedOfNewGroup(t *testing.T) {
	c := newTestConsumer(t, settings(newCluster(t).ListenAddrs()[0], "group.id", "kcompare-new"))
	stored, err := c.Committed(within(t, deadline), []drivers.TopicPartition{partition0})
	if len(stored) > 0 || err != nil {
		t.Errorf("Committed = %v, %v; want nothing", stored, err)
	}
}
