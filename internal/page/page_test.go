package page_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"kcompare/internal/page"
)

var update = flag.Bool("update", false, "write testdata/containers.txtar anew")

// container is something that a page can be put into.
type container struct {
	name, head, prefix string
}

func containers() []container {
	return []container{
		{"plain", "", ""}, {"list", "- item\n\n", "  "}, {"ordered", "10. item\n\n", "    "},
		{"quote", "", "> "}, {"quoted list", "> - item\n>\n", ">   "},
	}
}

// around puts a page into the container.
func (c container) around(source string) string {
	var b strings.Builder
	b.WriteString(c.head)
	for line := range strings.Lines(source) {
		b.WriteString(c.prefix + line)
	}
	return b.String()
}

var (
	place  = regexp.MustCompile(`(?m)^\{(\d+)\}:(\d+):`)
	braces = regexp.MustCompile(`\{(\d+)\}`)
)

// moved is what is expected of a page in the container.
func (c container) moved(want string) string {
	down := strings.Count(c.head, "\n")
	want = place.ReplaceAllStringFunc(want, func(at string) string {
		found := place.FindStringSubmatch(at)
		column, _ := strconv.Atoi(found[2])
		return fmt.Sprintf("p.md:{%s}:%d:", found[1], column+len(c.prefix))
	})
	return braces.ReplaceAllStringFunc(want, func(at string) string {
		line, _ := strconv.Atoi(strings.Trim(at, "{}"))
		return strconv.Itoa(line + down)
	})
}

// lineEnds are the ways in which a page may be written.
func lineEnds() map[string]func(string) string {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	return map[string]func(string) string{
		"LF": func(s string) string { return s }, "CRLF": crlf,
		"BOM": func(s string) string { return "\ufeff" + s }, "BOM CRLF": func(s string) string { return "\ufeff" + crlf(s) },
		"no final newline": func(s string) string { return strings.TrimSuffix(s, "\n") },
	}
}

// TestFaults sees each way to get markers wrong, in every container and with every line
// end.
func TestFaults(t *testing.T) {
	files := read(t, "testdata/faults.txtar")
	for name, source := range files {
		want, ok := files[strings.TrimSuffix(name, ".md")+".want"]
		if !ok {
			continue
		}
		for _, c := range containers() {
			for ends, written := range lineEnds() {
				t.Run(name+" "+c.name+" "+ends, func(t *testing.T) {
					_, err := page.Parse("p.md", []byte(written(c.around(source))))
					if diff := cmp.Diff(strings.TrimSpace(c.moved(want)), fmt.Sprint(err)); diff != "" {
						t.Errorf("problems (-want +got):\n%s", diff)
					}
				})
			}
		}
	}
}

func read(t *testing.T, file string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// bodies are put into the blocks of the golden pages.
func bodies() map[string]string {
	return map[string]string{
		"table":   "| METRIC | VALUE |\n|---|--:|\n| acked | 200 |",
		"listing": "\nFirst:\n\n```go\nfunc main() {\n\n\tsend()\n}\n```\n\n",
		"none":    "",
	}
}

// TestSplice holds whole pages to golden ones, whatever their line ends are.
func TestSplice(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/containers.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := read(t, "testdata/containers.txtar")
	for i, f := range archive.Files {
		name, isPage := strings.CutSuffix(f.Name, ".md")
		if !isPage {
			continue
		}
		if *update {
			archive.Files[i+1].Data = []byte(splice(t, string(f.Data)))
		}
		for ends, written := range lineEnds() {
			t.Run(name+" "+ends, func(t *testing.T) {
				made := splice(t, written(string(f.Data)))
				if diff := cmp.Diff(written(files[name+".want"]), made); diff != "" {
					t.Errorf("page (-want +got):\n%s", diff)
				}
				if again := splice(t, made); again != made {
					t.Errorf("a second time it is another page:\n%s", cmp.Diff(made, again))
				}
			})
		}
	}
	if *update {
		if err := os.WriteFile("testdata/containers.txtar", txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func splice(t *testing.T, source string) string {
	t.Helper()
	p, err := page.Parse("p.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	made, err := p.Splice(bodies())
	if err != nil {
		t.Fatal(err)
	}
	return string(made)
}

// TestSpliceRefuses sees bodies that would make another page of what stands behind them.
func TestSpliceRefuses(t *testing.T) {
	p, err := page.Parse("p.md", []byte("# x\n\n- <!-- kcompare:begin id=\"a\" kind=\"k\" -->\n  <!-- kcompare:end id=\"a\" -->\n\n<!-- kcompare:begin id=\"b\" kind=\"k\" -->\n<!-- kcompare:end id=\"b\" -->\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"open fence": "```go\nx", "open comment": "<!-- x", "open tag": "<pre>\n", "own end": "<!-- kcompare:end id=\"b\" -->",
		"another block": "<!-- kcompare:begin id=\"c\" kind=\"k\" -->\n<!-- kcompare:end id=\"c\" -->",
	} {
		made, err := p.Splice(map[string]string{"a": "fine", "b": body})
		want := `p.md:6:1: what would be written into block "b" does not end with it, a fence that is not closed for example: the page behind it would be read as another one`
		if fmt.Sprint(err) != want {
			t.Errorf("%s: got %v and\n%s", name, err, made)
		}
	}
}

// TestBlocks reads what a page says of its blocks.
func TestBlocks(t *testing.T) {
	source := "\ufeffö <!-- x -->\r\n\r\n- ö\r\n\r\n  <!--  kcompare:begin id=\"a\"\tkind=\"k\" rows=\"ä, b\"  x-y=\"\" -->\r\n\r\n  text\r\n    more\r\n\r\n  <!-- kcompare:end id=\"a\" sum=\"s\" -->\r\n"
	p, err := page.Parse("p.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	at := func(column int) page.Position { return page.Position{File: "p.md", Line: 5, Column: column} }
	want := []page.Block{{
		ID: "a", Kind: "k", At: at(3), Body: "text\n  more", Sum: "s",
		Attributes: []page.Attribute{{Name: "rows", Value: "ä, b", At: at(40), In: at(46)}, {Name: "x-y", At: at(53), In: at(58)}},
	}}
	if diff := cmp.Diff(want, p.Blocks); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// TestEdited tells a text of kcompare's from one that somebody changed.
func TestEdited(t *testing.T) {
	for name, tc := range map[string]struct {
		block page.Block
		want  bool
	}{
		"new":              {page.Block{}, false},
		"text, no sum":     {page.Block{Body: "x"}, true},
		"rendered":         {page.Block{Body: "x\n\ny", Sum: page.Sum("x\r\n\r\ny\r\n")}, false},
		"one byte changed": {page.Block{Body: "x\n\nz", Sum: page.Sum("x\n\ny")}, true},
		"emptied":          {page.Block{Sum: page.Sum("x")}, true},
	} {
		if got := tc.block.Edited(); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}
