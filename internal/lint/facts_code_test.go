package lint

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/source"
)

// TestCodeCases are programs in Go and Java with the right answers beside them. Errors and
// warnings are exactly those.
func TestCodeCases(t *testing.T) {
	for _, language := range []string{"go", "java"} {
		t.Run(language, func(t *testing.T) {
			needJDK(t, language)
			root := filepath.Join("testdata", language)
			want := expected(t, filepath.Join(root, "expected.tsv"))
			found := lintPaths(t, root)
			var got []string
			for _, f := range found {
				row := fmt.Sprintf("%s:%d %s %s", filepath.Base(f.File), f.Line, f.Severity, f.Key)
				if f.Severity != Info || slices.Contains(want, row) {
					got = append(got, row)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
				t.Errorf("(-expected +found)\n%s\nall:\n%s", diff, lines(found))
			}
		})
	}
}

// TestCodeFine: correct programs are left alone, also by what is only worth knowing.
func TestCodeFine(t *testing.T) {
	for _, language := range []string{"go", "java"} {
		t.Run(language, func(t *testing.T) {
			needJDK(t, language)
			root := filepath.Join("testdata", "fine", language)
			if files, err := os.ReadDir(root); err != nil || len(files) < 10 {
				t.Fatalf("%s: expected 10 files or more: %d, %v", root, len(files), err)
			}
			if found := lintPaths(t, root); len(found) > 0 {
				t.Errorf("found in what is correct:\n%s", lines(found))
			}
		})
	}
}

func needJDK(t *testing.T, language string) {
	t.Helper()
	if _, err := exec.LookPath("java"); err == nil || language != "java" {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("needs java: install a JDK 17")
	}
	t.Skip("needs java, which is not installed")
}

// TestCodeFacts: each rule says how bad it is, what is wrong and what to do.
func TestCodeFacts(t *testing.T) {
	rules := goFacts()
	maps.Copy(rules, javaFacts())
	for name, rule := range rules {
		fact := source.Fact{Rule: name, About: "ABOUT", Args: map[string]string{"other": "OTHER", "range": "1s .. any", "type": "int64"}}
		if rule.severity == "" || rule.message(fact) == "" || rule.fix(fact) == "" || factsFind()[name] == "" {
			t.Errorf("%s: needs a severity, a message, a fix and a sentence about what it finds", name)
		}
	}
}
