package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// HoldRequest: the client's connection ends in the place of the answer, as with
// DropRequest, and the request reaches the broker later, on the broker connection
// that was kept open for it. So it comes as what a client authenticated itself as,
// unless the cluster lets sessions expire before that (KIP-368): then the broker
// hangs up, and the fault has not fired.
//
//	client ──X    conn ── kept ──> broker
//	client ─────> another conn ──> broker
//	              │ Until was answered without an error: release
//
// The answer that releases a request waits until the broker has answered that one,
// for drainTimeout at most. What the client does next comes after it, so that a
// run repeats itself.

// holds are the requests of a proxy that are held.
type holds struct {
	until map[string]bool // APIs whose answers release any

	mu  sync.Mutex
	all map[*held]bool
}

// held is one request that is held.
type held struct {
	exchange *evidence.Exchange
	until    []string
	released chan struct{} // closed when a later request of an API in until was done
	settled  chan struct{} // closed when the held one was answered, or will never be
}

func newHolds(plan fault.Plan) *holds {
	h := &holds{until: map[string]bool{}, all: map[*held]bool{}}
	for _, r := range plan {
		for _, api := range r.Releases() {
			h.until[api] = true
		}
	}
	return h
}

func (h *holds) add(e *entry) *held {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := &held{
		exchange: e.exchange, until: e.hit.Rule.Releases(),
		released: make(chan struct{}), settled: make(chan struct{}),
	}
	h.all[one] = true
	return one
}

func (h *holds) remove(one *held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, one)
}

// release lets go of what waited for an answer to this API, if it was held before
// the request came.
func (h *holds) release(answered *evidence.Exchange) []*held {
	h.mu.Lock()
	defer h.mu.Unlock()
	var free []*held
	for one := range h.all {
		if slices.Contains(one.until, answered.API) && answered.N > one.exchange.N {
			delete(h.all, one)
			close(one.released)
			free = append(free, one)
		}
	}
	return free
}

// releaseHeld is called for every answer of a broker, before the client gets it. One
// with an error releases nothing: the client will ask again, and what was to be
// overtaken has not happened yet (CONCURRENT_TRANSACTIONS between two transactions).
func (p *Proxy) releaseHeld(answered *evidence.Exchange, a answer) {
	if !p.holds.until[answered.API] || a.result != codeName(0) {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, drainTimeout)
	defer cancel()
	for _, one := range p.holds.release(answered) {
		select {
		case <-one.settled:
		case <-ctx.Done():
			return
		}
	}
}

// hold keeps the request, for a goroutine of the connection to deliver it.
func (c *conn) hold(e *entry, frame []byte) {
	c.holding = true
	frame = slices.Clone(frame)
	c.held.Go(func() {
		defer close(e.held.settled)
		defer c.p.holds.remove(e.held)
		defer func() { _ = c.broker.Close() }() // nothing more is to come over it
		if err := c.deliverHeld(e, frame); err != nil {
			c.p.record.heldForGood(e.exchange, err)
			if c.p.ctx.Err() == nil {
				c.p.record.problem("rule %s did not fire: %v", e.hit.Rule.Name, err)
			}
		}
	})
}

// deliverHeld delivers the request when its time has come, and returns when the
// answer side is done with the answer.
func (c *conn) deliverHeld(e *entry, frame []byte) error {
	if err := c.awaitRelease(e); err != nil {
		return err
	}
	waited := c.p.opts.Clock() - time.Duration(e.exchange.At)*time.Microsecond
	c.p.record.change(func() {
		e.exchange.Result = fmt.Sprintf("held, delivered after %v", waited.Round(time.Millisecond))
	})
	if err := c.forward(e, frame); err != nil {
		return err
	}
	c.p.record.fired(e.exchange, *e.hit)
	if e.noAnswer {
		_ = c.broker.CloseWrite() // the broker hangs up when it has got it
	}
	enough := time.NewTimer(partTimeout)
	defer enough.Stop()
	select {
	case <-c.ended:
	case <-enough.C:
	case <-c.p.ctx.Done():
	}
	return nil
}

var errHungUp = errors.New("the broker ended the connection on which a request was held for it")

func (c *conn) awaitRelease(e *entry) error {
	timer := time.NewTimer(e.hit.Rule.Wait)
	defer timer.Stop()
	select {
	case <-e.held.released:
		return nil
	case <-timer.C:
		return nil
	case <-c.ended:
	case <-c.p.ctx.Done():
	}
	if c.p.ctx.Err() != nil { // which ends the answer side as well
		return errClosed
	}
	return errHungUp
}

// endClientOfHeld ends the connection of the client alone, when it is the turn of
// the held request. Answers are waited for as long as it takes from now on.
func (c *conn) endClientOfHeld() {
	c.endClient()
	_ = c.broker.SetReadDeadline(time.Time{})
}
