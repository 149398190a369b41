package sarama

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

// producer is a sarama.AsyncProducer. To make one is to ask the cluster for metadata and
// a producer id, so that happens in a goroutine of its own; what is handed over before
// waits in a channel as long as sarama's own.
type producer struct {
	settings translation
	links    *connections
	calls    *calls
	queue    chan *sarama.ProducerMessage
	queued   drivers.Outstanding // in queue, and not handed to sarama yet
	pending  drivers.Outstanding // handed over, and not reported

	begin  sync.Once
	opened chan struct{} // closed when lib or failure is set
	ended  chan struct{} // closed when sarama has ended

	lib     sarama.AsyncProducer
	failure error // of making lib

	log    logger
	silent atomic.Bool // Close has returned: nothing is reported any more

	mu      sync.Mutex
	cluster sarama.Client // nil before it is made
}

func newProducer(role drivers.Role, s drivers.Settings) (*producer, error) {
	t, err := translate(role, s)
	if err != nil {
		return nil, err
	}
	if err := validate(t); err != nil {
		return nil, err
	}
	return &producer{
		settings: t, links: connect(t.conf), calls: newCalls(),
		queue:  make(chan *sarama.ProducerMessage, t.conf.ChannelBufferSize),
		opened: make(chan struct{}), ended: make(chan struct{}), log: s.Log,
	}, nil
}

// open begins to make the producer, the first time that it is called.
func (p *producer) open() { p.begin.Do(func() { go p.serve() }) }

// serve makes the producer, hands it what comes, and ends with it, after the queue was
// closed.
func (p *producer) serve() {
	defer close(p.ended)
	defer p.endCluster()
	p.lib, p.failure = p.make()
	close(p.opened)
	if p.failure != nil {
		p.refuseAll()
		return
	}
	var reports sync.WaitGroup
	reports.Go(p.successes)
	reports.Go(p.failures)
	for m := range p.queue {
		p.lib.Input() <- m
		p.queued.Done()
	}
	p.lib.AsyncClose()
	reports.Wait() // sarama closes its channels when everything is reported
}

func (p *producer) make() (sarama.AsyncProducer, error) {
	cluster, err := newClient(p.settings)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.cluster = cluster
	p.mu.Unlock()
	return sarama.NewAsyncProducerFromClient(cluster)
}

// endCluster ends the client below the producer. Without it sarama's attempts fail at
// once.
func (p *producer) endCluster() {
	p.mu.Lock()
	cluster := p.cluster
	p.cluster = nil
	p.mu.Unlock()
	if cluster != nil {
		_ = cluster.Close()
	}
}

// refuseAll is for what was handed to a producer that sarama could not make: nothing of
// it was sent, and there is no producer.
func (p *producer) refuseAll() {
	for m := range p.queue {
		p.queued.Done()
		cause := p.failure
		if p.calls.isShut.Load() {
			cause = errClosed
		}
		e := errorOf("produce", cause)
		e.Class = drivers.Fatal
		p.report(m, failed(m, e))
	}
}

func (p *producer) successes() {
	for m := range p.lib.Successes() {
		p.report(m, p.acked(m))
	}
}

func (p *producer) failures() {
	for e := range p.lib.Errors() {
		p.report(e.Msg, failed(e.Msg, errorOf("produce", e.Err)))
	}
}

// acked is what sarama says of a record that is written. Without acks it knows no offset.
func (p *producer) acked(m *sarama.ProducerMessage) drivers.Delivery {
	d := drivers.Delivery{Outcome: drivers.Acked, Partition: m.Partition, Offset: m.Offset}
	if p.settings.conf.Producer.RequiredAcks == sarama.NoResponse {
		d.Offset = drivers.NoOffset
	}
	return d
}

func failed(m *sarama.ProducerMessage, e *drivers.Error) drivers.Delivery {
	return drivers.Delivery{Outcome: drivers.Failed, Partition: m.Partition, Offset: drivers.NoOffset, Err: e}
}

// report counts a record as reported after its report, so that Flush cannot return in
// between.
func (p *producer) report(m *sarama.ProducerMessage, d drivers.Delivery) {
	if !p.silent.Load() {
		m.Metadata.(func(drivers.Delivery))(d)
	}
	p.pending.Done()
}

// Produce hands over one record; see drivers.Producer.
func (p *producer) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	m := message(r, report)
	p.pending.Add()
	if err := p.hand(ctx, m); err != nil {
		p.refuse(m, err)
	}
}

// refuse is for a record that sarama never gets, after Close as well.
func (p *producer) refuse(m *sarama.ProducerMessage, err error) {
	m.Metadata.(func(drivers.Delivery))(failed(m, notHandedOver(err)))
	p.pending.Done()
}

// hand waits while sarama takes no more, until ctx ends.
func (p *producer) hand(ctx context.Context, m *sarama.ProducerMessage) error {
	if err := p.calls.enter(); err != nil {
		return err
	}
	defer p.calls.leave()
	if p.isOpen() && p.queued.Count() == 0 {
		return p.put(ctx, p.lib.Input(), m)
	}
	p.queued.Add()
	err := p.put(ctx, p.queue, m)
	if err != nil {
		p.queued.Done()
	}
	return err
}

// isOpen says whether there is a sarama producer.
func (p *producer) isOpen() bool {
	select {
	case <-p.opened:
		return p.failure == nil
	default:
		return false
	}
}

func (p *producer) put(ctx context.Context, to chan<- *sarama.ProducerMessage, m *sarama.ProducerMessage) error {
	select {
	case to <- m:
		return nil
	default: // ctx may have ended as well, and would win half of the time below
	}
	select {
	case to <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.calls.shut:
		return errClosed
	}
}

// message carries the way back to the caller as its metadata.
func message(r drivers.Record, report func(drivers.Delivery)) *sarama.ProducerMessage {
	m := &sarama.ProducerMessage{Topic: r.Topic, Partition: r.Partition, Metadata: report}
	if r.Key != nil {
		m.Key = sarama.ByteEncoder(r.Key)
	}
	if r.Value != nil {
		m.Value = sarama.ByteEncoder(r.Value)
	}
	for _, h := range r.Headers {
		m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte(h.Key), Value: h.Value})
	}
	return m
}

// Flush waits: sarama cannot be told to send what lingers.
func (p *producer) Flush(ctx context.Context) error {
	if err := p.pending.Wait(ctx); err != nil {
		return fmt.Errorf("flush: %d records are not reported yet: %w", p.pending.Count(), err)
	}
	return nil
}

// Close gives up what is pending; see drivers.Producer. Without connections sarama fails
// every record that it tries to send. Those that linger it keeps for as long as they do,
// and it may sleep for some seconds before it knows (client.go, findCoordinator); nobody
// waits for that, for it can do nothing any more, and such records stay unknown.
func (p *producer) Close() error {
	if !p.calls.close() {
		return nil
	}
	p.links.cut()
	if err := within(patience, func() { p.endCluster(); p.shut() }); err != nil {
		p.log.tell("producer", err)
	}
	p.silent.Store(true)
	return nil
}

// ClosePlainly is sarama's own close of a producer whose channels the program reads:
// AsyncClose, and to read on until they are closed. sarama sends what is pending first.
func (p *producer) ClosePlainly() error {
	const long = 30 * time.Second // kcompare must not hang, whatever sarama waits for
	if !p.calls.close() {
		return nil
	}
	defer p.links.cut()
	return within(long, p.shut)
}

func (p *producer) shut() {
	<-p.calls.inside.None()
	close(p.queue)
	p.begin.Do(func() { close(p.ended) }) // it was never opened
	<-p.ended
}
