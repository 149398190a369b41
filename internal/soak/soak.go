// Package soak lets kcompare work at full speed for a long time and notes, whenever all
// is at rest, what it holds: memory, goroutines, open files. Whether that grows is judged by
// package performance, from the notes alone.
package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Work is something that leaves nothing behind once it is done, and says how many records it
// was about.
type Work struct {
	Name  string
	Times int // it is done in a round, one after the other
	Do    func(context.Context) (records int64, err error)
}

// Options is what to do, and for how long.
type Options struct {
	Works []Work // side by side, again and again
	For   time.Duration
	Every time.Duration // from one sample to the next; a round under way is ended first
	Now   func() time.Time

	Sampled func(Sample) error // is told of each; its error ends the run
}

// Sample is what this process held when nothing was under way and garbage was collected.
type Sample struct {
	Elapsed    time.Duration
	Rounds     int64
	Records    int64
	Heap       int64 // bytes of live objects
	RSS        int64 // bytes, after free memory was given back to the system; what C holds is in it
	Goroutines int64
	Files      int64 // open ones, sockets included

	Inconclusive int64 // trials so far
}

// ErrInconclusive is wrapped by the error of a work that went wrong without telling anything:
// on a busy machine a library may be slower than a trial waits. The soak goes on.
var ErrInconclusive = errors.New("inconclusive")

// Run works until time is up or ctx ends, which is an error. A work that fails ends it: what
// was sampled before says nothing then.
func Run(ctx context.Context, o Options) error {
	start, sampled := o.Now(), time.Duration(0)
	for s := (Sample{}); s.Elapsed < o.For; {
		if err := s.round(ctx, o.Works); err != nil {
			return fmt.Errorf("soak: round %d, %w", s.Rounds+1, err)
		}
		s.Elapsed = o.Now().Sub(start)
		if s.Elapsed-sampled < o.Every {
			continue
		}
		sampled = s.Elapsed
		if err := s.measure(); err != nil {
			return fmt.Errorf("soak: %w", err)
		}
		if err := o.Sampled(s); err != nil {
			return err
		}
	}
	return nil
}

// round does each work so many times as it wants, and returns when all are done.
func (s *Sample) round(ctx context.Context, works []Work) error {
	var all, open atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range works {
		group.Go(func() error {
			for range w.Times {
				records, err := w.Do(ctx)
				switch {
				case errors.Is(err, ErrInconclusive):
					open.Add(1)
				case err != nil:
					return fmt.Errorf("%s: %w", w.Name, err)
				}
				all.Add(records)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	s.Rounds++
	s.Records += all.Load()
	s.Inconclusive += open.Load()
	return nil
}

// measure looks at this process. What finalizers free takes a second collection.
func (s *Sample) measure() error {
	runtime.GC()
	debug.FreeOSMemory()
	live := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(live)
	s.Heap, s.Goroutines = int64(live[0].Value.Uint64()), int64(runtime.NumGoroutine())
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("count open files, which takes Linux: %w", err)
	}
	s.Files = int64(len(files)) - 1 // the folder itself was open
	s.RSS, err = rss()
	return err
}

func rss() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kB, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read VmRSS of /proc/self/status: %w", err)
	}
	return kB << 10, nil
}
