package sarama

import (
	"context"
	"sync/atomic"
	"time"

	"kcompare/drivers"
)

// patience bounds Close. It is far more than a healthy client takes, and leaves a
// program that is interrupted within its 2 s.
const patience = 1500 * time.Millisecond

// calls counts the calls that are inside the library. None of sarama's takes a context,
// and a client must not be closed while somebody sends to its channels.
type calls struct {
	inside drivers.Outstanding
	isShut atomic.Bool
	shut   chan struct{} // closed by close
}

func newCalls() *calls { return &calls{shut: make(chan struct{})} }

// enter is to be followed by leave, unless the client is closed. It counts first:
// whoever closes and finds nobody inside then knows that nobody gets in any more.
func (c *calls) enter() error {
	c.inside.Add()
	if c.isShut.Load() {
		c.inside.Done()
		return errClosed
	}
	return nil
}

func (c *calls) leave() { c.inside.Done() }

// close lets nobody in any more. It is false if it was called before.
func (c *calls) close() bool {
	if c.isShut.Swap(true) {
		return false
	}
	close(c.shut)
	return true
}

// run makes a call that may block, and returns the library's answer. Where ctx ends
// first the call goes on without us, and Close waits for it.
func (c *calls) run(ctx context.Context, f func() error) error {
	if err := c.enter(); err != nil {
		return err
	}
	answer := make(chan error, 1)
	go func() {
		defer c.leave()
		answer <- f()
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// within waits for f, but not longer than that: what sarama does not end by itself then
// is left alone, and ends with its own timeouts.
func within(d time.Duration, f func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return nil
	case <-time.After(d):
		return &drivers.Error{
			Call: "close", Class: drivers.UnknownOutcome, Code: "CLOSE_TIMED_OUT",
			Text: "sarama is still busy after " + d.String() + " and is left to itself",
		}
	}
}
