package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// The values of --progress.
const (
	progressAuto  = "auto"
	progressPlain = "plain"
	progressNone  = "none"
)

// progress shows on stderr what is going on. Its methods may be called
// concurrently, and so may the functions that begin returns.
type progress interface {
	// begin announces a trial of so many records. step is called for each record
	// that was reported, end once, with the result or with nothing.
	begin(name string, total int) (step func(), end func(result string))
	close()
}

func newProgress(s *State, how string) progress {
	switch {
	case how == progressNone:
		return noProgress{}
	case how == progressAuto && s.StderrTerminal:
		return newLiveProgress(s.Stderr)
	}
	return &plainProgress{w: s.Stderr}
}

type noProgress struct{}

func (noProgress) begin(string, int) (func(), func(string)) { return func() {}, func(string) {} }
func (noProgress) close()                                   {}

// plainProgress writes a line for each trial that has ended.
type plainProgress struct {
	mu sync.Mutex
	w  io.Writer
}

func (p *plainProgress) begin(name string, _ int) (step func(), end func(string)) {
	return func() {}, func(result string) {
		if result == "" {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		fmt.Fprintf(p.w, "%s: %s\n", name, result)
	}
}

func (p *plainProgress) close() {}

// liveProgress keeps one line for each running trial.
type liveProgress struct{ bars *mpb.Progress }

func newLiveProgress(w io.Writer) *liveProgress {
	return &liveProgress{bars: mpb.New(mpb.WithOutput(w), mpb.WithWidth(30))}
}

func (p *liveProgress) begin(name string, total int) (step func(), end func(string)) {
	bar := p.bars.AddBar(int64(total),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.CountersNoUnit("%d of %d records")),
	)
	return bar.Increment, func(string) { bar.Abort(true) }
}

// close takes the last line from the screen, that of a trial which was left
// running included.
func (p *liveProgress) close() { p.bars.Shutdown() }
