package trial_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
)

// aborter aborts whatever it is asked to commit, and says that it did commit.
type aborter struct{ drivers.TransactionalProducer }

func (p aborter) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	if err := p.Flush(ctx); err != nil {
		return drivers.TransactionUnknown, err
	}
	if outcome, err := p.Abort(ctx); err != nil {
		return outcome, err
	}
	return drivers.Committed, nil
}

// obstinate writes what failed once more, with the first record of the next
// transaction.
type obstinate struct {
	drivers.TransactionalProducer
	mu     sync.Mutex
	failed []drivers.Record
}

func (p *obstinate) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.mu.Lock()
	again := p.failed
	p.failed = nil
	p.mu.Unlock()
	for _, old := range again {
		p.TransactionalProducer.Produce(ctx, old, func(drivers.Delivery) {})
	}
	p.TransactionalProducer.Produce(ctx, r, func(d drivers.Delivery) {
		if d.Outcome == drivers.Failed {
			p.mu.Lock()
			p.failed = append(p.failed, r)
			p.mu.Unlock()
		}
		report(d)
	})
}

// withholding keeps receipts to itself and says that they were written.
type withholding struct{ drivers.TransactionalProducer }

func (p withholding) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if strings.HasSuffix(r.Topic, "-receipts") {
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
		return
	}
	p.TransactionalProducer.Produce(ctx, r, report)
}

// TestLateCommitLies: each claim fails for a client that breaks it, on a broker that
// refuses what comes late. late=produce,of=committed is played on Apache Kafka alone.
func TestLateCommitLies(t *testing.T) {
	type wrap = func(drivers.TransactionalProducer) drivers.TransactionalProducer
	commits := func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return committer{p} }
	aborts := func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return aborter{p} }
	insists := func(p drivers.TransactionalProducer) drivers.TransactionalProducer {
		return &obstinate{TransactionalProducer: p}
	}
	withholds := func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return withholding{p} }
	for _, tt := range []struct {
		variant string
		lie     wrap
		want    evidence.AnomalyKind // "": the checks fail
	}{
		{"late=commit,then=end", commits, evidence.AbortedVisible},
		{"late=commit,then=write", commits, evidence.AbortedVisible},
		{"late=abort,then=end", aborts, evidence.Lost},
		{"late=abort,then=write", aborts, evidence.Lost},
		{"late=produce,of=aborted,partition=idle", insists, evidence.AbortedVisible},
		{"late=produce,of=aborted,partition=open", insists, evidence.AbortedVisible},
		{"answer=lost", withholds, evidence.TornTransaction},
		{"client=gone,late=commit", aborts, ""},
	} {
		t.Run(tt.variant, func(t *testing.T) {
			t.Parallel()
			got := play(t, specOf(t, "late-commit", tt.variant, meddler{Driver: franz.New(), transactional: tt.lie}))
			named := func(a evidence.Anomaly) bool { return a.Kind == tt.want && !a.Allowed }
			if tt.want != "" && !slices.ContainsFunc(got.Anomalies, named) {
				t.Errorf("%s is not named: %v", tt.want, got.Anomalies)
			}
			if got.Verdict != evidence.Violated {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
		})
	}
}

// TestNothingComesLate: where the fault is switched off, the story proves nothing.
func TestNothingComesLate(t *testing.T) {
	s, _ := scenario.ByName("late-commit")
	for _, v := range s.Variants {
		if v.NeedsKafka != "" {
			continue
		}
		for _, d := range clients(t) {
			if v.Name == "client=gone,late=commit" {
				continue // it waits for the request that is held
			}
			t.Run(v.Name+" "+d.Client(), func(t *testing.T) {
				t.Parallel()
				spec := specOf(t, "late-commit", v.Name, d)
				spec.Sabotage.FaultsOff = true
				if got := play(t, spec); got.Verdict != evidence.Inconclusive {
					t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
				}
			})
		}
	}
}
