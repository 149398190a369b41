package broker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// errClosed is why a change to a cluster ends, or does not begin.
var errClosed = errors.New("the cluster was closed")

// changes lets one call at a time change a cluster, and ends them all when the
// cluster closes. What a call leaves to be done later belongs to it too.
type changes struct {
	life context.Context // ends when the cluster closes
	end  context.CancelCauseFunc
	turn chan struct{} // holds a value while somebody has the turn

	mu    sync.Mutex // nothing is added to owned once life has ended
	owned sync.WaitGroup
}

func newChanges() *changes {
	life, end := context.WithCancelCause(context.Background())
	return &changes{life: life, end: end, turn: make(chan struct{}, 1)}
}

// begin waits for the turn. The context that it returns ends with the cluster too;
// done gives the turn back.
func (c *changes) begin(ctx context.Context) (within context.Context, done func(), err error) {
	select {
	case <-c.life.Done():
		return nil, nil, context.Cause(c.life)
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("wait until another change is done: %w", context.Cause(ctx))
	}
	for _, over := range []context.Context{c.life, ctx} { // a select chooses any
		if over.Err() != nil {
			<-c.turn
			return nil, nil, context.Cause(over)
		}
	}
	within, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })
	return within, func() { stop(); cancel(nil); <-c.turn }, nil
}

// later calls do after a while, or at once when the cluster closes.
func (c *changes) later(after time.Duration, do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		do()
		return
	}
	c.owned.Go(func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-c.life.Done():
		}
		do()
	})
}

// stop ends the change that is being made, if any, lets no other begin, and waits
// for what was left to be done later.
func (c *changes) stop() {
	c.mu.Lock()
	c.end(errClosed)
	c.mu.Unlock()
	c.turn <- struct{}{}
	<-c.turn // nobody takes it any more: life has ended
	c.owned.Wait()
}
