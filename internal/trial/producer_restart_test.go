package trial_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/audit"
	"kcompare/internal/evidence"
	"kcompare/internal/trial"
)

// TestD02ApplicationDuplicates: what the program, or two of them, sent twice is called
// by its name, and never a failure of idempotence.
func TestD02ApplicationDuplicates(t *testing.T) {
	for variant, cause := range map[string]string{
		"sends=twice": audit.DuplicateApplication, "producers=two": audit.DuplicateSession,
	} {
		for _, d := range clients(t) {
			t.Run(variant+" "+d.Client(), func(t *testing.T) {
				t.Parallel()
				got := play(t, specOf(t, "producer-restart", variant, d))
				want := []evidence.Anomaly{{Kind: evidence.Duplicate, Count: 10, Allowed: true, Cause: cause, First: "order-0000"}}
				if diff := cmp.Diff(want, got.Anomalies); diff != "" {
					t.Errorf("anomalies (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestI15RestartedSessionsAreNamed: the copies of a payment without a report come from a
// new session, and say so.
func TestI15RestartedSessionsAreNamed(t *testing.T) {
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			got := play(t, specOf(t, "producer-restart", "producer=idempotent", d))
			if n := len(got.Anomalies); n != 1 || got.Anomalies[0].Cause != audit.DuplicateSession || got.Verdict != evidence.Holds {
				t.Errorf("anomalies are %v and the verdict is %s: %q; want one of a new session", got.Anomalies, got.Verdict, got.Reasons)
			}
		})
	}
}

// memory is what a library would have to remember from session to session to send
// nothing twice: it says that a record was written that an earlier producer had.
type memory struct {
	mu   sync.Mutex
	sent map[string]bool
}

func (m *memory) again(r drivers.Record) bool {
	id, _ := r.Header(evidence.IDHeader)
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.sent[string(id)]
	m.sent[string(id)] = true
	return known
}

type remembering struct {
	drivers.Producer
	*memory
}

func (p remembering) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if p.again(r) {
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
		return
	}
	p.Producer.Produce(ctx, r, report)
}

type rememberingTransactional struct {
	drivers.TransactionalProducer
	*memory
}

func (p rememberingTransactional) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	remembering{p.TransactionalProducer, p.memory}.Produce(ctx, r, report)
}

// pretender has no transactions: its records are visible at once.
type pretender struct{ drivers.Producer }

func (pretender) Init(context.Context) error  { return nil }
func (pretender) Begin(context.Context) error { return nil }
func (pretender) SendOffsets(context.Context, []drivers.Position, drivers.GroupMetadata) error {
	return nil
}
func (p pretender) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	return drivers.Committed, p.Flush(ctx)
}
func (pretender) Abort(context.Context) (drivers.TransactionOutcome, error) {
	return drivers.Aborted, nil
}

// pretending makes such producers.
type pretending struct{ drivers.Driver }

func (d pretending) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	s.Config = maps.Clone(s.Config)
	delete(s.Config, "transactional.id")
	p, err := d.NewProducer(s)
	return pretender{p}, err
}

// TestRestartLies: each claim fails for a client that breaks it, and where no answer was
// lost nothing is proven.
func TestRestartLies(t *testing.T) {
	plain := func() meddler {
		m := &memory{sent: map[string]bool{}}
		return meddler{Driver: franz.New(), producer: func(p drivers.Producer) drivers.Producer { return remembering{p, m} }}
	}
	transactional := func() meddler {
		m := &memory{sent: map[string]bool{}}
		return meddler{Driver: franz.New(), transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer {
			return rememberingTransactional{p, m}
		}}
	}
	forgets := meddler{Driver: franz.New(), transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return forgetful{p} }}
	for _, tt := range []struct {
		name, variant string
		driver        drivers.Driver
		sabotage      trial.Sabotage
		want          evidence.Verdict
	}{
		{"remembers", "producer=idempotent", plain(), trial.Sabotage{}, evidence.Violated},
		{"remembers", "sends=twice", plain(), trial.Sabotage{}, evidence.Violated},
		{"remembers", "producers=two", plain(), trial.Sabotage{}, evidence.Violated},
		{"remembers", "commit=unanswered,position=none", transactional(), trial.Sabotage{}, evidence.Violated},
		{"pretends", "producer=transactional", pretending{franz.New()}, trial.Sabotage{}, evidence.Violated},
		{"remembers", "producer=idempotent,sends=concurrent", plain(), trial.Sabotage{}, evidence.Violated},
		{"pretends", "producer=transactional,sends=concurrent", pretending{franz.New()}, trial.Sabotage{}, evidence.Violated},
		{"forgets the position", "commit=unanswered,position=in-transaction", forgets, trial.Sabotage{}, evidence.Violated},
		{"nothing lost", "producer=idempotent", franz.New(), trial.Sabotage{FaultsOff: true}, evidence.Inconclusive},
		{"nothing lost", "producer=transactional", franz.New(), trial.Sabotage{FaultsOff: true}, evidence.Inconclusive},
		{"nothing lost", "commit=unanswered,position=none", franz.New(), trial.Sabotage{FaultsOff: true}, evidence.Inconclusive},
		{"nothing lost", "commit=unanswered,position=in-transaction", franz.New(), trial.Sabotage{FaultsOff: true}, evidence.Inconclusive},
	} {
		t.Run(tt.name+" "+tt.variant, func(t *testing.T) {
			t.Parallel()
			s := specOf(t, "producer-restart", tt.variant, tt.driver)
			s.Timeout, s.Sabotage = 20*time.Second, tt.sabotage
			s.Parameters.DropRate = 0 // leaves the faults that do not depend on the seed, nor on a second attempt
			if got := play(t, s); got.Verdict != tt.want {
				t.Errorf("verdict is %s: %q, want %s", got.Verdict, got.Reasons, tt.want)
			}
		})
	}
}
