package workbook

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/page"
)

// book is pages in memory.
func book(t *testing.T, pages map[string]string) Book {
	t.Helper()
	var b Book
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		p, err := page.Parse(name, []byte(pages[name]))
		if err != nil {
			t.Fatal(err)
		}
		b.Chapters = append(b.Chapters, Chapter{File: name, Path: name, Page: p})
	}
	return b
}

const wrongFences = "# Page\n\n" +
	"```properties\nacks=1\nenable.idempotence=true\n```\n\n" + // error at line 4
	"<!-- kcompare:begin id=\"a\" kind=\"code\" -->\n\n```properties\nacks=1\nenable.idempotence=true\n```\n\n<!-- kcompare:end id=\"a\" -->\n\n" +
	"<!-- kcompare:skip next reason=\"wrong on purpose\" -->\n```go\nfunc (\n```\n\n" +
	"```go\nfunc (\n```\n\n" + // line 23
	"> ```python\n> print(\n> ```\n\n" + // line 27
	"```properties\nbootstrap.servers=b:1\n# kcompare:ignore wrong-value it is the example\ndebug=transaction\nacks=x\n```\n\n" +
	"```properties\nacks=1\n```\n" // a warning or less

func TestFences(t *testing.T) {
	f, err := book(t, map[string]string{"b.md": wrongFences, "a.md": "```go\nfunc main() {}\n```\n"}).Fences(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range f.Findings {
		got = append(got, strings.SplitAfter(one.String(), "not python")[0])
	}
	want := []string{
		"b.md:4:1: lint: conflict: acks=1 and enable.idempotence=true: idempotence needs acks=all; set it, or enable.idempotence=false",
		"b.md:23:8: lint: not go: expected ')', found 'EOF'",
		"b.md:27:8: lint: not python",
		"b.md:34:1: lint: wrong-value: acks is \"x\", expected a number, -1 .. 1000, all",
	}
	if diff := cmp.Diff(want, got); diff != "" || f.Skipped != 1 || len(f.Unread) > 0 {
		t.Errorf("skipped %d, unread %v (-expected +found)\n%s", f.Skipped, f.Unread, diff)
	}
	if f.Warnings == 0 {
		t.Error("acks=1 is no finding any more: expected a test with one that is no error")
	}
}

func TestFencesWithoutPython(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	f, err := book(t, map[string]string{"a.md": "```python\nimport confluent_kafka\n```\n\n```go\nfunc (\n```\n"}).Fences(t.Context())
	if err != nil || len(f.Findings) != 1 || len(f.Unread) != 1 || !strings.HasPrefix(f.Unread[0], "a.md: not checked: needs Python") {
		t.Errorf("found %+v, %v", f, err)
	}
}

func TestFencesSkipWrong(t *testing.T) {
	_, err := book(t, map[string]string{"a.md": "<!-- kcompare:skip next -->\n", "b.md": "<!-- kcompare:skip -->\n"}).Fences(t.Context())
	var problems page.Problems
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Errorf("found %v, expected one problem for each page", err)
	}
}
