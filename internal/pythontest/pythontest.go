// Package pythontest says whether a test with the Python clients can run on this machine.
package pythontest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Python is the path of the interpreter that has the Python clients of
// clients/python/requirements.txt: that of .venv, which `make setup` makes. Where it is
// not there, or older than the lock file, the test is skipped; with CI=true it fails.
func Python(t testing.TB) string {
	t.Helper()
	root := Repository(t)
	lock, err := os.ReadFile(filepath.Join(root, "clients", "python", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	installed, err := os.ReadFile(filepath.Join(root, ".venv", "requirements.txt"))
	switch {
	case err == nil && bytes.Equal(lock, installed):
		return filepath.Join(root, ".venv", "bin", "python")
	case os.Getenv("CI") == "true":
		t.Fatal("the Python clients are not installed in .venv, or not in these versions: make setup")
	}
	t.Skip("the Python clients are not installed in .venv, or not in these versions: make setup")
	return ""
}

// Repository is the path of its root: the folder with go.mod. Tests run in their package's
// folder; where none above it has one the test fails.
func Repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no folder above this one has go.mod")
		}
		dir = parent
	}
}
