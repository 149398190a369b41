package trial_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/audit"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
	"kcompare/librdkafka"
)

// clients are the real libraries: a trial is only worth something with them.
func clients(t *testing.T) []drivers.Driver {
	t.Helper()
	rdkafka, err := librdkafka.New()
	if err != nil {
		t.Fatalf("librdkafka takes part in these tests: %v", err)
	}
	return []drivers.Driver{franz.New(), rdkafka}
}

const (
	idempotentSequential = "enable.idempotence=true,sends=sequential"
	plainSequential      = "enable.idempotence=false,sends=sequential"
)

func spec(t *testing.T, variant string, d drivers.Driver) trial.Spec {
	t.Helper()
	s, _ := scenario.ByName("idempotent")
	i := slices.IndexFunc(s.Variants, func(v scenario.Variant) bool { return v.Name == variant })
	if i < 0 {
		t.Fatalf("idempotent has no variant %s", variant)
	}
	p := scenario.DefaultParameters()
	p.Messages = 40
	return trial.Spec{
		Scenario: s, Variant: s.Variants[i], Driver: d, Parameters: p,
		Seed: 1, Nodes: 3, Timeout: time.Minute, Now: time.Now,
	}
}

func play(t *testing.T, s trial.Spec) evidence.Trial {
	t.Helper()
	seen, err := trial.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	judged := audit.Audit(seen)
	judged.Verdict, judged.Reasons = verdict.Judge(judged)
	return judged
}

// outcome is what the same seed has to repeat exactly. Collateral is left out: it
// counts what else a library happened to have in flight, such as a Metadata.
type outcome struct {
	Faults []evidence.Fault
	Counts evidence.Counts
}

func outcomeOf(t evidence.Trial) outcome {
	o := outcome{slices.Clone(t.Faults), t.Counts}
	for i := range o.Faults {
		o.Faults[i].Collateral = 0
	}
	return o
}

func TestSameSeedSameFaultsAndCounts(t *testing.T) {
	for _, story := range [][2]string{
		{"idempotent", idempotentSequential}, {"idempotent", plainSequential},
		{"at-most-once", "acks=1,retries=0"}, {"at-least-once", "acks=all"},
	} {
		t.Run(story[0]+" "+story[1], func(t *testing.T) {
			t.Parallel()
			small := func(d drivers.Driver) trial.Spec {
				s := specOf(t, story[0], story[1], d)
				s.Parameters.Messages = 40
				return s
			}
			var want outcome
			for run := range 3 {
				for _, d := range clients(t) {
					got := play(t, small(d))
					if got.Verdict != evidence.Holds {
						t.Fatalf("run %d of %s is %s: %v", run, d.Client(), got.Verdict, got.Reasons)
					}
					if want.Counts == nil {
						want = outcomeOf(got)
					}
					if diff := cmp.Diff(want, outcomeOf(got)); diff != "" {
						t.Errorf("run %d of %s differs from the first run (-first +this):\n%s", run, d.Client(), diff)
					}
				}
			}
			other := small(clients(t)[0])
			other.Seed = 2
			if got := play(t, other); cmp.Equal(want.Faults, outcomeOf(got).Faults) {
				t.Errorf("seed 2 plans the same faults as seed 1: %+v", got.Faults)
			}
		})
	}
}

// TestFaultsThatDoNotFire: a fault that was planned and never came proves
// nothing, however clean the log looks.
func TestFaultsThatDoNotFire(t *testing.T) {
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			s := spec(t, idempotentSequential, d)
			s.Sabotage.FaultsOff = true
			got := play(t, s)
			if got.Verdict != evidence.Inconclusive || !strings.Contains(strings.Join(got.Reasons, "\n"), "0 fired") {
				t.Errorf("verdict is %s because of %q, want inconclusive because nothing fired", got.Verdict, got.Reasons)
			}
		})
	}
}

// TestLeak: a leader moves while records are under way, and the proxy lets the
// new leader's real address through in the answer to Produce (KIP-951). franz-go
// then talks past the proxy: the log is clean, and the trial must not hold.
func TestLeak(t *testing.T) {
	s := spec(t, idempotentSequential, franz.New())
	s.Sabotage.LeaveAddresses = []string{"Produce", "Fetch"}
	moveLeadersAfter(t, &s, 10)
	got := play(t, s)
	if got.Verdict == evidence.Holds || got.Conditions.Leaks == 0 || len(got.Conditions.Problems) == 0 {
		t.Errorf("verdict is %s with %d leaks and problems %q, want inconclusive because of both",
			got.Verdict, got.Conditions.Leaks, got.Conditions.Problems)
	}
}

// TestMovedLeaderIsNoLeak is the other half: with the addresses rewritten, every
// client stays behind the proxy.
func TestMovedLeaderIsNoLeak(t *testing.T) {
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			s := spec(t, idempotentSequential, d)
			moveLeadersAfter(t, &s, 10)
			got := play(t, s)
			if got.Verdict != evidence.Holds {
				t.Errorf("verdict is %s: %v", got.Verdict, got.Reasons)
			}
		})
	}
}

// moveLeadersAfter moves every partition to the next node when so many records
// have been reported. Few answers are lost then, so that those which name the new
// leader reach the client.
func moveLeadersAfter(t *testing.T, s *trial.Spec, records int64) {
	s.Parameters.DropRate = 0.1
	var cluster *broker.Embedded
	var topics map[string]string
	s.Sabotage.Started = func(e *broker.Embedded, names map[string]string) { cluster, topics = e, names }
	var reported atomic.Int64
	s.Reported = func() {
		if reported.Add(1) != records {
			return
		}
		for p := range int32(3) {
			if err := cluster.PlaceLeader(topics["payments"], p, (p+1)%3); err != nil {
				t.Error(err)
			}
		}
	}
}

// liar is a real library that keeps one record to itself and reports it written.
type liar struct{ drivers.Driver }

func (l liar) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	p, err := l.Driver.NewProducer(s)
	return lyingProducer{p}, err
}

type lyingProducer struct{ drivers.Producer }

func (p lyingProducer) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if string(r.Key) == "order-0007" {
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
		return
	}
	p.Producer.Produce(ctx, r, report)
}

// TestALostRecordIsViolated: the planned faults of the record that never went
// out cannot fire, and still the broken promise is what counts.
func TestALostRecordIsViolated(t *testing.T) {
	got := play(t, spec(t, idempotentSequential, liar{franz.New()}))
	want := []evidence.Anomaly{{Kind: evidence.Lost, Count: 1, Cause: audit.LostNeverSent, First: "order-0007"}}
	if diff := cmp.Diff(want, got.Anomalies); diff != "" {
		t.Errorf("anomalies (-want +got):\n%s", diff)
	}
	if got.Verdict != evidence.Violated {
		t.Errorf("verdict is %s, want violated: %v", got.Verdict, got.Reasons)
	}
}

func TestPendingRecordsAreCounted(t *testing.T) {
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			s := spec(t, idempotentSequential, d)
			s.Parameters.Messages, s.Parameters.DropRate, s.Parameters.Retries = 3, 1, 1_000_000
			s.Timeout = time.Second
			got := play(t, s)
			if got.Conditions.Finished || got.Conditions.Pending != 3 || got.Counts[evidence.UnknownRecords] != 3 {
				t.Errorf("finished %v, %d pending, counts %v: want 3 records pending and unknown",
					got.Conditions.Finished, got.Conditions.Pending, got.Counts)
			}
			if got.Verdict != evidence.Inconclusive {
				t.Errorf("verdict is %s: %v", got.Verdict, got.Reasons)
			}
		})
	}
}

func TestStoppedByTheUser(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := spec(t, idempotentSequential, franz.New())
	s.Reported = cancel
	if seen, err := trial.Run(ctx, s); err == nil {
		t.Errorf("a trial that was stopped returned evidence: %+v", seen.Trial.Conditions)
	}
}

func TestWrongSettingsAreAnError(t *testing.T) {
	s := spec(t, idempotentSequential, franz.New())
	s.Overrides = map[string]string{"acks": "1"}
	_, err := trial.Run(t.Context(), s)
	var wrong *drivers.ConfigError
	if !errors.As(err, &wrong) || len(wrong.Keys) != 2 {
		t.Errorf("error is %v, want a *drivers.ConfigError that names acks and enable.idempotence", err)
	}
}

// unable is a library with some abilities only.
type unable struct {
	drivers.Driver
	has drivers.Abilities
}

func (u unable) Abilities() drivers.Abilities { return u.has }

func TestLackingAbilityIsNotSupported(t *testing.T) {
	for _, tt := range []struct {
		scenario, variant string
		lose              func(*drivers.Abilities)
		want              string
	}{
		{"idempotent", idempotentSequential, func(a *drivers.Abilities) { a.Idempotence = false }, "franz has no idempotence"},
		{"graceful-shutdown", "end=close", func(a *drivers.Abilities) { a.PlainClose = false }, "franz has no close that is the library's own"},
		{"monitoring", "answers=all,sends=sequential", func(a *drivers.Abilities) { a.Figures = false }, "franz has no figures of itself"},
		{"rebalance", "member=joins", func(a *drivers.Abilities) { a.Rebalances = false }, "franz has no word of its rebalances"},
		{"auto-commit", "commit=stored,end=crash", func(a *drivers.Abilities) { a.Store = false }, "franz has no store of offsets for automatic commits"},
	} {
		has := drivers.All()
		tt.lose(&has)
		got := play(t, specOf(t, tt.scenario, tt.variant, unable{franz.New(), has}))
		if got.Verdict != evidence.NotSupported || !slices.Equal(got.Reasons, []string{tt.want}) {
			t.Errorf("%s %s: verdict is %s because of %q, want not-supported because %s", tt.scenario, tt.variant, got.Verdict, got.Reasons, tt.want)
		}
	}
}

func TestUnsupportedIsNoFailure(t *testing.T) {
	s := spec(t, idempotentSequential, franz.New())
	s.Overrides = map[string]string{"max.in.flight": "1"}
	got := play(t, s)
	if got.Verdict != evidence.NotSupported || !strings.Contains(strings.Join(got.Reasons, ""), "max.in.flight") {
		t.Errorf("verdict is %s because of %q, want not-supported because of max.in.flight", got.Verdict, got.Reasons)
	}
}

func TestConfigOfEvidenceHasNoAddress(t *testing.T) {
	got := play(t, spec(t, plainSequential, franz.New()))
	if _, there := got.Config["bootstrap.servers"]; there {
		t.Errorf("the proxy's address differs from run to run and does not belong into evidence: %v",
			slices.Sorted(maps.Keys(got.Config)))
	}
}
