package bench

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// What is there to be read: written once, by the reader, so that no contestant finds
// batches of its own making.

// input is a topic with the records of a load.
type input struct {
	topic   string
	ends    map[broker.TopicPartition]int64
	bytes   int64
	batches int64
}

// inputLoad is what inputs differ in.
type inputLoad struct {
	records    int64
	bytes      int
	keys       int64
	partitions int32
}

// input is the topic for a load; it is made when it is asked for first.
func (r *run) input(ctx context.Context, load evidence.BenchLoad) (input, error) {
	like := inputLoad{load.Records, load.RecordBytes, load.Keys, load.Partitions}
	if in, there := r.inputs[like]; there {
		return in, nil
	}
	in, err := r.makeInput(ctx, load)
	if err != nil {
		return input{}, fmt.Errorf("write what is to be read: %w", err)
	}
	r.inputs[like] = in
	return in, nil
}

func (r *run) makeInput(ctx context.Context, load evidence.BenchLoad) (input, error) {
	in := input{topic: r.name("input")}
	if err := r.createTopics(ctx, load.Partitions, in.topic); err != nil {
		return in, err
	}
	if err := r.fill(ctx, in.topic, load); err != nil {
		return in, err
	}
	d := newDelivered(load, false)
	if err := readBack(ctx, r.reader, in.topic, nil, d, 0); err != nil {
		return in, err
	}
	if why := d.void(); why != nil {
		return in, fmt.Errorf("%s: %v", in.topic, why)
	}
	in.bytes, in.batches = d.bytes, d.batches
	var err error
	in.ends, err = r.reader.EndOffsets(ctx, []string{in.topic})
	return in, err
}

// stretch is how many records in a row go to the same partition.
const stretch = 1000

func (r *run) fill(ctx context.Context, topic string, load evidence.BenchLoad) error {
	for first := int64(0); first < load.Records; first += stretch * 10 {
		var records []drivers.Record
		for n := first; n < min(first+stretch*10, load.Records); n++ {
			rec := recordOf(n, load)
			rec.Topic, rec.Partition = topic, int32(n/stretch%int64(load.Partitions))
			records = append(records, rec)
		}
		if err := r.reader.Write(ctx, records); err != nil {
			return err
		}
	}
	return nil
}

// recordOf is number n as drivers.Bulk describes it.
func recordOf(n int64, load evidence.BenchLoad) drivers.Record {
	value := strconv.AppendInt(make([]byte, 0, load.RecordBytes), n, 10)
	if missing := load.RecordBytes - len(value); missing > 0 {
		value = append(value, bytes.Repeat([]byte("."), missing)...)
	}
	rec := drivers.Record{Value: value}
	if load.Keys > 0 {
		rec.Key = strconv.AppendInt([]byte("key-"), n%load.Keys, 10)
	}
	return rec
}

// reads is what a consumer says that it read, held to what there was.
type reads struct{ lost, duplicates, foreign int64 }

// readsOf compares runs with all offsets of the input, from 0 on.
func (in input) readsOf(runs []drivers.Run) reads {
	var got reads
	byPartition := map[broker.TopicPartition][]drivers.Run{}
	for _, run := range runs {
		if _, there := in.ends[run.TopicPartition]; there {
			byPartition[run.TopicPartition] = append(byPartition[run.TopicPartition], run)
		} else {
			got.foreign += run.Count
		}
	}
	for tp, end := range in.ends {
		got.partition(byPartition[tp], end)
	}
	return got
}

// partition walks from run to run, by offset.
func (g *reads) partition(runs []drivers.Run, end int64) {
	slices.SortFunc(runs, func(a, b drivers.Run) int { return int(min(max(a.First-b.First, -1), 1)) })
	next := int64(0)
	for _, run := range runs {
		first, behind := run.First, run.First+run.Count
		inside := min(behind, end)
		g.foreign += behind - max(inside, first)
		if first > next {
			g.lost += min(first, end) - next
		}
		g.duplicates += max(0, min(next, inside)-first)
		next = max(next, inside)
	}
	g.lost += end - next
}

func (g reads) void(records int64) []string {
	var why []string
	if g.lost > 0 {
		why = append(why, fmt.Sprintf("lost %d of %d records", g.lost, records))
	}
	if g.duplicates > 0 {
		why = append(why, fmt.Sprintf("%d duplicates", g.duplicates))
	}
	if g.foreign > 0 {
		why = append(why, fmt.Sprintf("%d records that are not there to be read", g.foreign))
	}
	return why
}
