package franz

import (
	"context"
	"errors"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// transactional is a kgo client with a transactional.id. Offsets of a consumer
// are its own affair (offsets.go), everything else is kgo's.
type transactional struct {
	*producer
	id    string
	calls sync.WaitGroup // calls into kgo that take no context, or outlive it

	offsets     offsets // of the open transaction
	unconfirmed bool    // a commit of the open transaction failed, and may have been done
}

// Init makes kgo get its producer id now, which it would do in the first Begin
// or Produce.
func (p *transactional) Init(ctx context.Context) error {
	_, _, err := p.cl.ProducerID(ctx)
	return asError("init", err)
}

func (p *transactional) Begin(ctx context.Context) error {
	// kgo gets a new producer id here if it lost the old one, for as long as
	// that takes.
	begun := make(chan error, 1)
	p.calls.Go(func() { begun <- p.cl.BeginTransaction() })
	select {
	case err := <-begun:
		if err != nil {
			return errorOf("begin", err)
		}
		p.offsets.begin()
		p.unconfirmed = false
		return nil
	case <-ctx.Done():
		return errorOf("begin", ctx.Err())
	}
}

func (p *transactional) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	if err := p.Flush(ctx); err != nil { // kgo's EndTransaction does not
		return drivers.TransactionUnknown, errorOf("commit", err)
	}
	outcome, err := p.end(ctx, "commit", kgo.TryCommit, drivers.Committed)
	p.unconfirmed = p.unconfirmed || unconfirmed(err)
	return outcome, err
}

// unconfirmed says whether a commit may have been done all the same. Even a
// refusal may be the answer to a repeated request whose first copy was executed;
// only these two mean that there was none.
func unconfirmed(err error) bool {
	return err != nil && !errors.Is(err, kerr.OperationNotAttempted) && !errors.Is(err, kerr.TransactionAbortable)
}

// Abort after a commit that was not confirmed is how kgo lets a program go on
// (kgo/txn.go, EndTransaction): it returns nil and sends no EndTxn. That does not
// say what became of the transaction.
func (p *transactional) Abort(ctx context.Context) (drivers.TransactionOutcome, error) {
	if err := p.cl.AbortBufferedRecords(ctx); err != nil {
		return drivers.TransactionUnknown, errorOf("abort", err)
	}
	done := drivers.Aborted
	if p.unconfirmed {
		done = drivers.TransactionUnknown
	}
	return p.end(ctx, "abort", kgo.TryAbort, done)
}

// end is unknown after every error. Even "fenced" may be the answer to a
// repeated request whose first copy was executed.
func (p *transactional) end(ctx context.Context, call string, try kgo.TransactionEndTry, done drivers.TransactionOutcome) (drivers.TransactionOutcome, error) {
	if p.offsets.unseen() {
		if err := p.endUnseen(ctx, try); err != nil {
			return drivers.TransactionUnknown, errorOf(call, err)
		}
		p.offsets.sent = false
	}
	if err := p.cl.EndTransaction(ctx, try); err != nil {
		return drivers.TransactionUnknown, errorOf(call, err)
	}
	p.offsets.open = false
	return done, nil
}

func (p *transactional) Close() error {
	err := p.producer.Close()
	p.calls.Wait()
	return err
}
