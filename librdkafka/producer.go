//go:build cgo

package librdkafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers"
)

const (
	// roomInterval is how often a record that found the queue full is offered
	// again. librdkafka frees its room after the report was taken, which
	// nothing tells.
	roomInterval = 5 * time.Millisecond

	// flushInterval is how soon Flush sees that its context has ended.
	flushInterval = 50 * time.Millisecond
)

// producer drives one rd_kafka_t. One goroutine takes reports and other events
// from the binding's channel, from the first moment to the last: whatever waits
// there counts as not flushed, and a full channel stops the library.
type producer struct {
	lib           *kafka.Producer
	transactional bool
	calls         *calls
	pending       drivers.Outstanding
	logs          *logs
	figures       figures
	served        chan struct{} // closed when the goroutine has ended
	last          atomic.Pointer[string]

	mu   sync.Mutex
	gone bool // lib is being destroyed
}

func newProducer(role drivers.Role, s drivers.Settings) (*producer, error) {
	logs := startLogs(s.Log)
	conf, err := producerConfig(role, s, logs.lines)
	if err != nil {
		logs.stop()
		return nil, err
	}
	began := time.Now()
	lib, err := kafka.NewProducer(&conf)
	if err != nil {
		logs.stop()
		return nil, callError("new client", err)
	}
	p := &producer{
		lib: lib, transactional: role == drivers.RoleTransactionalProducer,
		calls: newCalls(), logs: logs, figures: figures{began: began}, served: make(chan struct{}),
	}
	go p.serve()
	return p, nil
}

// Produce hands over one record; see drivers.Producer.
func (p *producer) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.pending.Add()
	m := kafka.Message{
		TopicPartition: kafka.TopicPartition{Topic: p.topic(r.Topic), Partition: r.Partition},
		Key:            r.Key, Value: r.Value, Opaque: report, // the way back
	}
	for _, h := range r.Headers {
		m.Headers = append(m.Headers, kafka.Header{Key: h.Key, Value: h.Value})
	}
	if err := p.enqueue(ctx, &m); err != nil {
		refused := drivers.Delivery{Outcome: drivers.Failed, Partition: r.Partition, Offset: drivers.NoOffset}
		refused.Err = p.reason(fromLibrary(err))
		p.report(report, refused)
	}
}

// enqueue waits while the queue is full, until ctx ends.
func (p *producer) enqueue(ctx context.Context, m *kafka.Message) error {
	if err := p.calls.enter(); err != nil {
		return err
	}
	defer p.calls.leave()
	for {
		err := p.lib.Produce(m, nil)
		if err == nil || fromLibrary(err).Code() != kafka.ErrQueueFull {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(roomInterval):
		}
	}
}

// topic is a place that has the name, that of the last record where it is the same: the
// library wants a pointer, and one to the record would move the record to the heap.
func (p *producer) topic(name string) *string {
	if last := p.last.Load(); last != nil && *last == name {
		return last
	}
	own := name // it is this that moves there, and not the argument
	p.last.Store(&own)
	return &own
}

// serve ends when the library closes its channel.
func (p *producer) serve() {
	defer close(p.served)
	for event := range p.lib.Events() {
		if m, ok := event.(*kafka.Message); ok {
			p.report(m.Opaque.(func(drivers.Delivery)), p.delivery(m.TopicPartition))
		} else {
			p.told(event)
		}
	}
}

// report counts a record as reported after its report, so that Flush cannot
// return in between.
func (p *producer) report(to func(drivers.Delivery), d drivers.Delivery) {
	to(d)
	p.pending.Done()
}

func (p *producer) delivery(tp kafka.TopicPartition) drivers.Delivery {
	d := drivers.Delivery{Outcome: drivers.Acked, Partition: tp.Partition, Offset: int64(tp.Offset)}
	if tp.Offset == kafka.OffsetInvalid {
		d.Offset = drivers.NoOffset
	}
	if tp.Error != nil {
		d.Outcome, d.Err = drivers.Failed, p.reason(fromLibrary(tp.Error))
	}
	return d
}

// reason is why a record failed. When a producer dies librdkafka purges its
// queue, and refuses what comes later, without saying what it died of.
func (p *producer) reason(e kafka.Error) *drivers.Error {
	if e.Code() == kafka.ErrPurgeQueue || e.Code() == kafka.ErrFatal {
		if cause, died := p.fatal(); died {
			return describe("produce", callClass(cause), cause)
		}
	}
	return describe("produce", deliveryClass(e, p.transactional), e)
}

// fatal is the error that the producer died of, if it did.
func (p *producer) fatal() (kafka.Error, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return kafka.Error{}, false
	}
	var e kafka.Error
	died := errors.As(p.lib.GetFatalError(), &e)
	return e, died
}

// Flush waits until nothing is pending; see drivers.Producer.
func (p *producer) Flush(ctx context.Context) error {
	if err := p.calls.enter(); err != nil {
		return callError("flush", err)
	}
	defer p.calls.leave()
	for {
		select {
		case <-p.pending.None():
			return nil
		case <-ctx.Done():
			return fmt.Errorf("flush: %d records are not reported: %w", p.pending.Count(), ctx.Err())
		default:
		}
		p.flushFor(flushInterval)
	}
}

// flushFor lets the library send without lingering. That none are left there
// means that their reports are on the way to serve, which takes a moment.
func (p *producer) flushFor(d time.Duration) {
	if p.lib.Flush(int(d.Milliseconds())) > 0 {
		return
	}
	select {
	case <-p.pending.None():
	case <-time.After(time.Millisecond):
	}
}

// Close gives up what is pending; see drivers.Producer.
//
// librdkafka would throw away the records that are pending without a report. So
// they are purged first: those in the queue, and those whose answer is awaited,
// come back as _PURGE_QUEUE and _PURGE_INFLIGHT. That also ends a Produce that
// waits for room, a Flush, and a Commit that still flushes.
func (p *producer) Close() error {
	if !p.calls.close() {
		return nil
	}
	p.purge()
	return p.calls.teardown(p.free)
}

func (p *producer) purge() {
	if err := p.lib.Purge(kafka.PurgeQueue | kafka.PurgeInFlight | kafka.PurgeNonBlocking); err != nil {
		p.logs.sink("purge: " + err.Error())
	}
}

// ClosePlainly is kafka.Producer.Close of the binding: it closes its channel of
// reports first, and then destroys the handle, which throws away what is pending.
func (p *producer) ClosePlainly() error {
	if !p.calls.close() {
		return nil
	}
	return p.calls.teardown(p.destroy)
}

// free purges again, because a Produce that was inside may have handed a record
// over meanwhile. It waits for the last reports, but not for ever: what is not
// reported stays unknown.
func (p *producer) free() {
	p.purge()
	select {
	case <-p.pending.None():
	case <-time.After(patience / 2):
	}
	p.destroy()
}

func (p *producer) destroy() {
	p.mu.Lock()
	p.gone = true
	p.mu.Unlock()
	p.lib.Close()
	<-p.served
	p.logs.stop()
}
