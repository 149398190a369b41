package source

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// seenFact is a fact by the line that it is on.
type seenFact struct {
	Line        int
	Rule, About string
}

// TestPythonFacts reads pairs of files: a wrong one, whose lines say what is to be found
// on them ("# want RULE ABOUT"), and the same one corrected, which has to stay silent.
func TestPythonFacts(t *testing.T) {
	files := readPythonFiles(t, "testdata/python/facts/*.py")
	rules := map[string]bool{}
	for _, f := range files {
		want := wanted(t, f.Path)
		if diff := gocmp.Diff(want, seen(f)); diff != "" {
			t.Errorf("%s: (-want +found)\n%s", f.Path, diff)
		}
		if strings.HasSuffix(f.Path, "_right.py") != (len(want) == 0) {
			t.Errorf("%s: %d facts wanted: only the wrong one of a pair has any", f.Path, len(want))
		}
		for _, w := range want {
			rules[w.Rule] = true
		}
	}
	for _, rule := range PythonRules() {
		if !rules[rule] && rule != "name-not-imported" { // of listings alone, see TestPythonListings
			t.Errorf("rule %s: no wrong file shows it", rule)
		}
	}
}

// TestPythonCorrect reads programs that are right. None has a fact, and in each that has
// a client its settings are found.
func TestPythonCorrect(t *testing.T) {
	files := readPythonFiles(t, "testdata/python/correct/*.py", "testdata/python/correct/shop/*.py")
	if len(files) < 20 {
		t.Fatalf("%d correct programs, expected 20 and more", len(files))
	}
	blocks := 0
	for _, f := range files {
		if facts := seen(f); len(facts) > 0 {
			t.Errorf("%s: a correct program, found %v", f.Path, facts)
		}
		blocks += len(f.Blocks)
	}
	if blocks < 30 {
		t.Errorf("%d blocks of settings in the correct programs, expected 30 and more: they are not looked at", blocks)
	}
}

func readPythonFiles(t *testing.T, patterns ...string) []File {
	t.Helper()
	var inputs []input
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			inputs = append(inputs, input{path: path, text: readTestFile(t, path)})
		}
	}
	files := readPython(t.Context(), inputs)
	for _, f := range files {
		if f.Unread != "" {
			t.Fatalf("%s: %s", f.Path, f.Unread)
		}
	}
	return files
}

func readTestFile(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func wanted(t *testing.T, path string) []seenFact {
	t.Helper()
	var all []seenFact
	for i, line := range strings.Split(string(readTestFile(t, path)), "\n") {
		for _, want := range strings.Split(line, "# want ")[1:] {
			rule, about, _ := strings.Cut(strings.TrimSpace(want), " ")
			all = append(all, seenFact{Line: i + 1, Rule: rule, About: about})
		}
	}
	return inOrder(all)
}

func seen(f File) []seenFact {
	var all []seenFact
	for _, fact := range f.Facts {
		all = append(all, seenFact{Line: fact.At.Line, Rule: fact.Rule, About: fact.About})
	}
	return inOrder(all)
}

func inOrder(all []seenFact) []seenFact {
	slices.SortFunc(all, func(a, b seenFact) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.About, b.About))
	})
	return all
}
