package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/sequence"
	"kcompare/internal/trial"
	"kcompare/internal/workbook"
)

// docsPlayer plays what pages tell of.
type docsPlayer struct {
	state    *State
	progress string
	unclear  int // trials that were stored and are inconclusive
}

// lacking plays what the chosen blocks of a course want and is missing or stale, and what
// again wants although it is fresh, and gives the files of evidence that change. After an
// interruption, and where a program of the course fails, it writes what was finished
// itself, for nobody renders then; a failure of kcompare's own leaves nothing.
func (p *docsPlayer) lacking(ctx context.Context, c docsCourse, w, again workbook.Wants) ([]workbook.File, error) {
	plays := c.source.Plays(w.Needs, func(n workbook.Need) bool { return slices.Contains(again.Needs, n) })
	programs, err := c.source.OutputPlays(w.Programs, func(name string) bool { return slices.Contains(again.Programs, name) })
	if err != nil {
		return nil, usageError{err}
	}
	benches := c.source.BenchPlays(w.Benches, func(n workbook.BenchNeed) bool { return slices.Contains(again.Benches, n) })
	p.announce(plays, benches, programs)
	played, err := p.trials(ctx, plays)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	for _, r := range played {
		if err := p.put(c, r); err != nil {
			return nil, err
		}
	}
	if err == nil {
		err = p.state.playPrograms(ctx, c.Root, programs, func(program workbook.Program, lines []string) error {
			return c.source.PutOutput(program.Name, lines)
		})
	}
	if err == nil {
		err = p.benches(ctx, c, benches) // last: nothing else goes on while a clock runs
	}
	files, wrong := c.changedEvidence()
	switch {
	case wrong != nil:
		return nil, wrong
	case err != nil:
		return nil, p.keep(files, err)
	}
	return files, nil
}

// announce says what is going to be played, and why.
func (p *docsPlayer) announce(plays []workbook.Play, benches []workbook.BenchPlay, programs []workbook.Program) {
	if len(plays)+len(benches)+len(programs) == 0 {
		return
	}
	var all, why []string
	for _, play := range plays {
		all = append(all, play.Why...)
	}
	for _, play := range benches {
		all = append(all, play.Why...)
	}
	for _, reason := range all {
		if !slices.Contains(why, reason) {
			why = append(why, reason)
		}
	}
	text := toPlay(len(plays), len(benches), len(programs)) + " to play"
	if len(why) > 0 {
		text += " (" + strings.Join(why, "; ") + ")"
	}
	fmt.Fprintf(p.state.Stderr, "kcompare: %s\n", text)
}

// toPlay is "3 trials and 1 program", without what there is none of.
func toPlay(trials, benches, programs int) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{trials, "trial"}, {benches, "bench"}, {programs, "program"}} {
		if part.n > 0 {
			parts = append(parts, counted(part.n, part.what))
		}
	}
	if len(parts) == 0 {
		return counted(0, "trial")
	}
	return strings.Join(parts, " and ")
}

// put stores a trial, and says so where it proves nothing.
func (p *docsPlayer) put(c docsCourse, r workbook.Replayed) error {
	if r.Trial.Verdict == evidence.Inconclusive {
		p.unclear++
		fmt.Fprintf(p.state.Stderr, "kcompare: %s %s on %s is inconclusive, and stored as that: %s\n",
			r.Need.Scenario, r.Need.Variant, r.Need.Client, strings.Join(r.Trial.Reasons, "; "))
	}
	return c.source.Put(r.Need, r.Trial)
}

// keep writes the evidence of a command that ends early: trials may have taken minutes.
func (p *docsPlayer) keep(files []workbook.File, why error) error {
	if len(files) == 0 {
		return why
	}
	if err := replaceFiles(files); err != nil {
		return errors.Join(why, err)
	}
	return fmt.Errorf("%w; evidence of what was finished is kept in %s", why, counted(len(files), "file"))
}

// keepFor keeps evidence that was played for a page that is wrong after all: which metrics a
// bench has is known only when there is one. The error is the page's.
func (p *docsPlayer) keepFor(files []workbook.File, wrong error) error {
	if len(files) == 0 {
		return wrong
	}
	if err := replaceFiles(files); err != nil {
		return errors.Join(wrong, err)
	}
	fmt.Fprintf(p.state.Stderr, "kcompare: evidence of what was played is kept in %s\n", counted(len(files), "file"))
	return wrong
}

func replaceFiles(files []workbook.File) error {
	for _, f := range files {
		if err := replaceFile(f); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
	}
	return nil
}

// changedEvidence are the files of evidence that are to be written.
func (c docsCourse) changedEvidence() ([]workbook.File, error) {
	changed, err := c.source.Changed()
	if err != nil {
		return nil, err
	}
	var files []workbook.File
	for name, content := range changed {
		files = append(files, workbook.File{Path: c.at(name), Content: content})
	}
	slices.SortFunc(files, func(a, b workbook.File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// at is a file of the course as the user would name it.
func (c docsCourse) at(name string) string { return filepath.Join(c.Root, filepath.FromSlash(name)) }

// trials plays trials, a broker at a time, and gives those that were finished with their
// scenes. Clients that are not there are a usage error that says how to get them.
func (p *docsPlayer) trials(ctx context.Context, plays []workbook.Play) ([]workbook.Replayed, error) {
	contestants, err := p.contestants(ctx, plays)
	if err != nil {
		return nil, err
	}
	var all []workbook.Replayed
	for _, group := range byBroker(plays) {
		played, err := p.group(ctx, group, contestants)
		all = append(all, played...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// contestants makes the drivers of plays, by client.
func (p *docsPlayer) contestants(ctx context.Context, plays []workbook.Play) (map[string]drivers.Driver, error) {
	var names []string
	for _, play := range plays {
		if !slices.Contains(names, play.Client) {
			names = append(names, play.Client)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	made, err := p.state.contestants(ctx, names)
	if err != nil {
		return nil, err
	}
	by := map[string]drivers.Driver{}
	for i, name := range names {
		by[name] = made[i]
	}
	return by, nil
}

// byBroker puts plays together that can share a broker: of one kind, with so many nodes.
func byBroker(plays []workbook.Play) [][]workbook.Play {
	type stage struct {
		broker string
		nodes  int
	}
	var groups [][]workbook.Play
	at := map[stage]int{}
	for _, play := range plays {
		of := stage{play.Broker, play.Parameters.Nodes}
		i, known := at[of]
		if !known {
			i = len(groups)
			at[of] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], play)
	}
	return groups
}

// group plays trials on one broker, as `kcompare run` does.
func (p *docsPlayer) group(ctx context.Context, plays []workbook.Play, contestants map[string]drivers.Driver) ([]workbook.Replayed, error) {
	opts := &runOptions{
		state: p.state, ownBroker: ownBroker{broker: plays[0].Broker, nodes: plays[0].Parameters.Nodes},
		siteOptions: siteOptions{prefix: trial.DefaultPrefix}, repeat: 1, progress: p.progress,
	}
	if err := opts.checkBroker(); err != nil {
		return nil, err
	}
	var specs []trial.Spec
	for i, play := range plays {
		spec, err := opts.specOf(play, contestants[play.Client], i+1)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	opts.watch = func(spec trial.Spec, t *evidence.Trial, seen *evidence.Observed) error {
		return cutScenes(plays[spec.Number-1].Scenes, t, seen)
	}
	stop, err := opts.startBroker(ctx, specs)
	if err != nil {
		return nil, err
	}
	var trials []evidence.Trial
	err = opts.onStage(ctx, specs, stop, func() (err error) {
		trials, err = playAll(ctx, opts, specs)
		return err
	})
	var all []workbook.Replayed
	for _, t := range trials {
		all = append(all, workbook.Replayed{Need: plays[t.Number-1].Need, Trial: t})
	}
	return all, err
}

// specOf is a play as a trial of a run.
func (o *runOptions) specOf(play workbook.Play, driver drivers.Driver, number int) (trial.Spec, error) {
	timeout, err := time.ParseDuration(play.Parameters.DeliveryTimeout)
	if err != nil {
		return trial.Spec{}, fmt.Errorf("delivery-timeout: %w", err)
	}
	o.parameters = scenario.Parameters{
		Messages: play.Parameters.Messages, DropRate: play.Parameters.DropRate, DeliveryTimeout: timeout,
		Retries: play.Parameters.Retries, Warmup: play.Parameters.Warmup,
	}
	s, _ := scenario.ByName(play.Scenario)
	i := slices.IndexFunc(s.Variants, func(v scenario.Variant) bool { return v.Name == play.Variant })
	if i < 0 {
		return trial.Spec{}, fmt.Errorf("scenario %s has no variant %q", play.Scenario, play.Variant)
	}
	spec := trial.Spec{
		Scenario: s, Variant: s.Variants[i].With(o.parameters), Driver: driver, Parameters: o.parameters,
		Site: o.site, Prefix: o.prefix, Seed: play.Parameters.Seed, Number: number, Nodes: o.nodes,
		Timeout: o.timeout(), Now: o.state.Now,
	}
	if err := spec.Check(); err != nil {
		return trial.Spec{}, fmt.Errorf("%s: %w", spec.Name(), err)
	}
	return spec, nil
}

// cutScenes cuts what pages show of a trace. A trial that was not played, or not to its end,
// has scenes without a step.
func cutScenes(names []string, t *evidence.Trial, seen *evidence.Observed) error {
	for _, of := range names {
		scene, err := sequence.Cut(seen, of)
		switch {
		case err == nil:
		case t.Verdict == evidence.NotSupported || t.Verdict == evidence.Inconclusive:
			scene = evidence.Scene{Of: of, Steps: []evidence.SceneStep{}}
		default:
			return usageError{err}
		}
		t.Scenes = append(t.Scenes, scene)
	}
	return nil
}
