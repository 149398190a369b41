package config

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"
)

// TestTableOfPython dumps the libraries in .venv again. A library there in a version that
// has no table yet needs one: -update writes it.
func TestTableOfPython(t *testing.T) {
	for _, program := range [][]string{{"librdkafka.py"}, {"keywords.py", "kafka-python"}, {"keywords.py", "aiokafka"}} {
		t.Run(program[len(program)-1], func(t *testing.T) {
			t.Parallel()
			table, library := dumped(t, venv(t), program...)
			expectDumped(t, library, table)
		})
	}
}

// expectDumped compares what a program of versions/dump wrote with the file for the
// library and version that it named last on stderr: "kafka-python 3.0.12".
func expectDumped(t *testing.T, library, table string) {
	t.Helper()
	file := filepath.Join("versions", strings.ReplaceAll(library, " ", "-")+".tsv")
	if *update {
		if err := os.WriteFile(file, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%s has no table: go test ./internal/config -run Table -update", library)
	}
	if d := udiff.Unified(file, library, string(want), table); d != "" {
		t.Errorf("%s is not what %s says, go test ./internal/config -run Table -update:\n%s", file, library, d)
	}
}

// dumped runs a program of versions/dump and returns what it wrote, and the last line
// on stderr.
func dumped(t *testing.T, python string, args ...string) (table, last string) {
	t.Helper()
	return ran(t, "", python, append([]string{filepath.Join("versions", "dump", args[0])}, args[1:]...)...)
}

func ran(t *testing.T, stdin, program string, args ...string) (out, last string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	return stdout.String(), lines[len(lines)-1]
}

// venv is the python that has the libraries. Without .venv the test is skipped, with
// CI=true it fails.
func venv(t *testing.T) string {
	t.Helper()
	python, err := filepath.Abs("../../.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err == nil {
		return python
	}
	const missing = "not checked against the Python libraries: there is no .venv, make setup makes it"
	if os.Getenv("CI") == "true" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}
