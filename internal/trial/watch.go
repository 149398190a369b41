package trial

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
)

// exchanges tells whoever waits of each request whose fate is settled.
type exchanges struct {
	mu         sync.Mutex
	waiting    map[*awaited]bool
	unanswered map[int64]bool // Produce that the broker got and will not answer any more, by number
}

// awaited is a request that a story waits for.
type awaited struct {
	meets func(evidence.Exchange) bool
	found chan evidence.Exchange // takes one
}

func (x *exchanges) settled(e evidence.Exchange) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if isOpen(e) {
		if x.unanswered == nil {
			x.unanswered = map[int64]bool{}
		}
		x.unanswered[e.N] = true
	}
	for one := range x.waiting {
		one.take(e)
	}
}

// isOpen says whether the broker has a Produce and has not answered it.
func isOpen(e evidence.Exchange) bool { return e.API == "Produce" && e.Forwarded && !e.Answered }

// open says whether one of them may still be answered.
func (x *exchanges) open(trace []evidence.Exchange) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.ContainsFunc(trace, func(e evidence.Exchange) bool { return isOpen(e) && !x.unanswered[e.N] })
}

// quiet waits until none is.
func (x *exchanges) quiet(ctx context.Context, trace func() []evidence.Exchange) error {
	for {
		a, done := x.await(func(e evidence.Exchange) bool { return e.API == "Produce" })
		if !x.open(trace()) {
			done()
			return nil
		}
		select {
		case <-a.found:
			done()
		case <-ctx.Done():
			done()
			return fmt.Errorf("wait for the last answers to Produce: %w", ctx.Err())
		}
	}
}

func (a *awaited) take(e evidence.Exchange) {
	if !a.meets(e) {
		return
	}
	select {
	case a.found <- e:
	default: // it has one
	}
}

// await registers before anybody looks at what is settled already, so that nothing
// falls between the two.
func (x *exchanges) await(meets func(evidence.Exchange) bool) (a *awaited, done func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.waiting == nil {
		x.waiting = map[*awaited]bool{}
	}
	a = &awaited{meets: meets, found: make(chan evidence.Exchange, 1)}
	x.waiting[a] = true
	return a, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.waiting, a)
	}
}

// Exchange is scenario.Watch.
func (h *house) Exchange(ctx context.Context, meets func(evidence.Exchange) bool) (evidence.Exchange, error) {
	a, done := h.exchanges.await(meets)
	defer done()
	for _, e := range h.proxy.Observed().Trace.Exchanges {
		if (e.Answered || e.Fault != "" || e.Collateral) && meets(e) {
			return e, nil
		}
	}
	select {
	case e := <-a.found:
		return e, nil
	case <-ctx.Done():
		return evidence.Exchange{}, fmt.Errorf("wait for a request of the story: %w", ctx.Err())
	}
}

// Decided is scenario.Watch.
func (h *house) Decided(ctx context.Context) error { return h.reader.AwaitDecided(ctx, h.topicNames()) }

// Standing is scenario.Watch.
func (h *house) Standing(ctx context.Context, meets func([]evidence.Standing) bool) ([]evidence.Standing, error) {
	return h.reader.AwaitStanding(ctx, h.topicNames(), meets)
}

// wire is scenario.Wire: the proxy, unless a test wants nothing to happen.
func (h *house) wire() scenario.Wire {
	if h.spec.Sabotage.FaultsOff {
		return noWire{}
	}
	return h.proxy
}

// noWire does nothing, and says so.
type noWire struct{}

func (noWire) Cut(string) int  { return 0 }
func (noWire) Hold(string) int { return 0 }
func (noWire) Lift(string)     {}

// pause lets time pass in a story.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
