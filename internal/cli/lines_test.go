package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLines: whatever many have added is written whole, and close waits for it.
func TestLines(t *testing.T) {
	var b bytes.Buffer
	l := newLines(&b)
	var want []string
	var all sync.WaitGroup
	for i := range 100 {
		line := fmt.Sprintf("line %03d\n", i)
		want = append(want, line)
		all.Go(func() { l.add([]byte(line)) })
	}
	all.Wait()
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, slices.Sorted(strings.Lines(b.String()))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// full is a disk that takes nothing any more.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestLinesThatCannotBeWritten: whoever adds is not held up, and the failure shows
// while they still could.
func TestLinesThatCannotBeWritten(t *testing.T) {
	l := newLines(full{})
	l.add([]byte("lost\n"))
	select {
	case <-l.failed:
	case <-time.After(10 * time.Second):
		t.Fatal("the failure never showed")
	}
	l.add([]byte("lost, too\n"))
	if err := l.close(); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}
