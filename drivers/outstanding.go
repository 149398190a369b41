package drivers

import (
	"context"
	"sync"
	"sync/atomic"
)

// Outstanding counts records that were handed over and not yet reported. Drivers
// have one, because no library's own count covers every report, and so does
// whoever waits above them. The zero value counts none; methods may be called
// concurrently.
//
// It counts twice because a program hands over in one goroutine what its library reports
// in another: a single count would wander from one processor to the other with each record.
type Outstanding struct {
	added apart
	seen  atomic.Int64 // done when AddUpTo looked last: never more than it is
	done  apart

	awaited atomic.Bool // somebody has none, which is open
	mu      sync.Mutex
	none    chan struct{} // closed when nothing was outstanding after it was made
}

// apart is a count that shares no line of a processor's cache with its neighbours.
type apart struct {
	_ [64]byte
	atomic.Int64
	_ [56]byte
}

// Add counts a record that is about to be handed over.
func (o *Outstanding) Add() { o.added.Add(1) }

// AddAll is Add for so many.
func (o *Outstanding) AddAll(records int64) { o.added.Add(records) }

// AddUpTo is Add, and says whether no more than limit are outstanding with this one.
func (o *Outstanding) AddUpTo(limit int64) bool {
	added := o.added.Add(1)
	if added-o.seen.Load() <= limit {
		return true
	}
	o.seen.Store(o.done.Load())
	return added-o.seen.Load() <= limit
}

// Done counts a record as reported. It comes after the report itself, so that
// nobody who waited finds the report missing.
func (o *Outstanding) Done() { o.DoneAll(1) }

// DoneAll is Done for so many.
func (o *Outstanding) DoneAll(records int64) {
	o.done.Add(records)
	if o.awaited.Load() { // None sets it before it counts, and so misses nothing either
		o.mu.Lock()
		defer o.mu.Unlock()
		o.tell()
	}
}

// tell closes none if it is open and nothing is outstanding.
func (o *Outstanding) tell() {
	if o.awaited.Load() && o.Count() == 0 {
		o.awaited.Store(false)
		close(o.none)
	}
}

// Count is how many are outstanding now.
func (o *Outstanding) Count() int {
	done := o.done.Load() // first, so that nothing counts as done that is not added
	return int(o.added.Load() - done)
}

// None is closed as soon as nothing is outstanding of what was added so far.
func (o *Outstanding) None() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.awaited.Load() {
		o.none = make(chan struct{})
		o.awaited.Store(true)
		o.tell()
	}
	return o.none
}

// Wait returns when nothing is outstanding, or with the error of ctx when that
// ends first.
func (o *Outstanding) Wait(ctx context.Context) error {
	none := o.None()
	select {
	case <-none:
		return nil
	default: // ctx may have ended as well, and would win half of the time below
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
