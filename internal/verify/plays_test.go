package verify

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// scripted is a run whose clients see, play after play, what is written down for them;
// an error in its place fails that play. told is how many plays there were in all.
func scripted(t *testing.T, timed bool, one, two []any) (r *run, told func() int) {
	set := Settings{"linger.ms": "5"}
	candidates := pair(t, set, set)
	var first, second atomic.Int32
	play := func(_ context.Context, s *Stand) error {
		script, n := one, &first
		if s.candidate.Name == "two" {
			script, n = two, &second
		}
		switch step := script[n.Add(1)-1].(type) {
		case error:
			return step
		case string:
			s.Note("o", saw(step))
		}
		return nil
	}
	r = &run{candidates: candidates, obstacles: []string{"", ""}, experiment: Experiment{
		Name: "e", Roles: ofProducers, Play: play, Sights: []Sight{{Key: "linger.ms", Timed: timed, See: noted("o")}},
	}}
	return r, func() int { return int(first.Load() + second.Load()) }
}

// A difference that load can make is one if it shows in every play; one that needs no
// time is never played again, and what came too late once is.
func TestDifferencesAreRepeated(t *testing.T) {
	t.Parallel()
	late := fmt.Errorf("wait for a request: %w", context.DeadlineExceeded)
	busy := &drivers.Error{Call: "flush", Class: drivers.UnknownOutcome, Code: "_TIMED_OUT"}
	broken := errors.New("broken")
	type list = []any
	for name, tt := range map[string]struct {
		timed    bool
		one, two list
		result   Result
		reason   string
		plays    int // of both clients
		problems []string
	}{
		"same":                   {true, list{"x"}, list{"x"}, Same, "", 2, nil},
		"a glitch":               {true, list{"x", "x"}, list{"glitch", "x"}, Same, "measured 2 times, and alike the last time: what differs under load is no difference", 4, nil},
		"two glitches":           {true, list{"x", "x", "x"}, list{"y", "y", "x"}, Same, "measured 3 times, and alike the last time: what differs under load is no difference", 6, nil},
		"always":                 {true, list{"x", "x", "x"}, list{"y", "y", "y"}, Different, "measured 3 times, and different each time", 6, nil},
		"not again without time": {false, list{"x"}, list{"y"}, Different, "", 2, nil},
		"late once":              {false, list{late, "x"}, list{"x"}, Same, "", 3, nil},
		"given up once":          {false, list{busy, "x"}, list{"x"}, Same, "", 3, nil},
		"late twice":             {false, list{late, late}, list{"x"}, NotObservable, "one: experiment e failed: wait for a request: context deadline exceeded", 3, []string{"e with one: wait for a request: context deadline exceeded"}},
		"broken":                 {true, list{broken}, list{"x"}, NotObservable, "one: experiment e failed: broken", 2, []string{"e with one: broken"}},
		"broken the second time": {true, list{"x", broken}, list{"y", "y"}, NotObservable, "one: experiment e failed: broken", 4, []string{"e with one: broken"}},
		"not with these":         {true, list{&impossible{"no"}}, list{"x"}, NotObservable, "one: no", 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, told := scripted(t, tt.timed, tt.one, tt.two)
			o := Options{Role: config.Producer, GivenOnly: true, Now: time.Now}
			playAll(t.Context(), o, []*run{r})
			repeat(t.Context(), o, []*run{r})
			row := judge(o, r.candidates, []*run{r})[0]
			if row.Result != tt.result || row.Reason != tt.reason || told() != tt.plays {
				t.Errorf("%s (%s) after %d plays, want %s (%s) after %d", row.Result, row.Reason, told(), tt.result, tt.reason, tt.plays)
			}
			if d := cmp.Diff(tt.problems, problems([]*run{r})); d != "" {
				t.Error(d)
			}
		})
	}
}

// What nobody asks for is not measured again.
func TestUnaskedIsNotRepeated(t *testing.T) {
	t.Parallel()
	r, told := scripted(t, true, []any{"x"}, []any{"y"})
	for i := range r.candidates {
		r.candidates[i].Config = Settings{}
	}
	o := Options{Role: config.Producer, GivenOnly: true, Now: time.Now}
	playAll(t.Context(), o, []*run{r})
	repeat(t.Context(), o, []*run{r})
	if told() != 2 {
		t.Errorf("%d plays, want 2", told())
	}
}
