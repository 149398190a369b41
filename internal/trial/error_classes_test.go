package trial_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
	"kcompare/internal/trial"
)

// eventless keeps the events of every transaction to itself, and says that it wrote
// them.
type eventless struct{ drivers.TransactionalProducer }

func (p eventless) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if r.Topic == "kcompare-error-classes-order-events" {
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
		return
	}
	p.TransactionalProducer.Produce(ctx, r, report)
}

// generous stores other offsets than it was given.
type generous struct{ drivers.TransactionalProducer }

func (p generous) SendOffsets(ctx context.Context, offsets []drivers.Position, group drivers.GroupMetadata) error {
	more := slices.Clone(offsets)
	for i := range more {
		more[i].Offset += 100
	}
	return p.TransactionalProducer.SendOffsets(ctx, more, group)
}

// vague says of no failure why.
type vague struct{ drivers.Producer }

func (p vague) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.Producer.Produce(ctx, r, func(d drivers.Delivery) {
		if d.Err != nil {
			d.Err = &drivers.Error{Call: "produce", Class: drivers.UnknownOutcome, Code: "_PURGE_QUEUE"}
		}
		report(d)
	})
}

// flushing writes what is pending when it is closed.
type flushing struct{ drivers.Producer }

func (p flushing) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = p.Flush(ctx)
	return p.Producer.Close()
}

// TestErrorClassesLiesAreFoundOut: each claim of error-classes fails for a client that
// breaks it.
func TestErrorClassesLiesAreFoundOut(t *testing.T) {
	numbered := func(set map[string]string) {
		if set["enable.idempotence"] == "false" {
			set["enable.idempotence"] = "true"
		}
	}
	for _, tt := range []struct {
		variant string
		lie     meddler
		want    []evidence.AnomalyKind // at least these; none: the checks or answers fail
	}{
		{"call=Produce,mode=instead", meddler{producer: func(p drivers.Producer) drivers.Producer { return &secretive{Producer: p} }},
			[]evidence.AnomalyKind{evidence.Lost}},
		{"call=Produce,mode=after", meddler{producer: func(p drivers.Producer) drivers.Producer { return twice{p} }},
			[]evidence.AnomalyKind{evidence.Duplicate}},
		{"call=Produce,mode=denied", meddler{producer: func(p drivers.Producer) drivers.Producer { return &secretive{Producer: p} }},
			[]evidence.AnomalyKind{evidence.Lost}},
		{"call=Produce,enable.idempotence=false,mode=after", meddler{settings: numbered}, nil},
		{"call=Produce,in=transaction,mode=instead", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return eventless{p} }},
			[]evidence.AnomalyKind{evidence.Lost, evidence.TornTransaction}},
		{"call=InitProducerId,mode=after", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return eventless{p} }},
			[]evidence.AnomalyKind{evidence.Lost, evidence.TornTransaction}},
		{"call=TxnOffsetCommit,mode=instead", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return generous{p} }}, nil},
		{"call=EndTxn,end=abort,mode=instead", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return committer{p} }},
			[]evidence.AnomalyKind{evidence.AbortedVisible}},
		{"call=EndTxn,end=commit,mode=after", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return eventless{p} }},
			[]evidence.AnomalyKind{evidence.Lost, evidence.TornTransaction}},
		{"case=E01", meddler{producer: func(p drivers.Producer) drivers.Producer { return vague{p} }}, nil},
		{"case=E06,purge=abort", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return committer{p} }},
			[]evidence.AnomalyKind{evidence.AbortedVisible}},
		{"case=E06,purge=close", meddler{producer: func(p drivers.Producer) drivers.Producer { return flushing{p} }}, nil},
	} {
		t.Run(tt.variant, func(t *testing.T) {
			t.Parallel()
			tt.lie.Driver = franz.New()
			got := play(t, specOf(t, "error-classes", tt.variant, tt.lie))
			for _, kind := range tt.want {
				if !slices.ContainsFunc(got.Anomalies, func(a evidence.Anomaly) bool { return a.Kind == kind && !a.Allowed }) {
					t.Errorf("%s is not named: %v", kind, got.Anomalies)
				}
			}
			if got.Verdict != evidence.Violated {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
		})
	}
}

// TestErrorClassesWithoutFaults: a code that was never answered proves nothing.
func TestErrorClassesWithoutFaults(t *testing.T) {
	for _, variant := range []string{"call=Produce,mode=instead", "call=EndTxn,end=commit,mode=after", "case=E05,expiry=answered", "case=E07"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s := specOf(t, "error-classes", variant, franz.New())
			s.Sabotage.FaultsOff = true
			if got := play(t, s); got.Verdict != evidence.Inconclusive {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
		})
	}
}

// TestDeniedWrites: who gives a record another number that was written and denied. It is
// what the story tells of each library; another answer is news.
func TestDeniedWrites(t *testing.T) {
	want := map[string][]string{
		"franz":      {"UNKNOWN_PRODUCER_ID", "OUT_OF_ORDER_SEQUENCE_NUMBER", "INVALID_PRODUCER_EPOCH"},
		"librdkafka": {"UNKNOWN_PRODUCER_ID"},
	}
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			got := play(t, specOf(t, "error-classes", "call=Produce,mode=denied", d))
			var twice []string
			for _, a := range got.Answers {
				if a.Answer == "acked, written twice" {
					twice = append(twice, a.Question)
				}
			}
			if !slices.Equal(twice, want[d.Client()]) {
				t.Errorf("written twice after %q, want %q", twice, want[d.Client()])
			}
			if got.Counts[evidence.Duplicates] != int64(len(twice)) {
				t.Errorf("%d duplicates, and %d codes are said to leave one", got.Counts[evidence.Duplicates], len(twice))
			}
		})
	}
}

// TestBrokerSettings: where nobody can start a broker for a trial, one that is about
// settings of brokers is not-supported.
func TestBrokerSettings(t *testing.T) {
	s := specOf(t, "error-classes", "call=Produce,mode=after", franz.New())
	s.Variant.BrokerSettings = map[string]string{"transactional.id.expiration.ms": "1000"}
	for name, site := range map[string]*trial.Site{"embedded": nil, "shared": {}} {
		s.Site = site
		got, err := trial.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if want := "needs a broker of its own: it is about settings of brokers"; got.Trial.Conditions.Unsupported != want {
			t.Errorf("%s: unsupported %q, want %q", name, got.Trial.Conditions.Unsupported, want)
		}
	}
}
