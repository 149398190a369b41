package report

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// scenario is the trials of one story, variant by variant.
type scenario struct {
	name     string
	variants []variant
}

// variant is the trials of one setting, client by client. Every client of the
// scenario is in it, with no trials where it was not run.
type variant struct {
	name    string
	clients []client
}

// client is what one client did in one variant: one trial, or its repeats.
type client struct {
	name   string
	trials []evidence.Trial
}

// scenarios groups the trials; everything stands in the order in which the
// document first names it.
func scenarios(trials []evidence.Trial) []scenario {
	var all []scenario
	for _, name := range distinct(trials, func(t evidence.Trial) string { return t.Scenario }) {
		own := filter(trials, func(t evidence.Trial) bool { return t.Scenario == name })
		all = append(all, scenario{name: name, variants: variants(own)})
	}
	return all
}

func variants(trials []evidence.Trial) []variant {
	names := distinct(trials, func(t evidence.Trial) string { return t.Client })
	var all []variant
	for _, name := range distinct(trials, func(t evidence.Trial) string { return t.Variant }) {
		v := variant{name: name}
		for _, c := range names {
			own := filter(trials, func(t evidence.Trial) bool { return t.Variant == name && t.Client == c })
			v.clients = append(v.clients, client{name: c, trials: own})
		}
		all = append(all, v)
	}
	return all
}

// trials is all trials of the variant.
func (v variant) trials() []evidence.Trial {
	parts := make([][]evidence.Trial, len(v.clients))
	for i, c := range v.clients {
		parts[i] = c.trials
	}
	return slices.Concat(parts...)
}

// verdict is the worst that a repeat came to, and how many came to it.
func (c client) verdict() (evidence.Verdict, int) {
	for _, v := range []evidence.Verdict{evidence.Violated, evidence.Inconclusive, evidence.NotSupported, evidence.Holds} {
		n := 0
		for i := range c.trials {
			if c.trials[i].Verdict == v {
				n++
			}
		}
		if n > 0 {
			return v, n
		}
	}
	return "", 0
}

// ran says whether the client did anything in this variant.
func (c client) ran() bool { return slices.ContainsFunc(c.trials, counted) }

func counted(t evidence.Trial) bool { return t.Verdict != evidence.NotSupported }

func (c client) unstable() bool {
	return slices.ContainsFunc(c.trials, func(t evidence.Trial) bool { return t.Unstable })
}

// count is a metric over the repeats. It is unknown where no trial knows it; a
// trial that is not supported counted nothing, whatever stands in it.
func (c client) count(m evidence.Metric) (interval, bool) {
	var known []int64
	for i := range c.trials {
		t := &c.trials[i] // which is large
		if n, ok := t.Counts[m]; ok && counted(*t) {
			known = append(known, n)
		}
	}
	return over(known), len(known) > 0
}

// any says whether the count of some client has this property.
func (v variant) any(m evidence.Metric, is func(interval) bool) bool {
	return slices.ContainsFunc(v.clients, func(c client) bool {
		n, known := c.count(m)
		return known && is(n)
	})
}

// interval is a figure over repeats, which may have come out differently.
type interval struct{ low, high int64 }

func over(figures []int64) interval {
	if len(figures) == 0 {
		return interval{}
	}
	return interval{low: slices.Min(figures), high: slices.Max(figures)}
}

// once is a figure that no repeat has another of.
func once(n int) interval { return interval{low: int64(n), high: int64(n)} }

// String is one figure where all repeats agree, "200..203" otherwise.
func (i interval) String() string {
	if i.low == i.high {
		return fmt.Sprint(i.low)
	}
	return fmt.Sprintf("%d..%d", i.low, i.high)
}

// plural is "1 record", "0 records", "1..3 records".
func (i interval) plural(noun string) string {
	if i == (interval{low: 1, high: 1}) {
		return "1 " + noun
	}
	return i.String() + " " + noun + "s"
}

func filter[T any](all []T, keep func(T) bool) []T {
	var kept []T
	for _, one := range all {
		if keep(one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// distinct is the names of all, each once, in the order of their first use.
func distinct[T any, K comparable](all []T, name func(T) K) []K {
	var names []K
	for _, one := range all {
		if n := name(one); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}
