// Package shrink looks for the smallest trial in which a violated one goes wrong in the
// same way: fewer records, fewer faults. It plays trials and changes nothing of the one
// that it began with.
package shrink

import (
	"context"
	"slices"
	"sync"

	"kcompare/internal/evidence"
	"kcompare/internal/trial"
)

// Search is what is shrunk, and how.
type Search struct {
	Violated evidence.Trial
	Spec     trial.Spec                                                // of it
	Play     func(context.Context, trial.Spec) (evidence.Trial, error) // plays, audits and judges
	Command  func(trial.Spec) string                                   // the command line of a trial
}

const (
	tries      = 3 // of each candidate that showed the anomaly
	enough     = 2 // of them, where no candidate shows it in all
	sideBySide = 4 // candidates; they wait most of the time
)

// Smallest is the first candidate, from the smallest on, that shows the anomaly whenever
// it is played; if there is none, or ctx ends before, the first one that showed it in two
// plays of three; nil without one. Whoever ran the trial calls it after the verdict.
func (s Search) Smallest(ctx context.Context) (*evidence.Shrunk, error) {
	wanted, is := anomalyOf(s.Violated)
	if !is {
		return nil, nil
	}
	all, err := candidates(s.Spec, s.Violated)
	if err != nil {
		return nil, err
	}
	var second *evidence.Shrunk
	for group := range slices.Chunk(all, sideBySide) {
		for i, first := range s.playEach(ctx, group) {
			if first == nil || !shows(*first, wanted) {
				continue
			}
			found := s.confirm(ctx, group[i], *first, wanted)
			if found.Times == tries {
				return found, nil
			}
			if second == nil && found.Times >= enough {
				second = found
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return second, nil
}

// Possible says whether a trial has an anomaly to be shrunk by. What else breaks a claim,
// such as a count, is another one in a smaller trial.
func Possible(t evidence.Trial) bool {
	_, is := anomalyOf(t)
	return is
}

// anomalyOf is the one that a trial is shrunk by: the first that its variant forbids.
func anomalyOf(t evidence.Trial) (evidence.Anomaly, bool) {
	if i := slices.IndexFunc(t.Anomalies, func(a evidence.Anomaly) bool { return !a.Allowed }); i >= 0 {
		return t.Anomalies[i], true
	}
	return evidence.Anomaly{}, false
}

// shows says whether a trial went wrong in the same way, for the same cause.
func shows(t evidence.Trial, wanted evidence.Anomaly) bool {
	return t.Verdict == evidence.Violated && slices.ContainsFunc(t.Anomalies, func(a evidence.Anomaly) bool {
		return !a.Allowed && a.Kind == wanted.Kind && a.Cause == wanted.Cause
	})
}

// playEach plays the candidates side by side. What could not be played, or not in time, is
// nil: there are others.
func (s Search) playEach(ctx context.Context, group []candidate) []*evidence.Trial {
	played := make([]*evidence.Trial, len(group))
	var all sync.WaitGroup
	for i, c := range group {
		all.Go(func() {
			if t, err := s.Play(ctx, c.spec); err == nil && ctx.Err() == nil {
				played[i] = &t
			}
		})
	}
	all.Wait()
	return played
}

// confirm plays a candidate again.
func (s Search) confirm(ctx context.Context, c candidate, first evidence.Trial, wanted evidence.Anomaly) *evidence.Shrunk {
	found := describe(c.spec, first)
	found.Command = s.Command(c.spec)
	for _, t := range s.playEach(ctx, slices.Repeat([]candidate{c}, tries-1)) {
		if t == nil {
			continue
		}
		found.Tries++
		if shows(*t, wanted) {
			found.Times++
		}
	}
	return found
}

func describe(spec trial.Spec, t evidence.Trial) *evidence.Shrunk {
	s := &evidence.Shrunk{
		Messages: spec.Parameters.Messages, Partitions: int(spec.Parameters.Partitions), Seed: spec.Seed,
		Records: t.Counts[evidence.Intended], Struck: map[string]int64{},
		Times: 1, Tries: 1, Case: t.Case,
	}
	for _, a := range t.Anomalies {
		if !a.Allowed {
			s.Anomalies = append(s.Anomalies, a)
		}
	}
	for _, f := range t.Faults {
		if f.Fired > 0 {
			s.Faults += int(f.Fired)
			s.Struck[f.Kind] += f.Fired
		}
	}
	return s
}
