package franz

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// producer is a kgo client that writes.
type producer struct {
	cl       *kgo.Client
	cancel   context.CancelFunc // ends everything that cl does
	padding  *padding           // nil without OneRecordPerBatch
	giveUp   bool               // a record ends with its context (drivers.Settings.RecordContexts)
	counters *counters          // nil without Figures

	// kgo has a count of its own, but not of a record that it refuses at once: it
	// reports that one from a goroutine which kgo.Client.Flush does not wait for.
	pending drivers.Outstanding

	room    room
	promise func(*kgo.Record, error) // promised
	acked   *atomic.Bool             // becomes true when kgo wrote a record; nil where nobody asks
}

func newProducer(role drivers.Role, s drivers.Settings) (*producer, error) {
	t, err := translate(role, s)
	if err != nil {
		return nil, err
	}
	cl, cancel, err := open(t.opts)
	if err != nil {
		return nil, err
	}
	p := &producer{cl: cl, cancel: cancel, padding: t.padding, giveUp: s.RecordContexts, counters: t.counters}
	p.room.of(cl)
	p.promise = p.promised
	return p, nil
}

// open makes a client whose whole work ends with cancel.
func open(opts []kgo.Opt) (*kgo.Client, context.CancelFunc, error) {
	if err := validate(opts); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cl, err := kgo.NewClient(append(opts, kgo.WithContext(ctx))...)
	if err != nil {
		cancel()
		return nil, nil, errorOf("new client", err)
	}
	return cl, cancel, nil
}

func (p *producer) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	rec := &newSent(&r, report).Record
	if p.padding != nil {
		p.padding.pad(rec)
	}
	switch {
	case p.giveUp || ctx.Done() == nil:
		p.pending.Add()
		p.cl.Produce(ctx, rec, p.promise)
	case !p.room.hand(&p.pending, p.cl, rec, p.promise):
		p.await(ctx, rec, p.promise)
	}
}

// await hands over a record that may have to wait for room. kgo takes a context for the
// whole life of the record, and gives the record up when it ends; ctx bounds the wait only.
func (p *producer) await(ctx context.Context, rec *kgo.Record, promise func(*kgo.Record, error)) {
	waiting, stop := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, stop)
	defer detach()
	p.cl.Produce(waiting, rec, promise)
}

// promised takes what kgo says of a record.
func (p *producer) promised(rec *kgo.Record, err error) {
	p.ended(err)
	rec.Context.(*sent).report(p.delivery(rec, err))
	p.pending.Done()
}

// ended notes whether kgo wrote a record.
func (p *producer) ended(err error) {
	if err == nil && p.acked != nil && !p.acked.Load() {
		p.acked.Store(true)
	}
}

// delivery is what kgo's promise says. kgo tells offset 0 with acks=0. The
// partition of a failed record is the one that it was meant for, if any was
// chosen before it failed: kgo leaves Partition alone until then.
func (p *producer) delivery(rec *kgo.Record, err error) drivers.Delivery {
	if err == nil {
		return drivers.Delivery{Outcome: drivers.Acked, Partition: rec.Partition, Offset: rec.Offset}
	}
	failed := errorOf("produce", err)
	if p.giveUp && errors.Is(err, context.Canceled) {
		failed.Class = drivers.UnknownOutcome // it may have been given up in flight
	}
	return drivers.Delivery{Outcome: drivers.Failed, Partition: rec.Partition, Offset: drivers.NoOffset, Err: failed}
}

func (p *producer) Flush(ctx context.Context) error {
	err := p.cl.Flush(ctx) // sends what lingers
	if err == nil {
		err = p.pending.Wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("flush: %d records are not reported yet: %w", p.pending.Count(), err)
	}
	return nil
}

// Close cancels before it closes: kgo.Client.Close alone gives a client's last
// metrics a second to reach the broker (KIP-714). What was pending is reported by
// kgo's own goroutine, which is waited for.
func (p *producer) Close() error {
	p.cancel()
	p.cl.Close()
	const reports = 10 * time.Second // they come without the broker, so at once
	ctx, stop := context.WithTimeout(context.Background(), reports)
	defer stop()
	if err := p.pending.Wait(ctx); err != nil {
		return fmt.Errorf("close: kgo never reported %d records: %w", p.pending.Count(), err)
	}
	return nil
}

// ClosePlainly is kgo.Client.Close. It fails what is buffered, and returns while its
// promises are being called; it may wait a second for metrics (KIP-714).
func (p *producer) ClosePlainly() error {
	p.cl.Close()
	p.cancel()
	return nil
}
