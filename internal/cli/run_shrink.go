package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"kcompare/internal/evidence"
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

func (o *shrinkOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.shrink, "shrink", shrinkAuto, "look for the smallest trial that goes wrong in the same way, for 20s at most: auto (when one scenario is run), always or never")
	f.Lookup("shrink").NoOptDefVal = shrinkAlways
}

// remember keeps the flags that say what a trial is like beside its size.
func (o *shrinkOptions) remember(cmd *cobra.Command) {
	o.alike = flagsWithout(cmd, "client", "variant", "messages", "partitions", "seed", "repeat", "shrink")
}

// shrinkAll puts into each violated trial the smallest one that was found. Its verdict stays
// as it is, and what is played here is counted nowhere.
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
	var group errgroup.Group
	group.SetLimit(searches)
	for _, at := range violated {
		group.Go(func() error { return o.shrinkOne(ctx, specs, &trials[at], shown) })
	}
	return group.Wait()
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

func (o *runOptions) shrinkOne(ctx context.Context, specs []trial.Spec, t *evidence.Trial, shown progress) error {
	spec := specs[slices.IndexFunc(specs, func(s trial.Spec) bool { return s.Number == t.Number })]
	spec.Repeat, spec.Reported = 0, nil
	_, end := shown.begin("shrink "+spec.Name(), 0)
	search := shrink.Search{
		Violated: *t, Spec: spec, Command: o.commandOf,
		Play: func(ctx context.Context, s trial.Spec) (evidence.Trial, error) {
			judged, _, err := judge(ctx, s)
			return judged, err
		},
	}
	found, err := search.Smallest(ctx)
	switch {
	case err != nil:
		end("")
		return err
	case found == nil:
		end(fmt.Sprintf("no trial was seen to go wrong in the same way again, within %v", shrinking))
	default:
		end(fmt.Sprintf("%d records, %d faults that fired, seen %d times of %d", found.Records, found.Faults, found.Times, found.Tries))
	}
	t.Shrunk = found
	return nil
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
