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
func (p *producer) produceMany(ctx context.Context, b drivers.Bulk, report func(drivers.Reported)) (time.Duration, error) {
	m := &many{count: b.Count, left: b.Count, reports: report, had: make([]uint64, (b.Count+63)/64)}
	p.mu.Lock()
	m.first = p.next
	p.next += b.Count
	p.bulks = append(p.bulks, m)
	p.mu.Unlock()
	var body struct {
		ElapsedUS int64 `json:"elapsed_us"`
	}
	r := &request{Verb: "produce-many", bulk: bulk{
		Topic: b.Topic, Partition: &b.Partition, Count: b.Count, Keys: b.Keys, ValueBytes: b.ValueBytes,
	}}
	err := p.askBroker(ctx, r, &body)
	p.mu.Lock()
	left := m.left
	p.mu.Unlock()
	if err == nil && left > 0 {
		p.fail("says that produce-many of %s is done, and %d of %d records were never reported", p.name, left, b.Count)
		err = p.callError("produce many", p.dead())
	}
	return time.Duration(body.ElapsedUS) * time.Microsecond, err
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
	got := drivers.Consumed{Records: body.Count, Bytes: body.Bytes, Elapsed: time.Duration(body.ElapsedUS) * time.Microsecond}
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
