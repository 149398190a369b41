package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/cli"
	"kcompare/internal/evidence"
)

// onFirstLine is a terminal that calls back when a line has come that has a text.
type onFirstLine struct {
	once sync.Once
	text string // "": any line
	then func()

	mu  sync.Mutex
	got bytes.Buffer
}

func (w *onFirstLine) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if bytes.Contains(b, []byte(w.text)) {
		w.once.Do(w.then)
	}
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

// TestDocsRenderInterrupted: Ctrl-C after the first trial of a page has ended. Its evidence
// is kept, the page stays as it was, exit code 130.
func TestDocsRenderInterrupted(t *testing.T) {
	root := t.TempDir()
	page := filepath.Join(root, "01.md")
	const text = `<!-- kcompare:begin id="a" kind="compare" scenario="idempotent" variants="sends=sequential;sends=concurrent" clients="franz" messages="1000" -->
<!-- kcompare:end id="a" -->
`
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var out bytes.Buffer
	terminal := &onFirstLine{text: ": holds", then: interrupt}
	state := cli.State{
		Stdout: &out, Stderr: terminal, Now: time.Now,
		Clients: []cli.Client{{Name: "franz", New: func() (drivers.Driver, error) { return franz.New(), nil }}},
	}
	if code := cli.Main(ctx, state, []string{"docs", "render", page, "--progress=plain"}); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, &terminal.got)
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != text {
		t.Errorf("%v; the page is\n%s", err, got)
	}
	if !strings.HasSuffix(terminal.got.String(), "; evidence of what was finished is kept in 1 file\n") || out.Len() > 0 {
		t.Errorf("stdout %q, stderr\n%s", &out, &terminal.got)
	}
	kept, err := os.Open(filepath.Join(root, "evidence", "idempotent-franz-messages=1000.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	if doc, err := evidence.Decode(kept); err != nil || len(doc.Trials) < 1 || len(doc.Trials) > 5 {
		t.Errorf("%v; %d trials were kept, want 1 to 5 of 6", err, len(doc.Trials))
	}
}
