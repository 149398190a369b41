// Package pagetest is what tests of generated pages share: the comparison with the
// committed page, and the versions that a page names.
package pagetest

import (
	"os"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

// root is where the repository is from a package under internal.
const root = "../../"

// Expect compares what was seen with the page of that name, "docs/faults.md", which it
// writes first if asked to. command is how a person does that.
func Expect(t *testing.T, name, command, got string, write bool) {
	t.Helper()
	if write {
		if err := os.WriteFile(root+name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(root + name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := udiff.Unified(name, "what was seen", string(want), got); diff != "" {
		t.Errorf("%s writes the page:\n%s", command, diff)
	}
}

// ModuleVersion is what go.mod asks for: test binaries do not record their modules.
func ModuleVersion(t *testing.T, module string) string {
	t.Helper()
	mod, err := os.ReadFile(root + "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(mod), module+" ")
	if !found {
		t.Fatalf("go.mod does not name %s", module)
	}
	return strings.Fields(rest)[0]
}
