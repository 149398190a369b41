package clients

import (
	"context"
	"encoding/json"
	"fmt"

	"kcompare/drivers"
)

// transactional adds the verbs of transactions; see drivers.TransactionalProducer.
type transactional struct{ *producer }

// Init asks for a producer id.
func (t *transactional) Init(ctx context.Context) error {
	return t.askBroker(ctx, &request{Verb: "init"}, nil)
}

// Begin starts a transaction.
func (t *transactional) Begin(ctx context.Context) error {
	return t.askFor(ctx, &request{Verb: "begin"}, t.patience, nil)
}

// SendOffsets adds positions to the transaction.
func (t *transactional) SendOffsets(ctx context.Context, offsets []drivers.Position, g drivers.GroupMetadata) error {
	own, is := g.Library.(json.RawMessage)
	if !is {
		own = encode(group{Group: g.Group, Generation: g.Generation, Member: g.Member, Instance: g.Instance})
	}
	return t.askBroker(ctx, &request{Verb: "send-offsets", Offsets: toPositions(offsets), Group: own}, nil)
}

// Commit ends the transaction.
func (t *transactional) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	return t.end(ctx, "commit")
}

// Abort ends it otherwise.
func (t *transactional) Abort(ctx context.Context) (drivers.TransactionOutcome, error) {
	return t.end(ctx, "abort")
}

func (t *transactional) end(ctx context.Context, verb string) (drivers.TransactionOutcome, error) {
	if t.closed.Load() {
		return drivers.TransactionUnknown, closedError(verb)
	}
	c, err := t.begin(ctx, &request{Verb: verb, TimeoutMS: millis(timeLeft(ctx))}, 0)
	var a answer
	if err == nil {
		a, err = t.wait(ctx, c, lastWord)
	}
	if err != nil {
		return drivers.TransactionUnknown, t.callError(verb, err)
	}
	outcome, err := transactionOutcome(a)
	if err != nil {
		return drivers.TransactionUnknown, t.nonsense(c, a, err)
	}
	return outcome, t.read(c, a, nil)
}

// transactionOutcome is what an answer says; an error alone leaves it unknown.
func transactionOutcome(a answer) (drivers.TransactionOutcome, error) {
	failed := a.Error != nil
	switch a.Outcome {
	case drivers.Committed.String():
		if failed {
			return drivers.TransactionUnknown, fmt.Errorf("it is committed and has an error")
		}
		return drivers.Committed, nil
	case drivers.Aborted.String():
		return drivers.Aborted, nil
	case drivers.TransactionUnknown.String():
		return drivers.TransactionUnknown, nil
	case "":
		if failed {
			return drivers.TransactionUnknown, nil
		}
	}
	return drivers.TransactionUnknown, fmt.Errorf("expected the outcome committed, aborted or unknown")
}
