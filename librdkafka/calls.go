//go:build cgo

package librdkafka

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers"
)

const (
	// lastWord is how long a call may still answer after its context has ended.
	// librdkafka is given the same deadline, and its error says more.
	lastWord = 100 * time.Millisecond

	// patience bounds Close. It is far more than a healthy client takes (0.1 to
	// 0.5 s), and leaves a program that is interrupted within its 2 s.
	patience = 1500 * time.Millisecond
)

// calls counts the calls that are inside the library. Its handle may only be
// destroyed when there is none: confluent-kafka-go would go on with freed
// memory, and many calls cannot be interrupted.
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
		return kafka.NewError(kafka.ErrState, "the client is closed", false)
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

// run makes a call that may block, and returns the library's answer. Where ctx
// ends first the call goes on without us, and teardown waits for it.
func (c *calls) run(ctx context.Context, call string, f func() error) error {
	if err := c.enter(); err != nil {
		return callError(call, err)
	}
	answer := make(chan error, 1)
	go func() {
		defer c.leave()
		answer <- f()
	}()
	select {
	case err := <-answer:
		return callError(call, err)
	case <-ctx.Done():
	}
	select {
	case err := <-answer:
		return callError(call, err)
	case <-time.After(lastWord):
		return givenUp(call, ctx.Err())
	}
}

// givenUp is the error of a call that the library has not answered.
func givenUp(call string, why error) error {
	return &drivers.Error{
		Call: call, Class: drivers.UnknownOutcome, Code: "CONTEXT_ENDED",
		Text: "given up before librdkafka answered", Cause: why,
	}
}

// teardown runs f, which frees a client, when no call is inside any more. It
// waits for that as long as patience lasts. After that the client is on its own:
// it is freed when librdkafka comes back, or with the process.
func (c *calls) teardown(f func()) error {
	freed := make(chan struct{})
	go func() {
		defer close(freed)
		<-c.inside.None()
		f()
	}()
	select {
	case <-freed:
		return nil
	case <-time.After(patience):
		return &drivers.Error{
			Call: "close", Class: drivers.UnknownOutcome, Code: codeName(kafka.ErrTimedOut),
			Text: "librdkafka is still busy after " + patience.String() + " and is left to itself",
		}
	}
}
