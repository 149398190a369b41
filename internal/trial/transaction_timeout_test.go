package trial_test

import (
	"context"
	"strings"
	"testing"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
	"kcompare/internal/trial"
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

// overtaken has a newer instance of the same transactional.id start before its third
// record.
type overtaken struct {
	*victim
	written int
}

func (p *overtaken) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if p.written++; p.written == 3 {
		_ = p.usurp(ctx)
	}
	p.victim.Produce(ctx, r, report)
}

// TestTimeoutsOnKafka: what the embedded broker cannot play, and a claim of it that is
// broken.
func TestTimeoutsOnKafka(t *testing.T) {
	site := &trial.Site{Cluster: startKafka(t)}
	const story, write, sweep = "transaction-timeout", "then=write-abort", "then=commit-before-sweep"
	liar := meddler{Driver: usurped{franz.New()}, transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer {
		return &overtaken{victim: p.(*victim)}
	}}
	number := 0
	for _, tt := range []struct {
		name, variant string
		driver        drivers.Driver
		want          evidence.Verdict
		reason        string
	}{
		{"franz", write, clients(t)[0], evidence.Holds, ""},
		{"librdkafka", write, clients(t)[1], evidence.Holds, ""},
		{"franz", sweep, clients(t)[0], evidence.Holds, ""},
		{"librdkafka", sweep, clients(t)[1], evidence.Holds, ""},
		{"somebody else starts", write, liar, evidence.Violated, "cause: a newer instance, expected the timeout"},
	} {
		number++
		s := specOf(t, story, tt.variant, tt.driver)
		s.Site, s.Number, s.Nodes = site, number, 1
		t.Run(tt.variant+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			got := play(t, s)
			if got.Verdict != tt.want || !strings.Contains(strings.Join(got.Reasons, "\n"), tt.reason) {
				t.Errorf("verdict is %s because of %q, want %s because of %q", got.Verdict, got.Reasons, tt.want, tt.reason)
			}
		})
	}
}
