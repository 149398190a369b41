package memory

import (
	"context"

	"kcompare/drivers"
)

// session is a transactional.id as one producer holds it.
type session struct {
	id    string
	epoch int
	open  *transaction // nil outside a transaction
}

// fenced says whether a newer producer has the transactional.id. Without
// transactions nobody is fenced.
func (s *session) fenced(call string, b *Broker) *drivers.Error {
	if s == nil || b.epochs[s.id] == s.epoch {
		return nil
	}
	return failure(call, drivers.Fenced, "FENCED", "a newer producer has this transactional.id")
}

// wrote adds an entry to the open transaction. There is none when a record was
// left behind by a commit that did not flush.
func (s *session) wrote(e *Entry) {
	if s != nil && s.open != nil {
		s.open.entries = append(s.open.entries, e)
	}
}

type transactionalProducer struct {
	*producer
	id string
}

// Init never waits.
func (p *transactionalProducer) Init(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broker.mu.Lock()
	defer p.broker.mu.Unlock()
	p.transaction.epoch = p.broker.epochs[p.id]
	if p.conduct.fences {
		p.transaction.epoch = p.broker.takeOver(p.id, p.conduct)
	}
	p.transaction.id = p.id
	return nil
}

// Begin expects Init, and the end of the transaction before.
func (p *transactionalProducer) Begin(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.transaction.id == "":
		return failure("begin", drivers.Application, "NO_INIT", "expected Init before Begin")
	case p.transaction.open != nil:
		return failure("begin", drivers.Application, "OPEN", "expected the end of the open transaction before Begin")
	}
	p.broker.mu.Lock()
	defer p.broker.mu.Unlock()
	p.transaction.open = &transaction{}
	p.broker.open[p.id] = p.transaction.open
	return nil
}

// SendOffsets keeps the offsets until the transaction ends.
func (p *transactionalProducer) SendOffsets(_ context.Context, offsets []drivers.Position, group drivers.GroupMetadata) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.transaction.open == nil {
		return failure("send offsets", drivers.Application, "NO_TRANSACTION", "no transaction was begun")
	}
	p.broker.mu.Lock()
	defer p.broker.mu.Unlock()
	if err := p.transaction.fenced("send offsets", p.broker); err != nil {
		return err
	}
	for _, o := range offsets {
		p.transaction.open.offsets = append(p.transaction.open.offsets, groupOffset{group.Group, o})
	}
	return nil
}

// Commit flushes and commits.
func (p *transactionalProducer) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	if p.conduct.commitFlushes {
		if err := p.Flush(ctx); err != nil {
			return p.conduct.ended(drivers.TransactionUnknown, unanswered("commit"))
		}
	}
	return p.conduct.ended(p.end(ctx, "commit", drivers.Committed))
}

// Abort fails what is pending, and aborts.
func (p *transactionalProducer) Abort(ctx context.Context) (drivers.TransactionOutcome, error) {
	p.mu.Lock()
	p.drop(failure("produce", drivers.Abortable, "ABORTED", "the transaction was aborted before the record was written"))
	p.mu.Unlock()
	return p.conduct.ended(p.end(ctx, "abort", drivers.Aborted))
}

func (p *transactionalProducer) end(ctx context.Context, call string, as drivers.TransactionOutcome) (drivers.TransactionOutcome, error) {
	outcome, err := p.tryEnd(call, as)
	if err == nil {
		return outcome, nil
	}
	if err.Class == drivers.UnknownOutcome {
		<-ctx.Done()
	}
	return outcome, err
}

// tryEnd asks the broker once. A lost request changes nothing.
func (p *transactionalProducer) tryEnd(call string, as drivers.TransactionOutcome) (drivers.TransactionOutcome, *drivers.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.transaction.open == nil {
		return drivers.TransactionUnknown, failure(call, drivers.Application, "NO_TRANSACTION", "no transaction was begun")
	}
	p.broker.mu.Lock()
	defer p.broker.mu.Unlock()
	if err := p.transaction.fenced(call, p.broker); err != nil {
		return drivers.TransactionUnknown, err
	}
	if p.broker.deaf[p.id] {
		return drivers.TransactionUnknown, unanswered(call)
	}
	p.broker.endTransaction(p.id, p.transaction.open, as == drivers.Committed, p.conduct)
	p.transaction.open = nil
	return as, nil
}

func unanswered(call string) *drivers.Error {
	return failure(call, drivers.UnknownOutcome, "TIMED_OUT", "the broker did not answer")
}
