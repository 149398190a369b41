package sarama

import (
	"context"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

// transactional is a sarama.AsyncProducer with a transactional.id, which gets its
// producer id when it is made. So it is made in Init.
type transactional struct{ *producer }

// Init makes the producer, which fences older ones; see drivers.TransactionalProducer.
func (p *transactional) Init(ctx context.Context) error {
	return asError("init", p.calls.run(ctx, func() error {
		p.open()
		select {
		case <-p.opened:
			return p.failure
		case <-p.calls.shut:
			return errClosed
		}
	}))
}

// ready is the error of a call that needs Init before it.
func (p *transactional) ready() error {
	select {
	case <-p.opened:
		return p.failure
	default:
		return errNotInitialized
	}
}

// Produce refuses what comes before Init.
func (p *transactional) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if err := p.ready(); err != nil {
		m := message(r, report)
		p.pending.Add()
		p.refuse(m, err)
		return
	}
	p.producer.Produce(ctx, r, report)
}

// Begin is BeginTxn, which is local.
func (p *transactional) Begin(ctx context.Context) error {
	return asError("begin", p.call(ctx, func() error { return p.lib.BeginTxn() }))
}

// call makes a call of a producer that there is.
func (p *transactional) call(ctx context.Context, f func() error) error {
	if err := p.ready(); err != nil {
		return err
	}
	return p.calls.run(ctx, f)
}

// SendOffsets is AddOffsetsToTxnWithGroupMetadata. sarama keeps the offsets and sends
// them in CommitTxn (transaction_manager.go, finishTransaction).
func (p *transactional) SendOffsets(ctx context.Context, at []drivers.Position, group drivers.GroupMetadata) error {
	if group.Group == "" {
		return errorOf("send offsets", errNoGroup)
	}
	member := &sarama.ConsumerGroupMetadata{GroupID: group.Group, GenerationID: group.Generation, MemberID: group.Member}
	if group.Instance != "" {
		member.GroupInstanceID = &group.Instance
	}
	offsets := map[string][]*sarama.PartitionOffsetMetadata{}
	for _, o := range at {
		offsets[o.Topic] = append(offsets[o.Topic], &sarama.PartitionOffsetMetadata{Partition: o.Partition, Offset: o.Offset, LeaderEpoch: -1})
	}
	return asError("send offsets", p.call(ctx, func() error {
		return p.lib.AddOffsetsToTxnWithGroupMetadata(offsets, member)
	}))
}

// Commit is CommitTxn, which waits for all records first, sends the offsets, and refuses
// if a record has failed.
func (p *transactional) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	return p.end(ctx, "commit", drivers.Committed, func() error { return p.lib.CommitTxn() })
}

// Abort is AbortTxn, which sends what is pending first.
func (p *transactional) Abort(ctx context.Context) (drivers.TransactionOutcome, error) {
	return p.end(ctx, "abort", drivers.Aborted, func() error { return p.lib.AbortTxn() })
}

// end hands over what still waits, and afterwards waits for the last reports, which may
// be on their way. Only success says how a transaction ended: an EndTxn that was refused
// may be the repetition of one that was executed.
func (p *transactional) end(ctx context.Context, call string, as drivers.TransactionOutcome, f func() error) (drivers.TransactionOutcome, error) {
	err := p.call(ctx, func() error {
		if err := p.queued.Wait(ctx); err != nil {
			return err
		}
		return f()
	})
	if err != nil {
		return drivers.TransactionUnknown, p.endError(call, err)
	}
	_ = p.pending.Wait(ctx) // what is not reported by then stays unknown
	return as, nil
}

// endError also asks sarama in which state the error has left the producer.
func (p *transactional) endError(call string, err error) *drivers.Error {
	e := errorOf(call, err)
	if p.ready() != nil || e.Class == drivers.Fenced {
		return e
	}
	switch status := p.lib.TxnStatus(); {
	case status&sarama.ProducerTxnFlagFatalError != 0:
		e.Class = drivers.Fatal
	case status&sarama.ProducerTxnFlagAbortableError != 0:
		e.Class = drivers.Abortable
	}
	return e
}
