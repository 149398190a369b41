package faultdiff

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
	"kcompare/librdkafka"
)

// clients are the real libraries.
func clients(t *testing.T) []drivers.Driver {
	t.Helper()
	rdkafka, err := librdkafka.New()
	if err != nil {
		t.Fatalf("librdkafka takes part in these tests: %v", err)
	}
	return []drivers.Driver{franz.New(), rdkafka}
}

// TestWithoutFaults plays each story with its fault switched off: nothing fires, and
// the story proves nothing.
func TestWithoutFaults(t *testing.T) {
	together, _ := Setup{Clients: clients(t)}.acts()
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, a := range together {
		group.Go(func() error {
			played, err := a.try(t.Context(), trial.Sabotage{FaultsOff: true})
			if err != nil {
				t.Errorf("%v: %v", a.played(), err)
				return nil
			}
			v, reasons := verdict.Judge(played)
			if !strings.HasPrefix(a.told[0], "fired 0 of ") || v != evidence.Inconclusive || !strings.Contains(strings.Join(reasons, "\n"), " 0 fired") {
				t.Errorf("%v: told %q, %s because of %q: expected that nothing fired", a.played(), a.told, v, reasons)
			}
			return nil
		})
	}
	_ = group.Wait() // what went wrong was said above
}

// TestEveryFaultHasAStory: one each, that can be planned.
func TestEveryFaultHasAStory(t *testing.T) {
	var told []fault.Action
	for _, s := range Stories() {
		told = append(told, s.Action)
		if err := (fault.Plan{s.rule}).Validate(); err != nil {
			t.Errorf("%s: %v", s.Action, err)
		}
		if s.Does == "" || s.Tells == "" || strings.ContainsAny(s.Does+s.Tells+s.Means+s.Untold, "|\n") {
			t.Errorf("%s: expected one line each of what the fault does and what the story tells", s.Action)
		}
	}
	want := fault.Actions()
	slices.Sort(want)
	slices.Sort(told)
	if !slices.Equal(want, told) {
		t.Errorf("stories for %v, faults are %v", told, want)
	}
}
