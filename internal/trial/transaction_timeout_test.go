package trial_test

import (
	"context"
	"strings"
	"testing"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
)

// usurped has a newer instance of the same transactional.id start before its second
// commit.
type usurped struct{ drivers.Driver }

func (d usurped) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := d.Driver.NewTransactionalProducer(s)
	return &victim{TransactionalProducer: p, usurp: func(ctx context.Context) error {
		other, err := d.Driver.NewTransactionalProducer(s)
		if err != nil {
			return err
		}
		defer func() { _ = other.Close() }()
		return other.Init(ctx)
	}}, err
}

type victim struct {
	drivers.TransactionalProducer
	commits int
	usurp   func(context.Context) error
}

func (p *victim) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	if p.commits++; p.commits == 2 {
		if err := p.usurp(ctx); err != nil {
			return drivers.TransactionUnknown, err
		}
	}
	return p.TransactionalProducer.Commit(ctx)
}

// optimist says that every commit succeeded.
type optimist struct{ drivers.TransactionalProducer }

func (p optimist) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	_, _ = p.TransactionalProducer.Commit(ctx)
	return drivers.Committed, nil
}

// TestTimeoutsAreFoundOut: the claims of transaction-timeout fail for a client that hides
// what it was told, where somebody did fence the producer, and where nobody did.
func TestTimeoutsAreFoundOut(t *testing.T) {
	const story = "transaction-timeout"
	made := 0
	another := func(set map[string]string) {
		if made++; made > 1 {
			set["transactional.id"] += "-another"
		}
	}
	checkFoundOut(t, []deceived{
		{"somebody else starts", story, "then=commit", meddler{Driver: usurped{franz.New()}}, nil, "cause: a newer instance, expected the timeout"},
		{"every commit succeeds", story, "then=commit", meddler{
			transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return optimist{p} },
		}, []evidence.AnomalyKind{evidence.Lost}, ""},
		{"nobody else starts", story, "cause=newer-instance,then=commit", meddler{settings: another}, []evidence.AnomalyKind{evidence.FencedWriteVisible}, ""},
	})
}

// TestTimeoutWithinLimit: a cluster that grants the timeout shows nothing.
func TestTimeoutWithinLimit(t *testing.T) {
	lie := meddler{Driver: franz.New(), settings: func(set map[string]string) {
		if set["transaction.timeout.ms"] != "" {
			set["transaction.timeout.ms"] = "60000"
		}
	}}
	got := play(t, specOf(t, "transaction-timeout", "transaction.timeout.ms=1200000", lie))
	const want = "InitProducerId is answered: there is no answer"
	if got.Verdict != evidence.Inconclusive || !strings.Contains(strings.Join(got.Reasons, "\n"), want) {
		t.Errorf("verdict is %s because of %q, want inconclusive because of %q", got.Verdict, got.Reasons, want)
	}
}
