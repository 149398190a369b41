package franz

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// part is a part of a bulk on its way through kgo. It is the context of its records, which
// says which partition they are for, as sent is for others; and so each of them costs what
// it would in a program on kgo.
type part struct {
	drivers.BulkPart
	endless
}

// ProducePart keeps others out of the buffer until all is handed over.
func (p *producer) ProducePart(ctx context.Context, bulk drivers.BulkPart) {
	if p.giveUp || p.padding != nil {
		p.produceEach(ctx, bulk)
		return
	}
	p.room.mu.Lock()
	defer p.room.mu.Unlock()
	of := &part{BulkPart: bulk}
	promise := (&partReports{producer: p, left: bulk.End - bulk.First, report: bulk.Report}).promised
	fit := int64(0)
	for n := of.First; n < of.End; n++ {
		rec := &kgo.Record{Topic: of.Topic, Partition: of.Partition, Context: of}
		rec.Key, rec.Value = of.Record(n)
		if fit == 0 {
			fit = p.room.reserve(&p.pending, of.End-n, of.Longest)
		}
		if fit > 0 {
			fit--
			p.cl.Produce(context.Background(), rec, promise)
		} else {
			p.pending.Add()
			p.await(ctx, rec, promise)
		}
	}
}

// produceEach is for settings that need more for each record.
func (p *producer) produceEach(ctx context.Context, of drivers.BulkPart) {
	for n := of.First; n < of.End; n++ {
		r := drivers.Record{Topic: of.Topic, Partition: of.Partition}
		r.Key, r.Value = of.Record(n)
		p.Produce(ctx, r, func(d drivers.Delivery) { of.Report(drivers.Reported{First: n, Count: 1, Delivery: d}) })
	}
}

// partReports makes runs of what kgo says of the records of a part. It has no memory in
// common with what the program touches that hands them over.
type partReports struct {
	producer *producer
	report   func(drivers.Reported)
	left     int64            // records that kgo said nothing of
	run      drivers.Reported // what it said last, not reported yet
}

// longestRun bounds how many records count as pending though kgo has said what became of them.
const longestRun = 256

// promised takes what kgo says of a record, which has its number in its value. kgo calls one
// promise after the other (producer.finishPromises).
func (r *partReports) promised(rec *kgo.Record, err error) {
	n, _ := drivers.BulkNumber(rec.Value)
	if !r.goesOn(n, rec, err) {
		r.tell()
		r.producer.ended(err)
		r.run = drivers.Reported{First: n, Delivery: r.producer.delivery(rec, err)}
	}
	r.run.Count++
	if r.left--; r.left == 0 || r.run.Count == longestRun {
		r.tell()
	}
}

// goesOn says whether a record stands behind the run.
func (r *partReports) goesOn(n int64, rec *kgo.Record, err error) bool {
	return r.run.Count > 0 && err == nil && r.run.Err == nil && n == r.run.First+r.run.Count &&
		rec.Partition == r.run.Partition && rec.Offset == r.run.Offset+r.run.Count
}

func (r *partReports) tell() {
	if r.run.Count > 0 {
		r.report(r.run)
		r.producer.pending.DoneAll(r.run.Count)
		r.run.Count = 0
	}
}
