package clients

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kcompare/drivers"
)

// turnTime is how long one poll or flush may take: what is handed over meanwhile waits
// behind it.
const turnTime = 500 * time.Millisecond

// producer numbers the records that it hands over, and knows by the number who waits for
// a report.
type producer struct {
	*handle
	pending drivers.Outstanding

	mu       sync.Mutex
	next     int64
	awaiting map[int64]func(drivers.Delivery)
	bulks    []*many // under way, or given up
}

func newProducer() *producer { return &producer{awaiting: map[int64]func(drivers.Delivery){}} }

func (p *producer) attach(h *handle) { p.handle = h }

// Produce hands over one record; see drivers.Producer. It waits while the program does
// not read what others sent before.
func (p *producer) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if err := p.room(ctx); err != nil {
		report(drivers.Delivery{Outcome: drivers.Failed, Partition: r.Partition, Offset: drivers.NoOffset, Err: err})
		return
	}
	line := produced{
		Verb: "produce", Handle: p.name, Topic: r.Topic, Partition: r.Partition,
		Key: r.Key, Value: r.Value, Headers: toHeaders(r.Headers),
	}
	p.pending.Add()
	p.mu.Lock()
	defer p.mu.Unlock()
	line.Record = p.next
	p.awaiting[p.next] = report
	p.next++
	p.out.put(encode(line)) // here, so that records are numbered in the order of their lines
}

// room is nil when a record can be handed over, else why it was not.
func (p *producer) room(ctx context.Context) *drivers.Error {
	if p.closed.Load() {
		return &drivers.Error{Call: "produce", Class: drivers.Application, Code: "CLOSED", Text: "the client is closed"}
	}
	if p.isWrong() {
		return p.callError("produce", p.dead())
	}
	if err := p.out.awaitRoom(ctx, p.wrong); err != nil {
		return &drivers.Error{
			Call: "produce", Class: drivers.Retriable, Code: "PROGRAM_BUSY",
			Text: "not handed over: the program has not read what was handed over before", Cause: err,
		}
	}
	return nil
}

// reported takes a report of one record or a run of them.
func (p *producer) reported(s *said) error {
	d, count, err := delivery(s)
	if err != nil {
		return err
	}
	first := *s.Record
	if told, err := p.ofMany(first, count, d); told || err != nil {
		return err
	}
	reports, err := p.take(first, count)
	if err != nil {
		return err
	}
	for _, report := range reports {
		report(d)
		p.pending.Done()
		if d.Offset != drivers.NoOffset {
			d.Offset++
		}
	}
	return nil
}

func (p *producer) ofMany(first, count int64, d drivers.Delivery) (told bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.bulks {
		if first >= m.first && first < m.first+m.count {
			return true, m.reported(first, count, d)
		}
	}
	return false, nil
}

// take finds who waits for these records, each once.
func (p *producer) take(first, count int64) ([]func(drivers.Delivery), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if first < 0 || count > p.next-first {
		return nil, fmt.Errorf("%d from %d on are reported, and %d were handed over", count, first, p.next)
	}
	reports := make([]func(drivers.Delivery), 0, count)
	for n := first; n < first+count; n++ {
		report, waits := p.awaiting[n]
		if !waits {
			return nil, fmt.Errorf("record %d was reported before", n)
		}
		delete(p.awaiting, n)
		reports = append(reports, report)
	}
	return reports, nil
}

// delivery is what a report says, and of how many records.
func delivery(s *said) (drivers.Delivery, int64, error) {
	d := drivers.Delivery{Partition: drivers.AnyPartition, Offset: drivers.NoOffset}
	count := int64(1)
	if s.Count != nil {
		count = *s.Count
	}
	if s.Partition != nil {
		d.Partition = *s.Partition
	}
	if s.Offset != nil {
		d.Offset = *s.Offset
	}
	switch {
	case count < 1:
		return d, 0, errors.New("a run has one record or more")
	case s.Outcome == drivers.Acked.String() && s.Error == nil:
		d.Outcome = drivers.Acked
	case s.Outcome == drivers.Failed.String() && s.Error != nil && s.Error.known():
		d.Outcome, d.Err = drivers.Failed, s.Error.callError("produce")
	default:
		return d, 0, errors.New("expected acked without an error, or failed with an error of a class that the protocol has")
	}
	return d, count, nil
}

// Flush asks again and again, because lines that come later wait behind each; see
// drivers.Producer.
func (p *producer) Flush(ctx context.Context) error {
	for p.pending.Count() > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := p.flushOnce(ctx); err != nil {
			if ctx.Err() != nil && errors.Is(err, errGivenUp) {
				return ctx.Err()
			}
			return err
		}
	}
	return nil
}

func (p *producer) flushOnce(ctx context.Context) error {
	limit := min(turnTime, timeLeft(ctx))
	p.mu.Lock()
	before := p.next
	p.mu.Unlock()
	var left struct{ Pending int64 }
	r := &request{Verb: "flush", TimeoutMS: millis(limit)}
	if err := p.askFor(ctx, r, limit+p.patience, &left); err != nil {
		return err
	}
	if n, open := p.firstOpen(before); left.Pending == 0 && open {
		p.fail("says that nothing of %s is pending, and record %d was never reported", p.name, n)
		return p.callError("flush", p.dead())
	}
	return nil
}

// firstOpen is the first record below before that has no report.
func (p *producer) firstOpen(before int64) (int64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := before
	for n := range p.awaiting {
		first = min(first, n)
	}
	return first, first < before
}

// Close gives up what is pending; see drivers.Producer.
func (p *producer) Close() error { return p.shut(false, nil) }
