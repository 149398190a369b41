package scenario

import (
	"context"
	"fmt"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// lateStory is two transactions of one producer, and what happens in between.
type lateStory struct {
	first   ordered
	between func(context.Context, *Stage) error // nil: nothing
	second  ordered
}

// ordered is what a transaction writes, one message after the other, and how the
// program wants it to end.
type ordered struct {
	messages []Message
	end      evidence.End
}

// purchase is a payment and its receipt, to end so.
func purchase(n int, end evidence.End) ordered {
	key := fmt.Appendf(nil, "order-%d", n)
	return ordered{end: end, messages: []Message{
		{Topic: payments, ID: evidence.RecordID{Role: payments, N: n}, Key: key, Value: fmt.Appendf(nil, "payment-%d", n)},
		{Topic: receipts, ID: evidence.RecordID{Role: receipts, N: n}, Key: fmt.Appendf(nil, "receipt-%d", n), Value: fmt.Appendf(nil, "receipt-%d", n)},
	}}
}

func (l lateStory) run(ctx context.Context, s *Stage) error {
	p, err := s.initialized(ctx)
	if err != nil {
		return err
	}
	if p, err = p.carryOut(ctx, l.first); err != nil {
		return err
	}
	if l.between != nil {
		if err := l.between(ctx, s); err != nil {
			return err
		}
	}
	_, err = p.carryOut(ctx, l.second)
	return err
}

// bystanderStarts waits until the markers of what was committed are written, and then
// lets a producer with an id of its own get ready.
func bystanderStarts(ctx context.Context, s *Stage) error {
	if err := s.Watch.Decided(ctx); err != nil {
		return err
	}
	p, err := s.NewTransactionalProducer("bystander", s.OwnID("bystander"))
	if err != nil {
		return err
	}
	return p.Init(ctx)
}

// runAndGiveUp asks to commit the first transaction, and does not wait for long.
func (l lateStory) runAndGiveUp(ctx context.Context, s *Stage) error {
	p, err := s.initialized(ctx)
	if err != nil {
		return err
	}
	if err := p.Begin(ctx); err != nil {
		return err
	}
	if err := p.sendInTurn(ctx, l.first.messages); err != nil {
		return err
	}
	const patience = time.Second
	impatient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_ = p.Commit(impatient) // what it says is in the ledger
	if err := p.Close(); err != nil {
		return err
	}
	if _, err := s.Watch.Exchange(ctx, isHeld); err != nil {
		return err
	}
	return s.Watch.Decided(ctx)
}

func isHeld(e evidence.Exchange) bool { return e.Fault == string(fault.HoldRequest) }

// carryOut is one transaction. It is aborted when a message failed, or when that is
// what the program wants; where even that fails, a new instance ends it.
func (p *TransactionalProducer) carryOut(ctx context.Context, t ordered) (*TransactionalProducer, error) {
	p, err := p.Open(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.sendInTurn(ctx, t.messages); err != nil {
		return nil, err
	}
	if t.end == evidence.AskedCommit && !p.Failed() {
		if err := p.Commit(ctx); err == nil || ctx.Err() != nil {
			return p, err
		}
	}
	return p.GiveUp(ctx)
}
