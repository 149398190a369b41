package cli

import (
	"bytes"
	"io"
	"sync"
)

// lines writes lines for those who must not wait, such as a relay between a request
// and its answer. Whatever has been added is handed to the writer at once, by a
// goroutine of its own; close waits for it. Methods may be called concurrently.
type lines struct {
	w      io.Writer
	wake   chan struct{} // holds one: there is something to write
	done   chan struct{}
	failed chan struct{} // closed when a write has failed; what comes then is dropped

	mu      sync.Mutex
	waiting bytes.Buffer
	err     error // of the write that failed
}

func newLines(w io.Writer) *lines {
	l := &lines{w: w, wake: make(chan struct{}, 1), done: make(chan struct{}), failed: make(chan struct{})}
	go func() {
		defer close(l.done)
		for range l.wake {
			l.flush()
		}
	}()
	return l
}

// add takes whole lines.
func (l *lines) add(text []byte) {
	l.mu.Lock()
	if l.err == nil {
		l.waiting.Write(text)
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // it will look again anyway
	}
}

// flush writes what waits. The lock is not held meanwhile.
func (l *lines) flush() {
	l.mu.Lock()
	text := bytes.Clone(l.waiting.Bytes())
	l.waiting.Reset()
	l.mu.Unlock()
	if len(text) == 0 {
		return
	}
	if _, err := l.w.Write(text); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.err == nil {
			l.err = err
			close(l.failed)
		}
	}
}

// close waits until everything is written. Nothing may be added any more.
func (l *lines) close() error {
	close(l.wake)
	<-l.done
	return l.err
}
