package docs_test

import (
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"kcompare/internal/lang"
	"kcompare/internal/page"
	"kcompare/internal/workbook"
)

// told is what two languages of a chapter have to have in common.
type told struct {
	ID, Kind   string
	Attributes []string // without those that are sentences
	Figures    []string // of the rendered block, as English writes them
}

// sentences are attributes that a reader reads.
var sentences = []string{"question", "hint", "title"}

// TestLanguagesTellTheSame compares the chapters in English with those in Russian: the
// same pages, the same blocks in the same order, the same figures in each.
func TestLanguagesTellTheSame(t *testing.T) {
	english, russian := chapters(t, "en", "claims.md"), chapters(t, "ru")
	if diff := cmp.Diff(english, russian); diff != "" {
		t.Errorf("docs/workbook: -en +ru:\n%s", diff)
	}
}

// chapters are those of a language: of a folder, and pages beside it.
func chapters(t *testing.T, language string, beside ...string) map[string][]told {
	t.Helper()
	paths := []string{filepath.Join("workbook", language)}
	for _, name := range beside {
		paths = append(paths, filepath.Join("workbook", name))
	}
	books, err := workbook.Open(paths...)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]told{}
	for _, book := range books {
		for _, c := range book.Chapters {
			for _, b := range c.Page.Blocks {
				all[filepath.Base(c.File)] = append(all[filepath.Base(c.File)], tell(b, c.Lang))
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("docs/workbook/%s: expected chapters with blocks", language)
	}
	return all
}

func tell(b page.Block, l lang.Language) told {
	one := told{ID: b.ID, Kind: b.Kind, Figures: figures(b, l)}
	for _, a := range b.Attributes {
		if !slices.Contains(sentences, a.Name) {
			one.Attributes = append(one.Attributes, a.Name+"="+a.Value)
		}
	}
	return one
}

var (
	grouped = regexp.MustCompile(`(\d)[, \x{a0}\x{202f}](\d{3})\b`) // 1,000 and 1 000; tables and lists have a plain space
	minutes = regexp.MustCompile(`(\d)m0s\b`)                       // 2m0s, in Russian 2 мин
	comma   = regexp.MustCompile(`(\d),(\d)`)                       // 0,35
	figure  = regexp.MustCompile(`\d+(\.\d+)?`)
)

// figures lists the numbers of a block in order of size: a sentence may have them in
// another order in another language.
func figures(b page.Block, l lang.Language) []string {
	body := b.Body
	if l == lang.Russian && b.Kind == "bench" { // its ratios have three decimals, too: 1,003
		body = comma.ReplaceAllString(body, "$1.$2")
	}
	for grouped.MatchString(body) { // 1 000 000 has two groups, which share a digit
		body = grouped.ReplaceAllString(body, "$1$2")
	}
	body = minutes.ReplaceAllString(body, "$1")
	list := figure.FindAllString(comma.ReplaceAllString(body, "$1.$2"), -1)
	slices.Sort(list)
	return list
}

// TestRussianIsRussian looks for English that is left in the blocks and pictures of Russian
// pages. Listings and what programs print stay as they are.
func TestRussianIsRussian(t *testing.T) {
	books, err := workbook.Open("workbook")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range books[0].Chapters {
		for _, b := range c.Page.Blocks {
			left := threeWords.FindString(verbatim.ReplaceAllString(b.Body, ""))
			if c.Lang == lang.Russian && b.Kind != "code" && b.Kind != "output" && left != "" {
				t.Errorf("%s: block %s says %q", c.File, b.ID, left)
			}
		}
	}
	pictures, err := filepath.Glob("workbook/ru/img/*.svg")
	if err != nil || len(pictures) == 0 {
		t.Fatalf("%d pictures: %v", len(pictures), err)
	}
	for _, path := range pictures {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if left := inPicture.FindString(string(source)); left != "" {
			t.Errorf("%s says %q", path, left)
		}
	}
}

var (
	threeWords = regexp.MustCompile(`\b[a-z]{3,} [a-z]{2,} [a-z]{2,}\b`)
	inPicture  = regexp.MustCompile(`>[^<={]*\b[a-z]{3,} [a-z]{3,}\b[^<={]*<`) // a variant has a "=", a style a "{"
	verbatim   = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\\]\\([^)]*\\)")
)

// TestTags holds the pages of the workbook to the few tags that GitHub and other renderers
// of markdown take: the rest is markdown.
func TestTags(t *testing.T) {
	for _, path := range pages(t, "workbook") {
		source, tree := parsed(t, path)
		for n := range nodes(tree) {
			for _, tag := range tag.FindAllString(comment.ReplaceAllString(markup(n, source), ""), -1) {
				if !slices.Contains([]string{"<details", "</details", "<summary", "</summary", "<picture", "</picture"}, tag) {
					t.Errorf("%s: %s>: expected no HTML but details, summary and picture", path, tag)
				}
			}
		}
	}
}

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	tag     = regexp.MustCompile(`</?[A-Za-z]+`)
)

// markup is the HTML of a node, "" for others.
func markup(n ast.Node, source []byte) string {
	var b strings.Builder
	lines := func(s *text.Segments) {
		for i := range s.Len() {
			at := s.At(i)
			b.Write(at.Value(source))
		}
	}
	switch n := n.(type) {
	case *ast.HTMLBlock:
		lines(n.Lines())
	case *ast.RawHTML:
		lines(n.Segments)
	}
	return b.String()
}

// TestLinks follows every link and picture of the pages here that leads to another file.
func TestLinks(t *testing.T) {
	for _, path := range pages(t, ".") {
		_, tree := parsed(t, path)
		for n := range nodes(tree) {
			to := ""
			switch n := n.(type) {
			case *ast.Link:
				to = string(n.Destination)
			case *ast.Image:
				to = string(n.Destination)
			}
			target, err := url.Parse(to)
			if err != nil || target.Scheme == "" && target.Path != "" && !exists(path, target.Path) {
				t.Errorf("%s: link to %s: no such file", path, to)
			}
		}
	}
}

// pages lists the markdown files of a folder and those below it.
func pages(t *testing.T, folder string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d pages: %v", folder, len(paths), err)
	}
	return paths
}

// parsed is a page as GitHub reads it.
func parsed(t *testing.T, path string) ([]byte, ast.Node) {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return source, goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
}

// nodes goes through a tree from its root.
func nodes(tree ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it has no errors of its own
			if entering && !yield(n) {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
}

func exists(page, to string) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(to)))
	return err == nil
}
