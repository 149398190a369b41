package diff

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// rare is how often something may appear or vanish in a trial that the seed does not
// repeat, and still be chance: which of several requests in flight a fault hits, and
// what a library has pending then, is a matter of milliseconds.
const rare = 2

// repeats says whether the same seed has to repeat the counts of all these trials.
func (p pair) repeats() bool {
	return !slices.ContainsFunc(slices.Concat(p.old, p.new), func(t evidence.Trial) bool { return !t.Repeats })
}

// orChance lets changes be found, and sets those aside that may be chance: where the
// seed does not repeat the trial, and what appears or vanishes was never there often.
func (t *Trial) orChance(p pair, find func(), often func(evidence.Trial, Change) bool) {
	before := len(t.Changes)
	find()
	if p.repeats() {
		return
	}
	found := slices.Clone(t.Changes[before:])
	t.Changes = t.Changes[:before]
	for _, c := range found {
		if slices.ContainsFunc(slices.Concat(p.old, p.new), func(one evidence.Trial) bool { return often(one, c) }) {
			t.Changes = append(t.Changes, c)
		} else {
			t.Chance = append(t.Chance, c)
		}
	}
}

// often says whether a trial has an anomaly often, or one that is not permitted.
func often(t evidence.Trial, c Change) bool {
	return slices.ContainsFunc(t.Anomalies, func(a evidence.Anomaly) bool {
		return anomalyName(a) == c.Name && (a.Count > rare || !permitted(t, a))
	})
}

// failedOften says whether a call failed often with one of the codes that appear or
// vanish.
func failedOften(t evidence.Trial, c Change) bool {
	return slices.ContainsFunc(t.Errors, func(e evidence.ErrorCount) bool {
		code := codeOf(e)
		return callOf(e) == c.Name && e.Count > rare && strings.Contains(c.Old, code) != strings.Contains(c.New, code)
	})
}

func anomalyName(a evidence.Anomaly) string { return string(a.Kind) + ": " + a.Cause }

func permitted(t evidence.Trial, a evidence.Anomaly) bool {
	return a.Allowed || t.Kind == evidence.Observation
}

// callOf is "commit", or "old instance: commit" in a story of several.
func callOf(e evidence.ErrorCount) string {
	if e.Who == "" {
		return e.Call
	}
	return e.Who + ": " + e.Call
}

func codeOf(e evidence.ErrorCount) string { return fmt.Sprintf("%s (%s)", e.Code, e.Class) }
