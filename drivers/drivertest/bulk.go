package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"kcompare/drivers"
)

// producesMany makes one bulk with keys for the library to place, and one without in one
// partition. Each record must be reported once, in few runs, and stand in the log as
// described; a record that follows gets a report of its own.
func producesMany(ctx context.Context, s Subject) error {
	for _, b := range []drivers.Bulk{
		{Partition: drivers.AnyPartition, Count: 2000, Keys: 7, ValueBytes: 20},
		{Partition: 1, Count: 2000, ValueBytes: 2},
	} {
		topic, err := s.Cluster.CreateTopic(ctx, 3)
		if err != nil {
			return err
		}
		b.Topic = topic
		after, err := s.Cluster.CreateTopic(ctx, 1)
		if err != nil {
			return err
		}
		if err := s.producesBulk(ctx, b, numbered(after, "payments", 1, 1)...); err != nil {
			return fmt.Errorf("%d records with %d keys: %w", b.Count, b.Keys, err)
		}
	}
	return nil
}

func (s Subject) producesBulk(ctx context.Context, b drivers.Bulk, after ...drivers.Record) error {
	var l bulkLedger
	var single ledger
	err := s.withProducer(s.settings(pairs{"linger.ms": "5"}), func(p drivers.Producer) error {
		many, able := p.(drivers.BulkProducer)
		if !able {
			return fmt.Errorf("a producer: expected a drivers.BulkProducer, got a %T", p)
		}
		began := time.Now()
		made, err := many.ProduceMany(ctx, b, l.note)
		if took := time.Since(began); err == nil && (made.Elapsed <= 0 || made.Elapsed > took) {
			return fmt.Errorf("expected the time between the first record and the last report, got %s of %s", made.Elapsed, took)
		}
		return errors.Join(err, single.send(ctx, p, after...), single.eachAcked())
	})
	if err != nil {
		return err
	}
	log, err := s.Cluster.Log(ctx, b.Topic)
	if err != nil {
		return err
	}
	return l.agreesWith(b, log)
}

// bulkLedger keeps what was reported of a bulk.
type bulkLedger struct {
	mu   sync.Mutex
	runs []drivers.Reported
}

func (l *bulkLedger) note(r drivers.Reported) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = append(l.runs, r)
}

// agreesWith expects few runs, beside what eachInLog does.
func (l *bulkLedger) agreesWith(b drivers.Bulk, log []LogRecord) error {
	const perRun = 10 // records, at the least, of a library that may report as it likes
	l.mu.Lock()
	runs := int64(len(l.runs))
	l.mu.Unlock()
	var few error
	if runs*perRun > b.Count {
		few = fmt.Errorf("%d records were reported in %d runs, expected %d runs at most", b.Count, runs, b.Count/perRun)
	}
	return errors.Join(few, l.eachInLog(b, log))
}

// eachInLog expects each record reported once and acked, and in the log once, where a run
// that tells says.
func (l *bulkLedger) eachInLog(b drivers.Bulk, log []LogRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var f findings
	told := make([]*drivers.Delivery, b.Count)
	for _, run := range l.runs {
		for i := range run.Count {
			d := run.Delivery
			if d.Offset != drivers.NoOffset {
				d.Offset += i
			}
			switch n := run.First + i; {
			case n < 0 || n >= b.Count:
				f.add("record %d was reported, expected one of %d", n, b.Count)
			case told[n] != nil:
				f.add("record %d was reported twice", n)
			default:
				told[n] = &d
			}
		}
	}
	in := map[int64]int{}
	for _, r := range log {
		n, problem := bulkRecord(b, r.Record)
		if problem != "" {
			f.add("%s: %s", describe(r.Record), problem)
			continue
		}
		in[n]++
		if d := told[n]; d != nil && !isAt(*d, r.Record, b.Partition == drivers.AnyPartition) {
			f.add("record %d acked at %s, but the log has it at %s", n, position(b.Topic, d.Partition, d.Offset), placeOf(r.Record))
		}
	}
	for n, d := range told {
		switch {
		case d == nil:
			f.add("record %d was never reported", n)
		case d.Outcome != drivers.Acked:
			f.add("record %d: expected acked, reported %s: %v", n, d.Outcome, d.Err)
		case in[int64(n)] != 1:
			f.add("record %d acked, but the log has it %d times", n, in[int64(n)])
		}
	}
	return f.err()
}

// isAt says whether the record stands where it was reported. A run of records that the
// library spread over partitions need not say where they are.
func isAt(d drivers.Delivery, r drivers.Record, spread bool) bool {
	if spread && d.Partition == drivers.AnyPartition && d.Offset == drivers.NoOffset {
		return true
	}
	return d.Partition == r.Partition && d.Offset == r.Offset
}

// bulkRecord is the number of a record, or what is wrong with it.
func bulkRecord(b drivers.Bulk, r drivers.Record) (n int64, problem string) {
	number, _, _ := bytes.Cut(r.Value, []byte{'.'})
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || n < 0 || n >= b.Count {
		return 0, "expected a value that begins with a number of the bulk"
	}
	want := drivers.Record{Value: number}
	if missing := b.ValueBytes - len(number); missing > 0 {
		want.Value = append(bytes.Clone(number), bytes.Repeat([]byte{'.'}, missing)...)
	}
	if b.Keys > 0 {
		want.Key = []byte("key-" + strconv.FormatInt(n%b.Keys, 10))
	}
	switch {
	case !bytes.Equal(r.Value, want.Value) || !bytes.Equal(r.Key, want.Key) || (r.Key == nil) != (want.Key == nil):
		return n, "expected " + describe(want)
	case len(plain(r).Headers) > 0:
		return n, "expected no headers"
	case b.Partition != drivers.AnyPartition && r.Partition != b.Partition:
		return n, fmt.Sprintf("expected partition %d", b.Partition)
	}
	return n, ""
}

// consumesMany counts what a topic has, and then waits in vain for one record more.
func consumesMany(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 2)
	if err != nil {
		return err
	}
	records := numbered(topic, "orders", 500, 2)
	var size int64
	for _, r := range records {
		size += int64(len(r.Key) + len(r.Value))
	}
	if err := s.fill(ctx, records); err != nil {
		return err
	}
	from := []drivers.Position{position(topic, 0, drivers.OffsetStart), position(topic, 1, drivers.OffsetStart)}
	return s.withAssigned(ctx, from, nil, func(c drivers.Consumer) error {
		many, able := c.(drivers.BulkConsumer)
		if !able {
			return fmt.Errorf("a consumer: expected a drivers.BulkConsumer, got a %T", c)
		}
		began := time.Now()
		got, err := many.ConsumeMany(ctx, int64(len(records)))
		if err != nil {
			return err
		}
		if took := time.Since(began); got.Elapsed < 0 || got.Elapsed > took {
			return fmt.Errorf("expected the time since the first record, got %s of %s", got.Elapsed, took)
		}
		if got.Records != int64(len(records)) || got.Bytes != size {
			return fmt.Errorf("expected %d records of %d bytes, got %d of %d", len(records), size, got.Records, got.Bytes)
		}
		if err := eachOnce(got.Runs, topic, 250); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		start := time.Now()
		none, err := many.ConsumeMany(short, 1)
		if err != nil || none.Records != 0 {
			return fmt.Errorf("at the end of the topic: expected no records and no error, got %d: %v", none.Records, err)
		}
		return took("consume many where nothing is", start)
	})
}

// eachOnce expects runs that cover both partitions from 0 on.
func eachOnce(runs []drivers.Run, topic string, each int64) error {
	next := map[int32]int64{}
	for _, r := range runs {
		if r.Topic != topic || r.First != next[r.Partition] {
			return fmt.Errorf("a run of %d records at %s: expected offset %d", r.Count, position(r.Topic, r.Partition, r.First), next[r.Partition])
		}
		next[r.Partition] += r.Count
	}
	if next[0] != each || next[1] != each {
		return fmt.Errorf("expected runs of %d records in each partition, got %v", each, next)
	}
	return nil
}

// closesPlainly closes when everything is reported: whatever a library's own close does
// with what is pending, there is nothing.
func closesPlainly(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	p, err := s.Driver.NewProducer(s.settings(nil))
	if err != nil {
		return fmt.Errorf("make a producer: %w", err)
	}
	var l ledger
	if err := l.send(ctx, p, numbered(topic, "payments", 20, 1)...); err != nil {
		return err
	}
	closeIt := p.Close
	if plain, has := p.(drivers.PlainCloser); has {
		closeIt = plain.ClosePlainly
	}
	start := time.Now()
	if err := closeIt(); err != nil {
		return fmt.Errorf("plain close: %w", err)
	}
	log, err := s.Cluster.Log(ctx, topic)
	return errors.Join(err, took("plain close of a producer that has nothing to do", start), l.eachAcked(), l.agreesWith(log))
}
