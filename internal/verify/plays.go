package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"kcompare/drivers"
)

// This file plays experiments, and plays some of them again.

// mostPlays is how often a difference that load can make has to show before it is one.
const mostPlays = 3

// playAll plays what nothing stands in the way of, all of it side by side, and then,
// one at a time, what came too late. With one client alone there would be nothing to
// compare.
func playAll(ctx context.Context, o Options, runs []*run) {
	runs = slices.DeleteFunc(slices.Clone(runs), (*run).hindered)
	var playing sync.WaitGroup
	for _, r := range runs {
		r.plays = [][]outcome{make([]outcome, len(r.candidates))}
		for i := range r.candidates {
			playing.Go(func() { r.play(ctx, o.Now, i) })
		}
	}
	playing.Wait()
	for _, r := range runs {
		r.playLate(ctx, o.Now)
	}
}

// repeat plays experiments again in which a sight that is Timed came out different:
// one at a time, so that this process is no load of its own, and until a play says
// otherwise.
func repeat(ctx context.Context, o Options, runs []*run) {
	for _, r := range runs {
		for len(r.plays) < mostPlays && r.doubtful(o) && ctx.Err() == nil {
			r.plays = append(r.plays, make([]outcome, len(r.candidates)))
			var playing sync.WaitGroup
			for i := range r.candidates {
				playing.Go(func() { r.play(ctx, o.Now, i) })
			}
			playing.Wait()
			r.playLate(ctx, o.Now)
		}
	}
}

// doubtful says whether a difference would be reported that load may have made.
func (r *run) doubtful(o Options) bool {
	return slices.ContainsFunc(r.experiment.Sights, func(s Sight) bool {
		return s.Timed && (!o.GivenOnly || s.given(r.candidates)) && r.row(s).Result == Different
	})
}

// play adds one candidate to the last play.
func (r *run) play(ctx context.Context, now func() time.Time, i int) {
	last := r.plays[len(r.plays)-1]
	last[i].seen, last[i].err = play(ctx, now, r.experiment, r.candidates[i])
}

// playLate gives each client another chance that did not come to an end in time: there
// is nothing beside it now.
func (r *run) playLate(ctx context.Context, now func() time.Time) {
	for i, o := range r.plays[len(r.plays)-1] {
		if late(o.err) && ctx.Err() == nil {
			r.play(ctx, now, i)
		}
	}
}

// late says whether it may be the machine that made a play fail.
func late(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || drivers.ClassOf(err) == drivers.UnknownOutcome
}

func (r *run) hindered() bool {
	return slices.ContainsFunc(r.obstacles, func(why string) bool { return why != "" })
}

// impossible is the error of a play that cannot be with these settings, which nobody
// knew before: an obstacle, and no failure.
type impossible struct{ why string }

func (e *impossible) Error() string { return e.why }

// problems are the experiments that failed.
func problems(runs []*run) []string {
	var all []string
	for _, r := range runs {
		for _, outcomes := range r.plays {
			for i, o := range outcomes {
				var cannot *impossible
				if o.err != nil && !errors.As(o.err, &cannot) {
					all = append(all, fmt.Sprintf("%s with %s: %v", r.experiment.Name, r.candidates[i].Name, o.err))
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
