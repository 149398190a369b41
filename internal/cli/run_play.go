package cli

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"time"

	"github.com/google/renameio/v2/maybe"
	"golang.org/x/sync/errgroup"

	"kcompare/drivers"
	"kcompare/internal/audit"
	"kcompare/internal/evidence"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
)

const (
	// sideBySide is how many trials run at a time. They spend nearly all their
	// time waiting for backoffs, each on a broker of its own.
	sideBySide = 16

	// patience is how long an interrupted run waits for trials to let go; the
	// contract allows 2 s in all.
	patience = 1500 * time.Millisecond
)

// programsSideBySide is how many trials of clients that are programs run at a time. Each
// starts a process, which wants a processor for itself until its library is loaded; a
// program that gets none looks like one that hangs.
func programsSideBySide() int { return 2 * runtime.GOMAXPROCS(0) }

// playAll plays the trials side by side and returns those that were finished, in
// the order of specs. The first failure of kcompare itself stops the others.
func playAll(ctx context.Context, opts *runOptions, specs []trial.Spec) ([]evidence.Trial, error) {
	shown := newProgress(opts.state, opts.progress)
	defer shown.close()
	results := &results{trials: make([]*evidence.Trial, len(specs))}
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		failure = inGroups(ctx, specs, func(ctx context.Context, i int) error {
			t, err := play(ctx, opts, specs[i], shown)
			if err == nil {
				results.set(i, t)
			}
			return err
		})
	}()
	if !endsInTime(ctx, done) {
		return results.finished(), context.Cause(ctx)
	}
	return results.finished(), failure
}

// inGroups plays trials side by side. Those that change a cluster which they share
// come after all others, one at a time.
func inGroups(ctx context.Context, specs []trial.Spec, play func(context.Context, int) error) error {
	var here, programs, alone []int
	for i, spec := range specs {
		_, program := spec.Driver.(drivers.Program)
		switch {
		case spec.Site != nil && spec.ChangesCluster():
			alone = append(alone, i)
		case program:
			programs = append(programs, i)
		default:
			here = append(here, i)
		}
	}
	all, allCtx := errgroup.WithContext(ctx)
	all.Go(func() error { return limited(allCtx, sideBySide, here, play) })
	all.Go(func() error { return limited(allCtx, programsSideBySide(), programs, play) })
	if err := all.Wait(); err != nil {
		return err
	}
	return limited(ctx, 1, alone, play)
}

// limited plays trials, so many at a time, until one fails.
func limited(ctx context.Context, most int, indices []int, play func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(most)
	for _, i := range indices {
		group.Go(func() error { return play(ctx, i) })
	}
	return group.Wait()
}

// endsInTime waits for the trials; after an interruption only as long as the
// contract allows. What still runs then ends with the process.
func endsInTime(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}

// results collects trials from several goroutines.
type results struct {
	mu     sync.Mutex
	trials []*evidence.Trial
}

func (r *results) set(i int, t evidence.Trial) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trials[i] = &t
}

func (r *results) finished() []evidence.Trial {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := []evidence.Trial{}
	for _, t := range r.trials {
		if t != nil {
			all = append(all, *t)
		}
	}
	return all
}

// play runs one trial, judges it, and stores its evidence.
func play(ctx context.Context, opts *runOptions, spec trial.Spec, shown progress) (evidence.Trial, error) {
	if ctx.Err() != nil {
		return evidence.Trial{}, context.Cause(ctx)
	}
	name := spec.Name()
	step, end := shown.begin(name, spec.Intended())
	spec.Reported = step
	judged, seen, err := judge(ctx, spec)
	if err != nil {
		end("")
		return evidence.Trial{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := opts.witness(spec, &judged, seen); err != nil {
		end("")
		return evidence.Trial{}, fmt.Errorf("%s: %w", name, err)
	}
	end(fmt.Sprintf("%s in %.1f s", judged.Verdict, float64(judged.ElapsedMS)/1000))
	return judged, nil
}

// watcher looks at what a trial saw before that is forgotten, and may add to its evidence.
type watcher func(trial.Spec, *evidence.Trial, *evidence.Observed) error

// witness stores what is to stay of a trial beside its judgement.
func (o *runOptions) witness(spec trial.Spec, judged *evidence.Trial, seen *evidence.Observed) error {
	if o.watch != nil {
		return o.watch(spec, judged, seen)
	}
	if o.output.format == formatHTML {
		o.wires.add(*judged, seen.Trace)
	}
	if o.evidenceDir != "" {
		return o.store(judged, seen)
	}
	return nil
}

// judge plays a trial, audits it and judges it.
func judge(ctx context.Context, spec trial.Spec) (evidence.Trial, *evidence.Observed, error) {
	seen, err := trial.Run(ctx, spec)
	if err != nil {
		return evidence.Trial{}, nil, err
	}
	judged := audit.Audit(seen)
	judged.Verdict, judged.Reasons = verdict.Judge(judged)
	if judged.Verdict == evidence.Violated {
		judged.Case = audit.Case(seen, judged)
	}
	return judged, seen, nil
}

// store writes the evidence of one trial with its trace and log beside it. In
// the trial, which goes on into the document of the whole run, it leaves where
// they are from there.
func (o *runOptions) store(t *evidence.Trial, seen *evidence.Observed) error {
	trace, log := evidenceName(*t)+".trace.jsonl", evidenceName(*t)+".log.jsonl"
	if err := o.storeFile(trace, func(w io.Writer) error { return evidence.EncodeTrace(w, seen.Trace) }); err != nil {
		return err
	}
	if err := o.storeFile(log, func(w io.Writer) error { return evidence.EncodeLog(w, seen.Log) }); err != nil {
		return err
	}
	t.Trace, t.Log = o.fromDocument(trace), o.fromDocument(log)
	return o.storeTrial(*t) // last: it names the others
}

// storeTrial writes the evidence of a trial whose trace and log are there.
func (o *runOptions) storeTrial(t evidence.Trial) error {
	t.Trace, t.Log = filepath.Base(t.Trace), filepath.Base(t.Log)
	doc := o.document([]evidence.Trial{t})
	doc.ElapsedMS = t.ElapsedMS
	return o.storeFile(evidenceName(t)+".json", func(w io.Writer) error { return evidence.Encode(w, doc) })
}

func (o *runOptions) storeFile(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if err := maybe.WriteFile(filepath.Join(o.evidenceDir, name), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write evidence: %w", err)
	}
	return nil
}

// evidenceName is what the files of a trial are called, before what they hold.
func evidenceName(t evidence.Trial) string {
	name := fmt.Sprintf("%s-%s-%s", t.Scenario, fileName(t.Client), t.Variant)
	if t.Repeat > 0 {
		name += fmt.Sprintf("-%d", t.Repeat)
	}
	return name
}

// fileName is a client's name as a part of that of a file: that of a command may hold
// anything, and gets a number instead of what it has too much.
func fileName(client string) string {
	const most = 40
	plain := notInFiles.ReplaceAllString(client, "-")
	if plain == client && len(plain) <= most {
		return client
	}
	return fmt.Sprintf("%s-%08x", plain[:min(len(plain), most)], crc32.ChecksumIEEE([]byte(client)))
}

var notInFiles = regexp.MustCompile(`[^A-Za-z0-9._@+-]+`)

// fromDocument is the path of an evidence file as seen from the document.
func (o *runOptions) fromDocument(name string) string {
	path := filepath.Join(o.evidenceDir, name)
	if o.output.toStdout() {
		return path
	}
	if relative, err := filepath.Rel(filepath.Dir(o.output.file), path); err == nil {
		return relative
	}
	return path
}
