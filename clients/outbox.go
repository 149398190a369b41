package clients

import (
	"context"
	"io"
	"sync"
)

// mostWaiting is how many bytes of lines may wait for a program that does not read
// before records wait too.
const mostWaiting = 4 << 20

// outbox is lines on their way into a pipe. Whoever puts one there never waits for the
// other side; one goroutine writes.
type outbox struct {
	wake chan struct{} // has one element while something may be waiting

	mu      sync.Mutex
	waiting []byte
	room    chan struct{} // closed when waiting was taken
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), room: make(chan struct{})}
}

// put adds a line, whose end it writes itself.
func (o *outbox) put(line []byte) {
	o.mu.Lock()
	o.waiting = append(append(o.waiting, line...), '\n')
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default: // it is awake
	}
}

// awaitRoom returns when there is room for records or over is closed, or with the error of ctx.
func (o *outbox) awaitRoom(ctx context.Context, over <-chan struct{}) error {
	for {
		o.mu.Lock()
		full, room := len(o.waiting) > mostWaiting, o.room
		o.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-room:
		case <-over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take swaps buffers with whoever puts lines there.
func (o *outbox) take(empty []byte) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting := o.waiting
	o.waiting = empty[:0]
	close(o.room)
	o.room = make(chan struct{})
	return waiting
}

// write writes lines until stop is closed, and then what is left; it ends early where
// nobody reads any more.
func (o *outbox) write(to io.Writer, stop <-chan struct{}) error {
	var spare []byte
	for stopped := false; !stopped; {
		select {
		case <-o.wake:
		case <-stop:
			stopped = true
		}
		lines := o.take(spare)
		if len(lines) > 0 {
			if _, err := to.Write(lines); err != nil {
				return err
			}
		}
		spare = lines
		if cap(spare) > mostWaiting { // a burst is not kept for ever
			spare = nil
		}
	}
	return nil
}
