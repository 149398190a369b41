package cli

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"kcompare/internal/bench"
)

// benchProgress shows on stderr where a bench stands. Its turns come one after the other.
type benchProgress interface {
	at(bench.Progress)
	close()
}

func newBenchProgress(s *State, how string) benchProgress {
	switch {
	case how == progressNone:
		return noBenchProgress{}
	case how == progressAuto && s.StderrTerminal:
		return newLiveBenchProgress(s.Stderr)
	}
	return plainBenchProgress{s.Stderr}
}

type noBenchProgress struct{}

func (noBenchProgress) at(bench.Progress) {}
func (noBenchProgress) close()            {}

// plainBenchProgress writes a line for whatever begins.
type plainBenchProgress struct{ w io.Writer }

func (p plainBenchProgress) at(now bench.Progress) { fmt.Fprintln(p.w, doing(now)) }
func (plainBenchProgress) close()                  {}

// doing is what happens now, in words.
func doing(now bench.Progress) string {
	if now.Proving {
		return "settings of " + now.Contestant
	}
	return fmt.Sprintf("turn %d of %d: %s", now.Turn, now.Of, now.Contestant)
}

// liveBenchProgress is one line, with what happens now and how many turns are done.
type liveBenchProgress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
	now  atomic.Pointer[string]
}

func newLiveBenchProgress(w io.Writer) *liveBenchProgress {
	p := &liveBenchProgress{bars: mpb.New(mpb.WithOutput(w), mpb.WithWidth(30))}
	p.at(bench.Progress{}) // the line is written as soon as it is there
	p.bar = p.bars.AddBar(0,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return *p.now.Load() })),
		mpb.AppendDecorators(decor.CountersNoUnit("%d of %d turns")),
	)
	return p
}

func (p *liveBenchProgress) at(now bench.Progress) {
	name := now.Contestant
	if now.Proving {
		name = doing(now)
	}
	p.now.Store(&name)
	if p.bar != nil && now.Of > 0 {
		p.bar.SetTotal(int64(now.Of), false)
		p.bar.SetCurrent(int64(max(now.Turn-1, 0)))
	}
}

// close takes the line from the screen.
func (p *liveBenchProgress) close() {
	p.bar.Abort(true)
	p.bars.Shutdown()
}
