package lint

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"kcompare/internal/source"
)

// TestCodeFine: correct programs are left alone, also by what is only worth knowing.
func TestCodeFine(t *testing.T) {
	for _, language := range []string{"go", "java"} {
		t.Run(language, func(t *testing.T) {
			root := filepath.Join("testdata", "fine", language)
			if files, err := os.ReadDir(root); err != nil || len(files) < 10 {
				t.Fatalf("%s: expected 10 files or more: %d, %v", root, len(files), err)
			}
			if found := lintTestdata(t, root); len(found) > 0 {
				t.Errorf("found in what is correct:\n%s", lines(found))
			}
		})
	}
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
