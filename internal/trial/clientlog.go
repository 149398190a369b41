package trial

import (
	"fmt"
	"slices"
	"sync"
)

// clientLog keeps the first lines of a library's own log, which belongs to the
// trial and not onto the terminal.
type clientLog struct {
	mu   sync.Mutex
	kept []string
	cut  int
}

const mostLogLines = 50

// add takes a line from any goroutine.
func (l *clientLog) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == mostLogLines {
		l.cut++
		return
	}
	l.kept = append(l.kept, line)
}

func (l *clientLog) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut == 0 {
		return slices.Clone(l.kept)
	}
	return append(slices.Clone(l.kept), fmt.Sprintf("... and %d more lines", l.cut))
}
