// Package clienttest says whether a test with a shipped client can run on this machine.
package clienttest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"kcompare/clients"
	"kcompare/clients/install"
	"kcompare/internal/pythontest"
)

// Program is a shipped client, or another version of one (python@2.11.1), as `make
// setup` installed it in .clients at the root of the repository. Where it is not there
// the test is skipped; with CI=true it fails, but for a client that says what machine it
// needs and has another one.
func Program(t testing.TB, name string) clients.Program {
	t.Helper()
	return find(t, name, false)
}

// Sustained is a Program that is started as `kcompare bench` starts what it measures.
func Sustained(t testing.TB, name string) clients.Program {
	t.Helper()
	return find(t, name, true)
}

func find(t testing.TB, name string, sustained bool) clients.Program {
	t.Helper()
	named, err := install.Parse(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	cache := install.Cache{Dir: filepath.Join(pythontest.Repository(t), ".clients"), Env: os.Environ(), Files: clients.Files(), Sustained: sustained}
	program, err := cache.Find(t.Context(), named)
	if err == nil {
		return program
	}
	optional := name == "platformatic" && cache.Lacking(t.Context(), named) != nil
	if os.Getenv("CI") == "true" && !optional {
		t.Fatalf("the client %s is missing: %v (make setup)", name, err)
	}
	t.Skipf("the client %s is missing: %v (make setup)", name, errors.Join(err, cache.Lacking(t.Context(), named)))
	return clients.Program{}
}
