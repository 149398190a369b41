// Package docs_test holds the code to the map in design.md.
package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "kcompare"

// TestImports parses the files in-process: a test that asks the go command can
// be answered from the test cache.
func TestImports(t *testing.T) {
	rows := readTable(t)
	for folder, imports := range readImports(t, "..") {
		row, known := rows[folder]
		if !known {
			t.Errorf("%s: has no row in docs/design.md", folder)
			continue
		}
		for _, path := range imports {
			if !row.allows(path) {
				t.Errorf("%s imports %s: docs/design.md does not allow that edge", folder, path)
			}
		}
	}
}

// row is what a room may import.
type row struct {
	rooms   []string
	outside []string // Kafka libraries by their package name, and net
}

func (r row) allows(path string) bool {
	if room, ours := strings.CutPrefix(path, module+"/"); ours {
		return slices.Contains(r.rooms, room)
	}
	name, watched := watchedName(path)
	return !watched || slices.Contains(r.outside, name)
}

// watchedName is the table's name for an import that the table watches.
func watchedName(path string) (name string, watched bool) {
	if rest, ok := strings.CutPrefix(path, "github.com/twmb/franz-go/pkg/"); ok {
		name, _, _ = strings.Cut(rest, "/")
		return name, true
	}
	switch {
	case strings.HasPrefix(path, "github.com/IBM/sarama"):
		return "sarama", true
	case strings.HasPrefix(path, "github.com/confluentinc/"):
		return "confluent", true
	case path == "net" || strings.HasPrefix(path, "net/") && path != "net/url": // which is text
		return "net", true
	}
	return "", false
}

// TestTableHasNoGhosts finds rows of folders that are gone.
func TestTableHasNoGhosts(t *testing.T) {
	for folder := range readTable(t) {
		if _, err := os.Stat(filepath.Join("..", folder)); err != nil {
			t.Errorf("docs/design.md has a row for %s: %v", folder, err)
		}
	}
}

// readTable reads the rows between "## The rooms" and the next heading.
func readTable(t *testing.T) map[string]row {
	t.Helper()
	page, err := os.ReadFile("design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "## The rooms")
	section, _, _ := strings.Cut(rest, "\n## ")
	rows := map[string]row{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		folder := strings.Trim(strings.TrimSpace(cells[1]), "`")
		rows[folder] = row{rooms: list(cells[3]), outside: list(cells[4])}
	}
	if len(rows) < 10 {
		t.Fatalf("found %d rows in docs/design.md, expected the table of rooms", len(rows))
	}
	return rows
}

func list(cell string) []string {
	if cell = strings.TrimSpace(cell); cell == "nothing" {
		return nil
	}
	return strings.Split(cell, ", ")
}

// readImports lists, for each folder with Go files, what its non-test files
// import.
func readImports(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == ".venv" || d.Name() == ".clients" || d.Name() == "tools"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		found[folder] = append(found[folder], importsOf(t, path)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func importsOf(t *testing.T, path string) []string {
	t.Helper()
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, name)
	}
	return paths
}
