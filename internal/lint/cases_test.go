package lint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/source"
)

// TestCases holds lint to folders of files with the right answers: errors and warnings
// are exactly the rows of expected.tsv, and each info of it is found.
func TestCases(t *testing.T) {
	for _, folder := range []string{"cases", "own", "go", "java"} {
		t.Run(folder, func(t *testing.T) {
			root := filepath.Join("testdata", folder)
			want := expected(t, filepath.Join(root, "expected.tsv"))
			found := lintTestdata(t, root)
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

// expected reads the rows file, line, severity, about and a word on why; "ok" rows and those without a line
// say that nothing is wrong, which is what a row that is not there says too.
func expected(t *testing.T, path string) []string {
	t.Helper()
	table, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) < 4 {
			t.Fatalf("%s: expected file, line, severity, about: %q", path, line)
		}
		if f[2] != "ok" && f[2] != "severity" {
			rows = append(rows, fmt.Sprintf("%s:%s %s %s", f[0], f[1], f[2], f[3]))
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// testdata is everything below that folder, read once: Java's reader takes seconds to
// start.
var testdata = sync.OnceValues(func() ([]source.File, error) {
	return source.Read(context.Background(), source.Options{}, "testdata")
})

// lintTestdata judges the files of testdata below a folder.
func lintTestdata(t *testing.T, folder string) []Finding {
	t.Helper()
	all, err := testdata()
	if err != nil {
		t.Fatal(err)
	}
	var files []source.File
	for _, f := range all {
		if strings.HasPrefix(f.Path, folder+string(filepath.Separator)) {
			files = append(files, f)
		}
	}
	return lintFiles(t, files)
}

func lintPaths(t *testing.T, paths ...string) []Finding {
	t.Helper()
	files, err := source.Read(t.Context(), source.Options{}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return lintFiles(t, files)
}

func lintFiles(t *testing.T, files []source.File) []Finding {
	t.Helper()
	if len(files) == 0 {
		t.Fatal("no files")
	}
	needJDK(t, files)
	for _, f := range files {
		if f.Unread != "" {
			t.Errorf("%s: not read: %s", f.Path, f.Unread)
		}
	}
	return Lint(files)
}

func needJDK(t *testing.T, files []source.File) {
	t.Helper()
	if !slices.ContainsFunc(files, func(f source.File) bool { return f.Language == source.Java }) {
		return
	}
	if _, err := exec.LookPath("java"); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("needs java: install a JDK 17")
	}
	t.Skip("needs java, which is not installed")
}

func lines(all []Finding) string {
	var b strings.Builder
	_ = Text(&b, all, nil) // a Builder takes everything
	return b.String()
}
