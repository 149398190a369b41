package franz

import (
	"context"
	"sync"
)

// outstanding counts records that were handed over and not reported. kgo has a
// count of its own, but not of a record that it refuses at once: it reports that
// one from a goroutine which kgo.Client.Flush does not wait for.
type outstanding struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n falls to 0
}

func (o *outstanding) add() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == 0 {
		o.none = make(chan struct{})
	}
	o.n++
}

func (o *outstanding) done() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n--; o.n == 0 {
		close(o.none)
	}
}

func (o *outstanding) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n
}

// wait returns when nothing is outstanding, or ctx ends.
func (o *outstanding) wait(ctx context.Context) error {
	o.mu.Lock()
	none := o.none
	idle := o.n == 0
	o.mu.Unlock()
	if idle {
		return nil
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
