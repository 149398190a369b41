package drivertest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/drivers"
)

// numbered is n records without a key, told apart by their values
// "payments/0", "payments/1", ... Record i goes to partition i modulo partitions.
func numbered(topic, name string, n int, partitions int32) []drivers.Record {
	records := make([]drivers.Record, n)
	for i := range records {
		value := name + "/" + strconv.Itoa(i)
		records[i] = drivers.Record{Topic: topic, Partition: int32(i) % partitions, Value: []byte(value)}
	}
	return records
}

// decided reads the topic until no record is pending any more: Kafka writes
// the markers of a transaction shortly after it answered EndTxn.
func (s Subject) decided(ctx context.Context, topic string) ([]LogRecord, error) {
	return s.logWhen(ctx, topic, "the end of every transaction", func(log []LogRecord) bool {
		return !slices.ContainsFunc(log, func(r LogRecord) bool { return r.State == Pending })
	})
}

// logWhen reads the topic again and again until it is ready.
func (s Subject) logWhen(ctx context.Context, topic, awaited string, ready func([]LogRecord) bool) ([]LogRecord, error) {
	const pause = 5 * time.Millisecond
	for {
		log, err := s.Cluster.Log(ctx, topic)
		if err != nil || ready(log) {
			return log, err
		}
		select {
		case <-ctx.Done():
			return log, fmt.Errorf("log of %s: %s never came, it has %d records", topic, awaited, len(log))
		case <-time.After(pause):
		}
	}
}

// allIn finds every record of the log that is in another state.
func allIn(want State, log []LogRecord, because string) error {
	var f findings
	for _, r := range log {
		if r.State != want {
			f.add("record %s at %s: expected %s, because %s, got %s", r.Value, placeOf(r.Record), want, because, r.State)
		}
	}
	return f.err()
}

// visible is the records that a read_committed reader gets from the partition,
// from an offset on.
func visible(log []LogRecord, partition int32, from int64) []drivers.Record {
	var records []drivers.Record
	for _, r := range log {
		if r.State == Visible && r.Partition == partition && r.Offset >= from {
			records = append(records, r.Record)
		}
	}
	return records
}

// sameRecords compares records partition by partition: between partitions there
// is no order.
func sameRecords(got, want []drivers.Record) error {
	byPartition := func(a, b drivers.Record) int { return int(a.Partition) - int(b.Partition) }
	got, want = slices.Clone(got), slices.Clone(want)
	slices.SortStableFunc(got, byPartition)
	slices.SortStableFunc(want, byPartition)
	var f findings
	for i := range min(len(got), len(want)) {
		if g, w := plain(got[i]), plain(want[i]); !reflect.DeepEqual(g, w) {
			f.add("expected %s\n     got %s", describe(w), describe(g))
		}
	}
	if len(got) != len(want) {
		f.add("expected %d records, got %d", len(want), len(got))
	}
	return f.err()
}

// plain takes away what a driver may add, and the difference between no headers
// and an empty list of them.
func plain(r drivers.Record) drivers.Record {
	r.Headers = slices.DeleteFunc(slices.Clone(r.Headers), func(h drivers.Header) bool {
		return h.Key == drivers.PaddingHeader
	})
	if len(r.Headers) == 0 {
		r.Headers = nil
	}
	return r
}

// describe shows the difference between nil and empty.
func describe(r drivers.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s key=%s value=%s", placeOf(r), quote(r.Key), quote(r.Value))
	for _, h := range r.Headers {
		fmt.Fprintf(&b, " %s=%s", h.Key, quote(h.Value))
	}
	return b.String()
}

func quote(b []byte) string {
	const enough = 60
	switch {
	case b == nil:
		return "nil"
	case len(b) > enough:
		return fmt.Sprintf("%q... (%d bytes)", b[:enough], len(b))
	}
	return strconv.Quote(string(b))
}

func placeOf(r drivers.Record) string {
	return position(r.Topic, r.Partition, r.Offset).String()
}

// position is an offset in a partition of the topic.
func position(topic string, partition int32, offset int64) drivers.Position {
	return drivers.Position{TopicPartition: drivers.TopicPartition{Topic: topic, Partition: partition}, Offset: offset}
}

// samePositions compares positions, which every driver gives sorted.
func samePositions(what string, got, want []drivers.Position) error {
	if slices.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%s: expected %s, got %s", what, places(want), places(got))
}

func places(positions []drivers.Position) string {
	if len(positions) == 0 {
		return "none"
	}
	words := make([]string, len(positions))
	for i, p := range positions {
		words[i] = p.String()
	}
	return strings.Join(words, " ")
}
