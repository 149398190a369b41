package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"kcompare/internal/evidence"
	"kcompare/internal/report"
	"kcompare/internal/scenario"
	"kcompare/internal/shrink"
	"kcompare/internal/trial"
)

// The values of --shrink.
const (
	shrinkAuto   = "auto" // where the run is about one scenario
	shrinkAlways = "always"
	shrinkNever  = "never"
)

// shrinking is how long a run looks for smaller trials, all of its violated ones together.
const shrinking = 20 * time.Second

// searches is how many of them are looked for side by side. Each plays several candidates
// at a time.
const searches = 2

type shrinkOptions struct {
	shrink string
	alike  []string // flags of the command line that a smaller trial has too
}

func (o *shrinkOptions) shrinkFlags(f *pflag.FlagSet) {
	f.StringVar(&o.shrink, "shrink", shrinkAuto, "look for the smallest trial that goes wrong in the same way, for 20s at most: auto (when one scenario is run), always or never")
	f.Lookup("shrink").NoOptDefVal = shrinkAlways
}

// remember keeps the flags that say what a trial is like beside its size.
func (o *shrinkOptions) remember(cmd *cobra.Command) {
	o.alike = flagsWithout(cmd, "client", "variant", "messages", "partitions", "seed", "repeat", "shrink")
}

// shrinkAll puts into each violated trial the smallest one that was found. Its verdict stays
// as it is, what is played here is counted nowhere, and an error of the search is told only.
// The error returned is that of writing evidence.
func (o *runOptions) shrinkAll(ctx context.Context, specs []trial.Spec, trials []evidence.Trial) error {
	violated := o.toShrink(trials)
	if len(violated) == 0 {
		return nil
	}
	if o.site != nil {
		fmt.Fprintln(o.state.Stderr, "kcompare: violated trials are not shrunk here: that takes the embedded broker")
		return nil
	}
	shown := newProgress(o.state, o.progress)
	defer shown.close()
	ctx, cancel := context.WithTimeout(ctx, shrinking)
	defer cancel()
	found := &smallest{of: map[int]*evidence.Shrunk{}}
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		var group errgroup.Group
		group.SetLimit(searches)
		for _, at := range violated {
			t := trials[at]
			group.Go(func() error {
				s, err := o.shrinkOne(ctx, specOf(specs, t), t, shown)
				found.put(at, s)
				return err
			})
		}
		failure = group.Wait()
	}()
	if endsInTime(ctx, done) && failure != nil { // what still runs otherwise ends with the process
		fmt.Fprintf(o.state.Stderr, "kcompare: not all violated trials were shrunk: %v\n", failure)
	}
	return o.keepSmallest(found.all(), trials)
}

// smallest collects what was found, by the index of the trial, from several goroutines.
type smallest struct {
	mu sync.Mutex
	of map[int]*evidence.Shrunk
}

func (s *smallest) put(at int, found *evidence.Shrunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found != nil {
		s.of[at] = found
	}
}

func (s *smallest) all() map[int]*evidence.Shrunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.of)
}

// keepSmallest puts what was found into the trials, and into the evidence of each.
func (o *runOptions) keepSmallest(found map[int]*evidence.Shrunk, trials []evidence.Trial) error {
	for at, s := range found {
		trials[at].Shrunk = s
		if o.evidenceDir == "" {
			continue
		}
		if err := o.storeTrial(trials[at]); err != nil {
			return err
		}
	}
	return nil
}

func specOf(specs []trial.Spec, t evidence.Trial) trial.Spec {
	return specs[slices.IndexFunc(specs, func(s trial.Spec) bool { return s.Number == t.Number })]
}

// toShrink are the trials, by index: of repeats the first.
func (o *runOptions) toShrink(trials []evidence.Trial) (violated []int) {
	one := func(t evidence.Trial) bool { return t.Scenario == trials[0].Scenario }
	if o.shrink == shrinkNever || o.shrink == shrinkAuto && !allOf(trials, one) {
		return nil
	}
	seen := map[string]bool{}
	for i, t := range trials {
		name := t.Scenario + " " + t.Variant + " " + t.Client
		if t.Verdict == evidence.Violated && !seen[name] {
			seen[name] = true
			violated = append(violated, i)
		}
	}
	return violated
}

func allOf(trials []evidence.Trial, are func(evidence.Trial) bool) bool {
	return !slices.ContainsFunc(trials, func(t evidence.Trial) bool { return !are(t) })
}

// shrinkOne looks for the smallest trial that goes wrong as this one; nil if none is found.
func (o *runOptions) shrinkOne(ctx context.Context, spec trial.Spec, violated evidence.Trial, shown progress) (*evidence.Shrunk, error) {
	spec.Repeat, spec.Reported = 0, nil
	_, end := shown.begin("shrink "+spec.Name(), 0)
	search := shrink.Search{
		Violated: violated, Spec: spec, Command: o.commandOf,
		Play: func(ctx context.Context, s trial.Spec) (evidence.Trial, error) {
			judged, _, err := judge(ctx, s)
			return judged, err
		},
	}
	found, err := search.Smallest(ctx)
	switch {
	case err != nil:
		end("")
	case found == nil && !shrink.Possible(violated):
		end("what is wrong is no anomaly of a record, there is nothing to look for in smaller trials")
	case found == nil:
		end(fmt.Sprintf("no trial was seen to go wrong in the same way again, within %v", shrinking))
	default:
		end(fmt.Sprintf("%s, seen %d times of %d", report.AboutSmallest(found), found.Times, found.Tries))
	}
	return found, err
}

// commandOf is the command line that plays a trial. Other variants of the scenario that
// have all of its pairs are played with it.
func (o *runOptions) commandOf(s trial.Spec) string {
	words := []string{
		"kcompare run " + s.Scenario.Name, "--client=" + quoted(s.Driver.Client()), "--variant=" + quoted(s.Variant.Name),
	}
	if s.Parameters.Messages != scenario.DefaultParameters().Messages {
		words = append(words, fmt.Sprintf("--messages=%d", s.Parameters.Messages))
	}
	if s.Parameters.Partitions > 0 {
		words = append(words, fmt.Sprintf("--partitions=%d", s.Parameters.Partitions))
	}
	words = append(words, fmt.Sprintf("--seed=%d", s.Seed))
	return joinWords(append(words, o.alike...))
}
