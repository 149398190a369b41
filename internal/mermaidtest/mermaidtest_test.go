package mermaidtest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"kcompare/internal/mermaidtest"
	"kcompare/internal/pythontest"
)

// TestPages parses every diagram of docs, and one that is broken.
func TestPages(t *testing.T) {
	broken := "sequenceDiagram\n    client ->> : nobody\n"
	diagrams, places := []string{broken}, []string{"a broken one"}
	err := filepath.WalkDir(filepath.Join(pythontest.Repository(t), "docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		for _, diagram := range fences(page) {
			diagrams, places = append(diagrams, diagram), append(places, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wrong := mermaidtest.Parse(t, diagrams)
	if wrong[0] == "" {
		t.Error("the parser takes a diagram that is broken: it cannot tell anything")
	}
	for i := range wrong[1:] {
		if why := wrong[i+1]; why != "" {
			t.Errorf("%s: %s\n%s", places[i+1], why, diagrams[i+1])
		}
	}
}

// fences are the contents of a page's fences whose language is mermaid.
func fences(page []byte) []string {
	var all []string
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(page)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if f, is := n.(*ast.FencedCodeBlock); is && entering && string(f.Language(page)) == "mermaid" {
			var b strings.Builder
			for i := range f.Lines().Len() {
				line := f.Lines().At(i)
				b.Write(line.Value(page))
			}
			all = append(all, b.String())
		}
		return ast.WalkContinue, nil
	})
	return all
}
