package drivers

import (
	"context"
	"sync"
)

// Outstanding counts records that were handed over and not yet reported. Drivers
// have one, because no library's own count covers every report, and so does
// whoever waits above them. The zero value counts none; methods may be called
// concurrently.
type Outstanding struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed while n is 0; nil until it was asked for or n was above 0
}

// Add counts a record that is about to be handed over.
func (o *Outstanding) Add() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == 0 {
		o.none = make(chan struct{})
	}
	o.n++
}

// Done counts a record as reported. It comes after the report itself, so that
// nobody who waited finds the report missing.
func (o *Outstanding) Done() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n--; o.n == 0 {
		close(o.none)
	}
}

// Count is how many are outstanding now.
func (o *Outstanding) Count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n
}

// None is closed as soon as nothing is outstanding of what was added so far.
func (o *Outstanding) None() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.none == nil {
		o.none = make(chan struct{})
		close(o.none)
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
