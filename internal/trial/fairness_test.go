package trial_test

import (
	"context"
	"testing"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
)

func failure(call string, class drivers.Class, code string) *drivers.Error {
	return &drivers.Error{Call: call, Class: class, Code: code, Text: code}
}

// mute writes nothing and says so.
type mute struct{ drivers.Producer }

func (mute) Produce(_ context.Context, _ drivers.Record, report func(drivers.Delivery)) {
	report(drivers.Delivery{
		Outcome: drivers.Failed, Partition: drivers.AnyPartition, Offset: drivers.NoOffset,
		Err: failure("produce", drivers.Application, "MUTE"),
	})
}

// muteTransactional does the same in transactions.
type muteTransactional struct{ drivers.TransactionalProducer }

func (p muteTransactional) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	mute{}.Produce(ctx, r, report)
}

// hesitant never commits.
type hesitant struct{ drivers.TransactionalProducer }

func (p hesitant) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	_ = p.Flush(ctx)
	return drivers.TransactionUnknown, failure("commit", drivers.Abortable, "NEVER")
}

// unsure commits its second transaction, cannot say so, and refuses to abort it,
// as a client does that insists on asking again.
type unsure struct {
	drivers.TransactionalProducer
	commits int
	stuck   bool
}

func (p *unsure) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	outcome, err := p.TransactionalProducer.Commit(ctx)
	if p.commits++; p.commits == 2 && err == nil {
		p.stuck = true
		return drivers.TransactionUnknown, failure("commit", drivers.UnknownOutcome, "TIMED_OUT")
	}
	return outcome, err
}

func (p *unsure) Abort(ctx context.Context) (drivers.TransactionOutcome, error) {
	if p.stuck {
		return drivers.TransactionUnknown, failure("abort", drivers.Application, "COMMIT_IS_PENDING")
	}
	return p.TransactionalProducer.Abort(ctx)
}

// onlyFirst meddles with the first transactional producer of a story.
func onlyFirst(wrap func(drivers.TransactionalProducer) drivers.TransactionalProducer) func(drivers.TransactionalProducer) drivers.TransactionalProducer {
	made := 0
	return func(p drivers.TransactionalProducer) drivers.TransactionalProducer {
		if made++; made > 1 {
			return p
		}
		return wrap(p)
	}
}

// TestNothingHoldsOfNothing: a client that does not do what the claim is about is
// no proof of the claim.
func TestNothingHoldsOfNothing(t *testing.T) {
	silent := meddler{producer: func(p drivers.Producer) drivers.Producer { return mute{p} }}
	never := meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return hesitant{p} }}
	asleep := meddler{transactional: onlyFirst(func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return muteTransactional{p} })}
	checkVerdicts(t, evidence.Inconclusive, map[[2]string]meddler{
		{"idempotent", idempotentSequential}: silent,
		{"at-least-once", "acks=all"}:        silent,
		{"at-most-once", "acks=1,retries=0"}: silent,
		{"transactional", "end=commit"}:      never,
		{"transactional", "end=mixed"}:       never,
		{"transactional", "commit=checked"}:  never,
		{"zombie", "producer=transactional"}: asleep,
	})
}

// TestHonestAndUnlucky: a commit that was done and could not be told of is no
// fault of the client's, even where the next instance finds it open.
func TestHonestAndUnlucky(t *testing.T) {
	unlucky := func() meddler {
		return meddler{transactional: onlyFirst(func(p drivers.TransactionalProducer) drivers.TransactionalProducer {
			return &unsure{TransactionalProducer: p}
		})}
	}
	checkVerdicts(t, evidence.Holds, map[[2]string]meddler{
		{"transactional", "end=commit"}:            unlucky(),
		{"transactional", "end=mixed"}:             unlucky(),
		{"read-process-write", "after-abort=seek"}: unlucky(),
	})
}

func checkVerdicts(t *testing.T, want evidence.Verdict, stories map[[2]string]meddler) {
	for story, client := range stories {
		t.Run(story[0]+" "+story[1], func(t *testing.T) {
			t.Parallel()
			client.Driver = franz.New()
			if got := play(t, specOf(t, story[0], story[1], client)); got.Verdict != want {
				t.Errorf("verdict is %s, want %s: %q, counts %v", got.Verdict, want, got.Reasons, got.Counts)
			}
		})
	}
}
