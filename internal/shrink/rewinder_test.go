package shrink_test

import (
	"context"
	"sync"

	"kcompare/drivers"
)

// rewinder is franz-go whose idempotent producer is what kafkajs 2.2.4 has (issue 1005): a
// failed send takes the counter of sequence numbers back, and whatever waits goes first
// under the same number. One record at a time is always right. It knows one partition.
type rewinder struct{ drivers.Driver }

func (d rewinder) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	raw, err := d.Driver.(drivers.RawDriver).NewRaw(s)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &rewinding{raw: raw, stop: stop, work: make(chan struct{}, 1)}
	p.done.Go(func() { p.sendAll(ctx) })
	return p, nil
}

type rewinding struct {
	raw  drivers.Raw
	stop context.CancelFunc
	done sync.WaitGroup
	work chan struct{} // something waits

	mu          sync.Mutex
	waiting     []waiting
	outstanding drivers.Outstanding
}

type waiting struct {
	record drivers.Record
	report func(drivers.Delivery)
}

func (p *rewinding) Produce(_ context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.outstanding.Add()
	p.mu.Lock()
	p.waiting = append(p.waiting, waiting{r, report})
	p.mu.Unlock()
	p.wake()
}

func (p *rewinding) wake() {
	select {
	case p.work <- struct{}{}:
	default:
	}
}

func (p *rewinding) sendAll(ctx context.Context) {
	id, err := p.raw.Init(ctx, "")
	for sequence := int32(0); err == nil; {
		next, some := p.next(ctx)
		if !some {
			return
		}
		batch := drivers.RawBatch{
			TopicPartition: drivers.TopicPartition{Topic: next.record.Topic}, ProducerID: id, Sequence: sequence, Acks: -1,
			Records: []drivers.Record{next.record},
		}
		answer, failed := p.raw.Produce(ctx, batch)
		if failed != nil {
			p.again(next)
			continue
		}
		sequence++
		next.report(drivers.Delivery{Outcome: drivers.Acked, Offset: answer.Offset})
		p.outstanding.Done()
	}
}

// next waits for a record.
func (p *rewinding) next(ctx context.Context) (waiting, bool) {
	for {
		p.mu.Lock()
		if len(p.waiting) > 0 {
			first := p.waiting[0]
			p.waiting = p.waiting[1:]
			p.mu.Unlock()
			return first, true
		}
		p.mu.Unlock()
		select {
		case <-p.work:
		case <-ctx.Done():
			return waiting{}, false
		}
	}
}

// again puts a record behind the next one that waits.
func (p *rewinding) again(w waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := min(1, len(p.waiting))
	p.waiting = append(p.waiting[:at:at], append([]waiting{w}, p.waiting[at:]...)...)
}

func (p *rewinding) Flush(ctx context.Context) error { return p.outstanding.Wait(ctx) }

func (p *rewinding) Close() error {
	p.stop()
	p.done.Wait()
	return p.raw.Close()
}
