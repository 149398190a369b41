package shrink_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/audit"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/shrink"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
)

func specOf(variant string, d drivers.Driver) trial.Spec {
	s, _ := scenario.ByName("idempotent")
	i := slices.IndexFunc(s.Variants, func(v scenario.Variant) bool { return v.Name == variant })
	p := scenario.DefaultParameters()
	p.Messages, p.Partitions = 30, 1
	return trial.Spec{
		Scenario: s, Variant: s.Variants[i], Driver: d, Parameters: p,
		Seed: 1, Nodes: 1, Timeout: 30 * time.Second, Now: time.Now,
	}
}

func play(ctx context.Context, s trial.Spec) (evidence.Trial, error) {
	seen, err := trial.Run(ctx, s)
	if err != nil {
		return evidence.Trial{}, err
	}
	t := audit.Audit(seen)
	t.Verdict, t.Reasons = verdict.Judge(t)
	return t, nil
}

func commandOf(s trial.Spec) string {
	return fmt.Sprintf("%d messages, seed %d", s.Parameters.Messages, s.Seed)
}

const (
	concurrently = "enable.idempotence=true,sends=concurrent"
	oneByOne     = "enable.idempotence=true,sends=sequential"
)

// TestRewoundSequences: the bug of kafkajs comes down to two records and one lost answer,
// its three anomalies have one cause, and one record at a time does not show it.
func TestRewoundSequences(t *testing.T) {
	clean, err := play(t.Context(), specOf(oneByOne, rewinder{franz.New()}))
	if err != nil || clean.Verdict != evidence.Holds {
		t.Fatalf("one at a time it is %s: %q, %v", clean.Verdict, clean.Reasons, err)
	}
	spec := specOf(concurrently, rewinder{franz.New()})
	violated, err := play(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	before := violated
	found, err := shrink.Search{Violated: violated, Spec: spec, Play: play, Command: commandOf}.Smallest(t.Context())
	if err != nil || found == nil {
		t.Fatalf("nothing found: %v; the trial is %s: %v", err, violated.Verdict, violated.Anomalies)
	}
	want := &evidence.Shrunk{
		Command: fmt.Sprintf("2 messages, seed %d", found.Seed), Messages: 2, Partitions: 1, Seed: found.Seed,
		Faults: 1, Times: 3, Tries: 3, Records: 2, Struck: map[string]int64{"drop-response": 1},
		Anomalies: []evidence.Anomaly{
			{Kind: evidence.Lost, Count: 1, Cause: audit.LostReused, First: "order-0001"},
			{Kind: evidence.Duplicate, Count: 1, Cause: audit.DuplicateReused, First: "order-0000"},
		},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("smallest (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, violated); diff != "" {
		t.Errorf("the trial changed (-before +after):\n%s", diff)
	}
}

// told is what a play says of each trial, by size.
func told(anomalies map[int][]evidence.Anomaly, plays *[]string) func(context.Context, trial.Spec) (evidence.Trial, error) {
	lock := make(chan struct{}, 1)
	return func(_ context.Context, s trial.Spec) (evidence.Trial, error) {
		lock <- struct{}{}
		defer func() { <-lock }()
		*plays = append(*plays, commandOf(s))
		t := evidence.Trial{Verdict: evidence.Violated, Anomalies: anomalies[s.Parameters.Messages]}
		if len(t.Anomalies) == 0 {
			t.Verdict = evidence.Holds
		}
		return t, nil
	}
}

// TestOnlyTheSame: another anomaly, another cause, or one that is allowed is not what was
// looked for; and a trial that nothing is wrong with has nothing to shrink.
func TestOnlyTheSame(t *testing.T) {
	lost := evidence.Anomaly{Kind: evidence.Lost, Count: 1, Cause: audit.LostReused}
	other, allowed, twice := lost, lost, lost
	other.Cause, allowed.Allowed, twice.Kind = audit.LostByBroker, true, evidence.Duplicate
	spec := specOf(concurrently, franz.New())
	var plays []string
	search := shrink.Search{
		Spec: spec, Command: commandOf, Violated: evidence.Trial{Anomalies: []evidence.Anomaly{allowed, lost}},
		Play: told(map[int][]evidence.Anomaly{1: {other}, 2: {allowed}, 3: {twice}, 8: {lost}, 30: {lost}}, &plays),
	}
	found, err := search.Smallest(t.Context())
	if err != nil || found == nil || found.Messages != 8 {
		t.Errorf("found %+v, %v; want that of 8 messages", found, err)
	}
	plays, search.Violated = nil, evidence.Trial{Anomalies: []evidence.Anomaly{allowed}}
	if found, err := search.Smallest(t.Context()); found != nil || err != nil || plays != nil {
		t.Errorf("found %+v, %v after %d plays, where nothing is wrong", found, err, len(plays))
	}
}

// TestTheWholeAtLast: what no smaller trial shows is the trial itself.
func TestTheWholeAtLast(t *testing.T) {
	lost := []evidence.Anomaly{{Kind: evidence.Lost, Count: 1, Cause: audit.LostReused}}
	found, err := shrink.Search{
		Spec: specOf(concurrently, franz.New()), Command: commandOf, Violated: evidence.Trial{Anomalies: lost},
		Play: func(_ context.Context, s trial.Spec) (evidence.Trial, error) {
			if s.Parameters.Messages < 30 || s.Seed != 1 {
				return evidence.Trial{Verdict: evidence.Holds}, nil
			}
			return evidence.Trial{Verdict: evidence.Violated, Anomalies: lost}, nil
		},
	}.Smallest(t.Context())
	if err != nil || found == nil || found.Command != "30 messages, seed 1" || found.Times != 3 {
		t.Errorf("found %+v, %v; want the trial itself", found, err)
	}
}

// TestTimeIsUp: with the time up nothing is found, and that is no failure.
func TestTimeIsUp(t *testing.T) {
	lost := []evidence.Anomaly{{Kind: evidence.Lost, Count: 1, Cause: audit.LostReused}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var plays []string
	found, err := shrink.Search{
		Spec: specOf(concurrently, franz.New()), Command: commandOf, Violated: evidence.Trial{Anomalies: lost},
		Play: told(map[int][]evidence.Anomaly{1: lost, 2: lost}, &plays),
	}.Smallest(ctx)
	if found != nil || err != nil {
		t.Errorf("found %+v, %v", found, err)
	}
}
