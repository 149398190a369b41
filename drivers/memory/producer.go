package memory

import (
	"context"
	"strconv"
	"sync"
	"time"

	"kcompare/drivers"
	"kcompare/internal/partition"
)

// maxRecordBytes is how large the value of a record may be.
const maxRecordBytes = 1_000_000

// producer gathers records until they have lingered, and writes them all then.
type producer struct {
	broker    *Broker
	conduct   conduct
	linger    time.Duration
	reachable bool
	noAcks    bool
	ownBatch  bool
	state     State // of a record when it is written

	mu          sync.Mutex // taken before the broker's
	pending     []*handed
	lingering   *time.Timer
	handedOver  int
	wrote       int   // records that were appended
	requests    int   // batches
	keyless     int32 // where the next record without a key goes
	closed      bool
	transaction *session // nil without transactions
}

// handed is a record between Produce and its report.
type handed struct {
	n      int // counts the records of the producer, from 1
	record drivers.Record
	report func(drivers.Delivery)
}

// Produce never waits: there is room for everything.
func (p *producer) Produce(_ context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handedOver++
	h := &handed{n: p.handedOver, record: r, report: report}
	switch {
	case p.closed:
		p.fail(h, failure("produce", drivers.Application, "CLOSED", "the producer was closed"))
	case p.transaction != nil && p.transaction.open == nil:
		p.fail(h, failure("produce", drivers.Application, "NO_TRANSACTION", "no transaction was begun"))
	case len(r.Value) > maxRecordBytes:
		p.fail(h, failure("produce", drivers.Application, "TOO_LARGE", "the value is larger than 1000000 bytes"))
	default:
		p.pending = append(p.pending, h)
		if p.lingering == nil {
			p.lingering = time.AfterFunc(p.linger, p.send)
		}
	}
}

// Flush writes what lingers. While something cannot be written it waits for the
// broker to change.
func (p *producer) Flush(ctx context.Context) error {
	if !p.conduct.flushes {
		return nil
	}
	for {
		p.broker.mu.Lock()
		changed := p.broker.changed
		p.broker.mu.Unlock()
		p.send()
		if p.nothingPending() {
			return nil
		}
		select {
		case <-ctx.Done():
			<-time.After(p.conduct.flushStays)
			return ctx.Err()
		case <-changed:
		}
	}
}

func (p *producer) nothingPending() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending) == 0
}

// Close fails what is pending.
func (p *producer) Close() error {
	<-time.After(p.conduct.closeStays)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.drop(failure("produce", drivers.Retriable, "CLOSED", "the producer was closed before the record was written"))
	return nil
}

// send writes what is pending, batch by batch.
func (p *producer) send() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopLingering()
	if p.closed || !p.reachable {
		return
	}
	p.broker.mu.Lock()
	batches, impossible := p.batches()
	p.broker.mu.Unlock()
	p.pending = impossible
	for _, batch := range batches {
		p.conduct.reordered(batch)
		p.write(batch)
	}
}

func (p *producer) stopLingering() {
	if p.lingering != nil {
		p.lingering.Stop()
		p.lingering = nil
	}
}

// batches sorts what is pending by partition, and tells what has none.
func (p *producer) batches() (batches [][]*handed, impossible []*handed) {
	batchOf := map[drivers.TopicPartition]int{}
	for _, h := range p.pending {
		r := &h.record
		r.Partition = p.choose(*r)
		tp := drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition}
		i, started := batchOf[tp]
		switch {
		case !p.broker.has(tp):
			impossible = append(impossible, h)
		case started && !p.ownBatch:
			batches[i] = append(batches[i], h)
		default:
			batchOf[tp] = len(batches)
			batches = append(batches, []*handed{h})
		}
	}
	return batches, impossible
}

// choose places keys as Java does, and records without one in turn.
func (p *producer) choose(r drivers.Record) int32 {
	of := int32(len(p.broker.topics[r.Topic]))
	switch {
	case r.Partition != drivers.AnyPartition || of == 0:
		return r.Partition
	case len(r.Key) > 0:
		return partition.Murmur2(r.Key, of)
	}
	p.keyless++
	return p.keyless % of
}

// write appends a batch and reports on it.
func (p *producer) write(batch []*handed) {
	p.requests++
	for _, h := range batch {
		offset, err := p.append(h, len(batch))
		switch {
		case err != nil:
			p.fail(h, err)
			continue
		case p.noAcks:
			p.report(h, drivers.Delivery{Outcome: drivers.Acked, Partition: h.record.Partition, Offset: drivers.NoOffset})
		default:
			p.report(h, drivers.Delivery{Outcome: drivers.Acked, Partition: h.record.Partition, Offset: offset})
		}
		p.wrote++
	}
}

// Figures tells what is counted here. There are no requests that nobody has answered.
func (p *producer) Figures(context.Context) (drivers.Figures, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return drivers.Figures{
		drivers.RecordsTaken:    strconv.Itoa(p.handedOver),
		drivers.RecordsSent:     strconv.Itoa(p.conduct.counted(p.wrote)),
		drivers.RecordsWaiting:  strconv.Itoa(len(p.pending)),
		drivers.ProduceRequests: strconv.Itoa(p.requests),
	}, nil
}

// append is the offset at which the record stands, or would stand.
func (p *producer) append(h *handed, batchRecords int) (int64, *drivers.Error) {
	p.broker.mu.Lock()
	defer p.broker.mu.Unlock()
	if err := p.transaction.fenced("produce", p.broker); err != nil {
		return drivers.NoOffset, err
	}
	r := p.conduct.written(h.n, h.record)
	h.record.Partition = r.Partition
	offset := p.broker.end(drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition})
	for range p.conduct.copies(h.n) {
		p.transaction.wrote(p.broker.append(r, p.state, batchRecords))
	}
	return offset, nil
}

// drop fails what is pending.
func (p *producer) drop(why *drivers.Error) {
	p.stopLingering()
	for _, h := range p.pending {
		p.fail(h, why)
	}
	p.pending = nil
}

func (p *producer) fail(h *handed, err *drivers.Error) {
	reason := *err
	p.report(h, drivers.Delivery{Outcome: drivers.Failed, Partition: drivers.AnyPartition, Offset: drivers.NoOffset, Err: &reason})
}

// report is called with the lock held: it must not block, nor produce.
func (p *producer) report(h *handed, d drivers.Delivery) {
	for _, told := range p.conduct.reports(h.n, d) {
		h.report(told)
	}
}
