package clients

import (
	"context"
	"fmt"
	"time"

	"kcompare/drivers"
)

// many is the records of a bulk, which the program makes itself.
type many struct {
	first, count int64
	reports      func(drivers.Reported)
	had          []uint64 // a bit for each record that was reported
	left         int64
}

// reported takes a run that begins in the bulk.
func (m *many) reported(first, count int64, d drivers.Delivery) error {
	if count > m.first+m.count-first {
		return fmt.Errorf("%d from %d on are reported, and the bulk has %d from %d on", count, first, m.count, m.first)
	}
	for n := first - m.first; n < first-m.first+count; n++ {
		if m.had[n/64]&(1<<(n%64)) != 0 {
			return fmt.Errorf("record %d was reported before", m.first+n)
		}
		m.had[n/64] |= 1 << (n % 64)
	}
	m.left -= count
	m.reports(drivers.Reported{First: first - m.first, Count: count, Delivery: d})
	return nil
}

// produceMany is one call; reports come before its answer.
func (p *producer) produceMany(ctx context.Context, b drivers.Bulk, report func(drivers.Reported)) (drivers.Produced, error) {
	m := &many{count: b.Count, left: b.Count, reports: report, had: make([]uint64, (b.Count+63)/64)}
	p.mu.Lock()
	m.first = p.next
	p.next += b.Count
	p.bulks = append(p.bulks, m)
	p.mu.Unlock()
	var body measured
	r := &request{Verb: "produce-many", bulk: bulk{
		Topic: b.Topic, Partition: &b.Partition, Count: b.Count, Keys: b.Keys, ValueBytes: b.ValueBytes,
		Rate: b.Rate, Transaction: b.Transaction,
	}}
	err := p.askBroker(ctx, r, &body)
	p.mu.Lock()
	left := m.left
	p.mu.Unlock()
	if err == nil && left > 0 {
		p.fail("says that produce-many of %s is done, and %d of %d records were never reported", p.name, left, b.Count)
		err = p.callError("produce many", p.dead())
	}
	if wanted := timed(b); err == nil && int64(len(body.Latencies)) != wanted {
		p.fail("tells %d times of produce-many of %s, expected %d", len(body.Latencies), p.name, wanted)
		err = p.callError("produce many", p.dead())
	}
	return drivers.Produced{Elapsed: body.elapsed(), Latencies: body.Latencies, Allocated: body.Allocated}, err
}

func (m measured) elapsed() time.Duration { return time.Duration(m.ElapsedUS) * time.Microsecond }

// timed is how many times a bulk has: those of its transactions, or of its records.
func timed(b drivers.Bulk) int64 {
	switch {
	case b.Transaction > 0:
		return (b.Count + b.Transaction - 1) / b.Transaction
	case b.Rate > 0:
		return b.Count
	}
	return 0
}

// processMany is one call. The consumer is another handle of the same process.
func (t *transactional) processMany(ctx context.Context, p drivers.Processing) (drivers.Processed, error) {
	from, is := p.Consumer.(interface{ handleIn(*process) string })
	if !is || from.handleIn(t.process) == "" {
		return drivers.Processed{}, fmt.Errorf("process many: expected a consumer of the same process, got a %T", p.Consumer)
	}
	var body processed
	left := timeLeft(ctx)
	r := &request{Verb: "process-many", TimeoutMS: millis(left), Consumer: from.handleIn(t.process), bulk: bulk{
		Topic: p.Topic, Count: p.Count, Transaction: p.Transaction,
	}}
	if err := t.askUntil(ctx, r, left+t.patience, lastCount, &body); err != nil {
		return drivers.Processed{}, err
	}
	if body.Count < p.Count {
		t.fail("says that process-many of %s is done, with %d of %d records", t.name, body.Count, p.Count)
		return drivers.Processed{}, t.callError("process many", t.dead())
	}
	return drivers.Processed{Records: body.Count, Elapsed: body.elapsed(), Latencies: body.Latencies, Allocated: body.Allocated}, nil
}

// lastCount is how long the answer to consume-many may still come: without it nobody
// knows what was read.
const lastCount = 3 * time.Second

// consumeMany is one call.
func (c *consumer) consumeMany(ctx context.Context, count int64) (drivers.Consumed, error) {
	var body consumed
	left := timeLeft(ctx)
	r := &request{Verb: "consume-many", TimeoutMS: millis(left), bulk: bulk{Count: count}}
	if err := c.askUntil(ctx, r, left+c.patience, lastCount, &body); err != nil {
		return drivers.Consumed{}, err
	}
	got := drivers.Consumed{Records: body.Count, Bytes: body.Bytes, Elapsed: body.elapsed(), Allocated: body.Allocated}
	var inRuns int64
	for _, r := range body.Runs {
		got.Runs = append(got.Runs, drivers.Run(r))
		inRuns += r.Count
	}
	if inRuns != body.Count {
		c.fail("says that consume-many of %s read %d records, in runs of %d", c.name, body.Count, inRuns)
		return got, c.callError("consume many", c.dead())
	}
	return got, nil
}
