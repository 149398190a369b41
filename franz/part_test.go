package franz

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

// told is what was reported of a part's records, by number.
type told struct {
	mu  sync.Mutex
	all map[int64]drivers.Delivery
	bad []string
}

func (r *told) report(run drivers.Reported) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[int64]drivers.Delivery{}
	}
	for n := run.First; n < run.First+run.Count; n++ {
		if _, twice := r.all[n]; twice {
			r.bad = append(r.bad, fmt.Sprintf("record %d is reported twice", n))
		}
		r.all[n] = run.Delivery
		run.Offset++
	}
}

func (r *told) part(partition int32, first, end int64) drivers.BulkPart {
	return drivers.BulkPart{
		Topic: "orders", Partition: partition, First: first, End: end, Longest: 30, Report: r.report,
		Record: func(n int64) (key, value []byte) { return fmt.Appendf(nil, "key-%d", n%7), fmt.Appendf(nil, "%d.", n) },
	}
}

func partProducer(t *testing.T, servers, room string, alone bool) drivers.Producer {
	t.Helper()
	p, err := New().NewProducer(drivers.Settings{OneRecordPerBatch: alone, Config: map[string]string{
		"bootstrap.servers": servers, "queue.buffering.max.messages": room, "linger.ms": "0",
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProducePart: each record is reported once, where the log has it, though the buffer
// takes a few at a time; and a partition that is named is kept.
func TestProducePart(t *testing.T) {
	cluster := newSeen(t)
	p := partProducer(t, cluster.servers(), "100", false)
	defer p.Close()
	var reports told
	const chosen, count = 2000, 3000
	p.(drivers.PartProducer).ProducePart(t.Context(), reports.part(drivers.AnyPartition, 0, chosen))
	p.(drivers.PartProducer).ProducePart(t.Context(), reports.part(1, chosen, count))
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(inLog(t, cluster, count), reports.all); diff != "" || len(reports.bad) > 0 {
		t.Errorf("reports (-log +reported):\n%s\n%s", diff, reports.bad)
	}
	for n := int64(chosen); n < count; n++ {
		if at := reports.all[n].Partition; at != 1 {
			t.Fatalf("record %d was for partition 1 and is in %d", n, at)
		}
	}
}

// TestProducePartAlone: records that are to have a batch of their own have one in a part, too.
func TestProducePartAlone(t *testing.T) {
	cluster := newSeen(t)
	var largest atomic.Int32
	cluster.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		for _, topic := range req.(*kmsg.ProduceRequest).Topics {
			for _, p := range topic.Partitions {
				largest.Store(max(largest.Load(), int32(binary.BigEndian.Uint32(p.Records[57:])))) // records of the batch
			}
		}
		return nil, nil, false
	})
	p := partProducer(t, cluster.servers(), "100", true)
	defer p.Close()
	var reports told
	p.(drivers.PartProducer).ProducePart(t.Context(), reports.part(1, 0, 50))
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(reports.all) != 50 || largest.Load() != 1 {
		t.Errorf("%d of 50 records are reported, and a batch has up to %d, expected 1", len(reports.all), largest.Load())
	}
}

// inLog is where each number stands.
func inLog(t *testing.T, cluster *seen, count int) map[int64]drivers.Delivery {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.ConsumeTopics("orders"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	all := map[int64]drivers.Delivery{}
	for len(all) < count {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			t.Fatalf("%d of %d records came", len(all), count)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			n, _ := drivers.BulkNumber(r.Value)
			all[n] = drivers.Delivery{Outcome: drivers.Acked, Partition: r.Partition, Offset: r.Offset}
		})
	}
	return all
}

// TestProducePartThatEnds: records for which there is no room fail when the context has
// ended, and those in the buffer when the producer is closed.
func TestProducePartThatEnds(t *testing.T) {
	p := partProducer(t, refusing(t), "10", false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var reports told
	p.(drivers.PartProducer).ProducePart(ctx, reports.part(drivers.AnyPartition, 0, 30))
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if len(reports.all) != 30 || len(reports.bad) > 0 {
		t.Fatalf("%d of 30 records are reported, %q", len(reports.all), reports.bad)
	}
	for n, d := range reports.all {
		if d.Outcome != drivers.Failed || d.Err == nil {
			t.Errorf("record %d: expected that it failed, got %+v", n, d)
		}
	}
}

// TestRunsOfAPart: what stands one behind the other, by numbers and offsets, is one run only
// where it is in one partition.
func TestRunsOfAPart(t *testing.T) {
	p := partProducer(t, "127.0.0.1:1", "100", false).(*producer)
	defer p.Close()
	var runs []drivers.Reported
	records := []kgo.Record{{Partition: 0, Offset: 4}, {Partition: 0, Offset: 5}, {Partition: 1, Offset: 6}, {Partition: 1, Offset: 8}}
	part := &partReports{producer: p, left: int64(len(records)), report: func(r drivers.Reported) { runs = append(runs, r) }}
	p.pending.AddAll(part.left)
	for n := range records {
		records[n].Value = fmt.Appendf(nil, "%d.", n)
		part.promised(&records[n], nil)
	}
	want := []drivers.Reported{
		{First: 0, Count: 2, Delivery: drivers.Delivery{Outcome: drivers.Acked, Partition: 0, Offset: 4}},
		{First: 2, Count: 1, Delivery: drivers.Delivery{Outcome: drivers.Acked, Partition: 1, Offset: 6}},
		{First: 3, Count: 1, Delivery: drivers.Delivery{Outcome: drivers.Acked, Partition: 1, Offset: 8}},
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}
