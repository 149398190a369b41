package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"kcompare/drivers"
)

// unreachable is an address where nobody listens: port 1 is tcpmux, which
// nothing speaks any more.
const unreachable = "127.0.0.1:1"

// prompt is what a call may take that does not wait for a broker. It is
// generous: the machine may be busy.
const prompt = 5 * time.Second

// eachRecordOnce leaves the partitions to the library, so nothing but the
// report says where a record went.
func eachRecordOnce(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 3)
	if err != nil {
		return err
	}
	records := numbered(topic, "payments", 200, 3)
	for i := range records {
		records[i].Partition = drivers.AnyPartition
	}
	l, log, err := s.deliver(ctx, s.settings(nil), records)
	if err != nil {
		return err
	}
	return errors.Join(l.eachAcked(), l.agreesWith(log))
}

// reportsUnasked waits for reports without a flush: stories send one record after the
// other like that.
func reportsUnasked(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	return s.withProducer(s.settings(nil), func(p drivers.Producer) error {
		for _, r := range numbered(topic, "payments", 3, 1) {
			reported := make(chan struct{}, 1)
			p.Produce(ctx, r, func(drivers.Delivery) {
				select {
				case reported <- struct{}{}:
				default: // a second report is the affair of another check
				}
			})
			select {
			case <-reported:
			case <-time.After(2 * prompt):
				return fmt.Errorf("record %s: expected a report without a flush, none came within %s", r.Value, 2*prompt)
			}
		}
		return nil
	})
}

// keepsOrder lets records gather into batches.
func keepsOrder(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 3)
	if err != nil {
		return err
	}
	records := numbered(topic, "payments", 300, 3)
	_, log, err := s.deliver(ctx, s.settings(pairs{"enable.idempotence": "true", "linger.ms": "20"}), records)
	if err != nil {
		return err
	}
	return sameRecords(recordsOf(log), atOffsets(records))
}

// atOffsets gives records the offsets that they get in an empty topic.
func atOffsets(records []drivers.Record) []drivers.Record {
	next := map[int32]int64{}
	at := make([]drivers.Record, len(records))
	for i, r := range records {
		r.Offset = next[r.Partition]
		next[r.Partition]++
		at[i] = r
	}
	return at
}

func recordsOf(log []LogRecord) []drivers.Record {
	records := make([]drivers.Record, len(log))
	for i, r := range log {
		records[i] = r.Record
	}
	return records
}

// flushWaits looks at the reports the moment Flush returns.
func flushWaits(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	return s.withProducer(s.settings(pairs{"linger.ms": "200"}), func(p drivers.Producer) error {
		var l ledger
		if err := l.send(ctx, p, numbered(topic, "payments", 50, 1)...); err != nil {
			return err
		}
		return l.eachAcked()
	})
}

// flushEndsWithContext flushes a record that can go nowhere. A library that reports it
// failed at once has nothing to wait for (aiokafka 0.14.0 does not look for a broker twice).
func flushEndsWithContext(ctx context.Context, s Subject) error {
	settings := s.settings(pairs{"bootstrap.servers": unreachable})
	return s.withProducer(settings, func(p drivers.Producer) error {
		ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		var l ledger
		start := time.Now()
		err := l.send(ctx, p, numbered("kcompare-drivertest", "payments", 1, 1)...)
		failed := err == nil && l.snapshot()[0].outcome() == drivers.Failed
		if !failed && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("flush: expected the error of its context, got: %v", err)
		}
		return took("flush after the end of its context", start)
	})
}

// took complains about a call that did not return promptly.
func took(what string, start time.Time) error {
	if d := time.Since(start); d > prompt {
		return fmt.Errorf("%s: expected to return within %s, took %s", what, prompt, d)
	}
	return nil
}

// keepsContent has a partition for each record, because some have no value to be
// told apart by. A header without a value is what some libraries refuse (kafka-python
// 3.0.12: TypeError); none may write something else.
func keepsContent(ctx context.Context, s Subject) error {
	header := func(key string, value []byte) drivers.Header { return drivers.Header{Key: key, Value: value} }
	contents := []drivers.Record{
		{Key: nil, Value: []byte("no key")},
		{Key: []byte{}, Value: []byte{}, Headers: []drivers.Header{header("empty", []byte{})}},
		{Key: []byte("order-1"), Value: nil, Headers: []drivers.Header{header("set", []byte("x"))}},
		{Key: []byte{0, 0xff}, Value: []byte{0xff, 0, '\n'}, Headers: []drivers.Header{header("bytes", []byte{0, 0xff})}},
		{Key: []byte("order-2"), Value: bytes.Repeat([]byte("long "), 2000)},
		{Key: []byte("order-3"), Value: []byte("x"), Headers: []drivers.Header{
			header("same", []byte("1")), header("other", []byte("2")), header("same", []byte("3")), header("", []byte("4")),
		}},
		{Key: []byte("order-4"), Value: []byte("y"), Headers: []drivers.Header{header("nil", nil)}},
	}
	topic, err := s.Cluster.CreateTopic(ctx, int32(len(contents)))
	if err != nil {
		return err
	}
	for i := range contents {
		contents[i].Topic, contents[i].Partition = topic, int32(i)
	}
	l, log, err := s.deliver(ctx, s.settings(nil), contents)
	if err != nil {
		return err
	}
	last := len(contents) - 1
	if e := l.snapshot()[last]; e.outcome() == drivers.Failed {
		if err := refused(e); err != nil {
			return err
		}
		contents = contents[:last]
	}
	return sameRecords(recordsOf(log), contents)
}

// placesKeys expects what Java's default partitioner does on six partitions, as
// measured with kafka-clients 4.4.0.
func placesKeys(ctx context.Context, s Subject) error {
	known := []struct {
		key       string
		partition int32
	}{
		{"order-1", 4}, {"order-2", 3}, {"order-3", 3}, {"order-4", 2}, {"customer-42", 3},
		{"my_key_1", 0}, {"my_key_2", 4}, {"my_key_3", 5}, {"my_key_4", 2},
	}
	topic, err := s.Cluster.CreateTopic(ctx, 6)
	if err != nil {
		return err
	}
	var sent, want []drivers.Record
	for _, k := range known {
		r := drivers.Record{Topic: topic, Partition: drivers.AnyPartition, Key: []byte(k.key), Value: []byte(k.key)}
		sent = append(sent, r)
		r.Partition = k.partition
		want = append(want, r)
	}
	_, log, err := s.deliver(ctx, s.settings(pairs{"partitioner": "murmur2_random"}), sent)
	if err != nil {
		return err
	}
	return sameRecords(recordsOf(log), atOffsets(want))
}

// oneRecordPerBatch lingers, so that records would share batches otherwise.
func oneRecordPerBatch(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	settings := s.settings(pairs{"linger.ms": "20", "enable.idempotence": "true"})
	settings.OneRecordPerBatch = true
	records := numbered(topic, "payments", 100, 1)
	l, log, err := s.deliver(ctx, settings, records)
	if err != nil {
		return err
	}
	var f findings
	for _, r := range log {
		if r.BatchRecords != 1 {
			f.add("record %s at %s: expected a batch of its own, it shares one of %d records", r.Value, placeOf(r.Record), r.BatchRecords)
		}
	}
	return errors.Join(f.err(), l.eachAcked(), sameRecords(recordsOf(log), atOffsets(records)))
}

// refusesTooLarge sends a record twice as large as clients and brokers allow by
// default, between small ones.
func refusesTooLarge(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	records := numbered(topic, "payments", 21, 1)
	large := &records[10]
	large.Value = append(large.Value, bytes.Repeat([]byte(" large"), 2<<20/6)...)
	l, log, err := s.deliver(ctx, s.settings(pairs{"compression.type": "none"}), records)
	if err != nil {
		return err
	}
	entries := l.snapshot()
	others := ledger{entries: append(entries[:10:10], entries[11:]...)}
	return errors.Join(refused(entries[10]), others.eachAcked(), l.agreesWith(log))
}

// refused expects one report, with the reason in the library's words.
func refused(e entry) error {
	if len(e.reports) != 1 || e.outcome() != drivers.Failed {
		return fmt.Errorf("%s: expected one report, failed, got %d: %v", e.name(), len(e.reports), e.reports)
	}
	err := e.reports[0].Err
	if err == nil || err.Class != drivers.Application || err.Code == "" {
		return fmt.Errorf("%s: expected an error of class %s with the library's code, got: %v", e.name(), drivers.Application, err)
	}
	return nil
}

// closeGivesUp closes a producer that never reached a broker.
func closeGivesUp(ctx context.Context, s Subject) error {
	p, err := s.Driver.NewProducer(s.settings(pairs{"bootstrap.servers": unreachable}))
	if err != nil {
		return fmt.Errorf("make a producer: %w", err)
	}
	var l ledger
	start := time.Now()
	l.produce(ctx, p, numbered("kcompare-drivertest", "payments", 10, 1)...)
	if err := took("produce without a broker", start); err != nil {
		return errors.Join(err, p.Close())
	}
	start = time.Now()
	return errors.Join(p.Close(), took("close without a broker", start), l.noneAcked("no broker was reachable"))
}

// withoutAcks reads the log until everything came: the answer to acks=0 comes
// before the broker has the record. The offsets told mean nothing then.
func withoutAcks(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	records := numbered(topic, "payments", 50, 1)
	return s.withProducer(s.settings(pairs{"acks": "0", "enable.idempotence": "false"}), func(p drivers.Producer) error {
		var l ledger
		if err := l.send(ctx, p, records...); err != nil {
			return err
		}
		log, err := s.logWhen(ctx, topic, "the last of 50 records", func(log []LogRecord) bool {
			return len(log) >= len(records)
		})
		return errors.Join(err, l.eachAcked(), sameRecords(recordsOf(log), atOffsets(records)))
	})
}

// missingTopic flushes for a moment only: librdkafka looks for the topic for 30
// seconds before it gives up, franz-go for one.
func missingTopic(ctx context.Context, s Subject) error {
	const moment = 500 * time.Millisecond
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	var l ledger
	err = s.withProducer(s.settings(nil), func(p drivers.Producer) error {
		ctx, cancel := context.WithTimeout(ctx, moment)
		defer cancel()
		if err := l.send(ctx, p, numbered(topic+"-missing", "payments", 5, 1)...); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return nil
	})
	var f findings
	for _, e := range l.snapshot() {
		if len(e.reports) > 1 {
			f.add("%s: expected at most one report, got %d: %v", e.name(), len(e.reports), e.reports)
		}
	}
	return errors.Join(err, f.err(), l.noneAcked("its topic does not exist"))
}
