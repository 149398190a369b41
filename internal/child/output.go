package child

import (
	"bytes"
	"sync"
)

// Lines is a writer for what a child prints: it passes on whole lines, without their
// end. What stands behind the last of them was cut by the end of the process.
type Lines struct {
	Hear func(line []byte) // the line is overwritten after it returns
	Most int               // bytes of a line; 0 for any number
	Long func()            // called once for a line that is longer, of which nothing more is kept

	rest  []byte
	muted bool
}

// Write never fails: a child that cannot print would hang.
func (l *Lines) Write(b []byte) (int, error) {
	n := len(b)
	for !l.muted {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			l.keep(b)
			return n, nil
		}
		line := b[:end]
		if len(l.rest) > 0 {
			line = append(l.rest, line...)
			l.rest = line[:0]
		}
		l.Hear(line)
		b = b[end+1:]
	}
	return n, nil
}

func (l *Lines) keep(b []byte) {
	if l.Most > 0 && len(l.rest)+len(b) > l.Most {
		l.muted, l.rest = true, nil
		l.Long()
		return
	}
	l.rest = append(l.rest, b...)
}

// Tail is a writer that keeps the last of what a child prints. The zero value has
// nothing; methods may be called concurrently.
type Tail struct {
	mu   sync.Mutex
	kept []byte
}

// mostTail is as many bytes as fit on a screen.
const mostTail = 2000

// Write never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-mostTail):]
	return len(b), nil
}

// String is what was kept: at most 2000 bytes.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
