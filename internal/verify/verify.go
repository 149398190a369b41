// Package verify proves, setting by setting, whether clients that are given the same settings behave alike on the wire.
//
// Each experiment is played with each client on a stand of its own: an embedded broker,
// the recording proxy in front of it, and one client that has exactly the settings of
// the file. What is compared are observations, never settings: a key that nothing was
// seen of is not observable, and never "same".
package verify

import (
	"context"
	"errors"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// Client is a library with the settings that it is to have. Package cli makes it from
// a file.
type Client struct {
	Name   string // of its column, different from all others: "franz", "franz: new.properties"
	Driver drivers.Driver
	Config Settings // canonical names, as in the file

	// Unread are the keys of the file whose value nobody knows, and why: code, or an
	// expression. They are in the report and not in Config.
	Unread map[string]string
}

// Options say what is verified.
type Options struct {
	Role    config.Role
	Clients []Client // two or more: each is compared with the first

	GivenOnly bool // leave out what the settings do not name
	Deep      bool // wait as long as it takes for what a setting does

	Now func() time.Time
}

// Deepest is how long the effect of a setting may take to be waited for without
// Options.Deep.
const Deepest = 3 * time.Second

// Verify plays every experiment that says something about the settings, all of them
// side by side, compares, and measures again what came out different and load can
// change. It takes some seconds, without end with Options.Deep.
// The error is a *drivers.ConfigError where every client refuses the settings, or that
// of ctx. An experiment that failed stands in Report.Problems.
func Verify(ctx context.Context, o Options) (Report, error) {
	candidates, err := prepareAll(o)
	if err != nil {
		return Report{}, err
	}
	report := Report{Role: o.Role, Clients: described(candidates)}
	if refusing(candidates) {
		report.Keys = refusedKeys(candidates)
		return report, nil
	}
	runs := plan(o, candidates)
	playAll(ctx, o, runs)
	repeat(ctx, o, runs)
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx)
	}
	report.Problems = problems(runs)
	report.Keys = judge(o, candidates, runs)
	return report, nil
}

// run is one experiment with all clients.
type run struct {
	experiment Experiment
	candidates []candidate
	obstacles  []string    // why it makes no sense with a candidate's settings, or takes too long; "" for nothing
	plays      [][]outcome // each has one of each candidate; none where there is an obstacle
}

// outcome is what came of an experiment with one client: seen, or why not.
type outcome struct {
	seen Seen
	err  error // it failed, or is an *impossible
}

// plan is the experiments that are about something that is asked for, with what
// stands in the way of each.
func plan(o Options, candidates []candidate) []*run {
	var runs []*run
	for _, e := range Experiments() {
		if !slices.Contains(e.Roles, o.Role) || o.GivenOnly && !about(e, candidates) {
			continue
		}
		r := &run{experiment: e, candidates: candidates}
		for _, c := range candidates {
			r.obstacles = append(r.obstacles, e.obstacle(c.settings(e), o.Deep))
		}
		runs = append(runs, r)
	}
	return runs
}

func about(e Experiment, candidates []candidate) bool {
	return slices.ContainsFunc(e.Sights, func(s Sight) bool { return s.given(candidates) })
}

// given says whether the settings of any client name the key.
func (s Sight) given(candidates []candidate) bool {
	return slices.ContainsFunc(candidates, func(c candidate) bool { return c.gives(s.Key) })
}

// errEmpty is a defect of whoever calls.
var errEmpty = errors.New("verify: expected two clients or more")
