package faultdiff

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"kcompare/drivers"
	"kcompare/internal/audit"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
)

// Setup is with which clients all stories are played, and on what.
type Setup struct {
	Clients []drivers.Driver
	Cluster broker.Cluster // of three nodes, for all stories; nil: an embedded one for each
}

// Seen is what happened, line by line, in each story with each client.
type Seen map[Played][]string

// Played names a story and the client in it.
type Played struct{ Action, Client string }

const (
	nodes   = 3
	atOnce  = 8           // stories that are played at a time; they mostly wait
	longest = time.Minute // for a story that takes seconds, on a busy machine
)

// Play plays every story with every client: side by side what leaves the cluster as it
// is, and after that, one at a time, what changes one that is shared. The error says
// why nothing can be concluded from a story: its fault did not fire, say, or the
// client went past the proxy.
func (u Setup) Play(ctx context.Context) (Seen, error) {
	together, alone := u.acts()
	if err := playAll(ctx, together, atOnce); err != nil {
		return nil, err
	}
	if err := playAll(ctx, alone, 1); err != nil {
		return nil, err
	}
	seen := Seen{}
	for _, a := range slices.Concat(together, alone) {
		seen[a.played()] = a.told
	}
	return seen, nil
}

// acts are those that may be played side by side, and those that may not.
func (u Setup) acts() (together, alone []*act) {
	for _, s := range Stories() {
		for _, d := range u.Clients {
			a := &act{story: s, driver: d, number: len(together) + len(alone) + 1}
			if u.Cluster != nil {
				a.site = &trial.Site{Cluster: u.Cluster}
			}
			if u.Cluster != nil && s.Action.ChangesCluster() {
				alone = append(alone, a)
			} else {
				together = append(together, a)
			}
		}
	}
	return together, alone
}

func playAll(ctx context.Context, acts []*act, atOnce int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, a := range acts {
		group.Go(func() error { return a.play(ctx) })
	}
	return group.Wait()
}

// act is one story with one client.
type act struct {
	story  Story
	driver drivers.Driver
	site   *trial.Site // that stories share; nil: an embedded cluster for this one alone
	number int         // its own among all on a shared cluster
	told   []string    // what happened, once it was played
}

func (a *act) played() Played { return Played{string(a.story.Action), a.driver.Client()} }

func (a *act) play(ctx context.Context) error {
	t, err := a.try(ctx, trial.Sabotage{})
	if err != nil {
		return fmt.Errorf("%s with %s: %w", a.story.Action, a.driver.Client(), err)
	}
	if v, reasons := verdict.Judge(t); v != evidence.Holds {
		return fmt.Errorf("%s with %s: %s: %q", a.story.Action, a.driver.Client(), v, reasons)
	}
	return nil
}

// try plays the story, and leaves it to the caller whether it proves anything.
func (a *act) try(ctx context.Context, sabotage trial.Sabotage) (evidence.Trial, error) {
	s := a.story
	var seen []string
	run := func(ctx context.Context, stage *scenario.Stage) (err error) {
		seen, err = s.program(ctx, stage)
		return err
	}
	observed, err := trial.Run(ctx, trial.Spec{
		Scenario:   scenario.Scenario{Name: "fault-" + string(s.Action), Topics: []scenario.Topic{{Role: payments, Partitions: 1}}},
		Variant:    s.variant(run),
		Driver:     a.driver,
		Parameters: scenario.Parameters{Messages: s.payments(), DeliveryTimeout: longest, Retries: 1_000_000},
		Seed:       1, Number: a.number, Nodes: nodes, Site: a.site,
		Timeout: longest, Now: time.Now, Sabotage: sabotage,
	})
	if err != nil {
		return evidence.Trial{}, err
	}
	t := audit.Audit(observed)
	a.told = slices.Concat([]string{fired(t)}, seen, s.tell(t, observed), errorsOf(t))
	return t, nil
}
