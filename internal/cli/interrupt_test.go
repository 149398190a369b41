package cli_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/cli"
	"kcompare/internal/evidence"
)

// onFirstLine is a terminal that calls back when a line has come.
type onFirstLine struct {
	once sync.Once
	then func()

	mu  sync.Mutex
	got bytes.Buffer
}

func (w *onFirstLine) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.once.Do(w.then)
	return w.got.Write(b)
}

// TestInterrupted: Ctrl-C after the first trial has ended, while others are under
// way. What was finished is printed as one whole document, exit code 130.
func TestInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	var out bytes.Buffer
	terminal := &onFirstLine{then: interrupt}
	state := cli.State{
		Stdout: &out, Stderr: terminal, Now: time.Now,
		Clients: []cli.Client{{Name: "franz", New: func() (drivers.Driver, error) { return franz.New(), nil }}},
	}
	code := cli.Main(ctx, state, []string{"run", "idempotent", "--variant=sends=sequential", "--variant=sends=concurrent", "--messages=1000", "--format=json", "--progress=plain"})
	if code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, &terminal.got)
	}
	doc, err := evidence.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Trials); n < 1 || n > 5 || doc.Unfinished != 6-n {
		t.Errorf("%d trials in the document and %d unfinished, want at least 1 of each and 6 in all", n, doc.Unfinished)
	}
	if !strings.Contains(terminal.got.String(), "interrupted: ") {
		t.Errorf("stderr does not say that the run was interrupted:\n%s", &terminal.got)
	}
}
