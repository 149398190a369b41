package shrink

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
)

// candidate is a trial that may show the same anomaly, and what it would be about.
type candidate struct {
	spec      trial.Spec
	records   int
	faults    int    // points that are planned
	signature string // of records and points: two candidates that share it are the same trial
}

const (
	seeds   = 24 // how many seeds are looked at for each size; a plan costs next to nothing
	perSize = 4  // candidates of each size: those with the fewest faults
)

// candidates are the smaller trials, the smallest first, and the trial itself at the end.
func candidates(of trial.Spec, violated evidence.Trial) ([]candidate, error) {
	whole, err := newCandidate(of)
	if err != nil {
		return nil, err
	}
	var all []candidate
	for _, messages := range sizes(of.Parameters.Messages) {
		some, err := ofSize(of, messages, wantsFaults(violated))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return !c.smaller(whole) })
	slices.SortStableFunc(all, candidate.compare)
	return distinct(append(all, whole)), nil
}

// sizes go up as Fibonacci's numbers do, to the one that was asked for.
func sizes(most int) []int {
	var all []int
	for a, b := 1, 2; a < most; a, b = b, a+b {
		all = append(all, a)
	}
	return append(all, most)
}

// wantsFaults: where faults were planned, a trial without any proves nothing.
func wantsFaults(t evidence.Trial) bool {
	return slices.ContainsFunc(t.Faults, func(f evidence.Fault) bool { return f.API != "" && f.Planned > 0 })
}

// ofSize is on one partition first: what goes wrong between two records goes wrong in one.
func ofSize(of trial.Spec, messages int, faults bool) ([]candidate, error) {
	var all []candidate
	for _, partitions := range slices.Compact([]int32{1, of.Parameters.Partitions}) {
		for seed := int64(1); seed <= seeds; seed++ {
			spec := of
			spec.Seed, spec.Parameters.Messages, spec.Parameters.Partitions = seed, messages, partitions
			c, err := newCandidate(spec)
			if err != nil {
				return nil, err
			}
			if c.faults > 0 || !faults {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, candidate.compare)
	all = distinct(all)
	return all[:min(perSize, len(all))], nil
}

func newCandidate(spec trial.Spec) (candidate, error) {
	points, records, err := spec.Planned()
	if err != nil {
		return candidate{}, fmt.Errorf("plan a trial of %s: %w", spec.Name(), err)
	}
	words := []string{fmt.Sprint(records, " ", spec.Parameters.Partitions)}
	for _, p := range points {
		words = append(words, p.Rule+" "+p.String())
	}
	slices.Sort(words[1:])
	return candidate{spec: spec, records: records, faults: len(points), signature: strings.Join(words, "\n")}, nil
}

func (c candidate) smaller(than candidate) bool {
	return c.records < than.records || c.records == than.records && c.faults < than.faults
}

func (c candidate) compare(other candidate) int {
	p, q := c.spec.Parameters, other.spec.Parameters
	return cmp.Or(
		cmp.Compare(c.records, other.records), cmp.Compare(c.faults, other.faults),
		cmp.Compare(p.Messages, q.Messages), cmp.Compare(spread(p), spread(q)), cmp.Compare(c.spec.Seed, other.spec.Seed))
}

// spread is 0 for one partition.
func spread(p scenario.Parameters) int {
	if p.Partitions == 1 {
		return 0
	}
	return 1
}

func distinct(all []candidate) []candidate {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(c candidate) bool {
		again := seen[c.signature]
		seen[c.signature] = true
		return again
	})
}
