package workbook

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"kcompare/internal/page"
)

// Proposal is a block that a page could have behind something that its author made by hand.
type Proposal struct {
	Line   int    // where that stands
	What   string // what it is: "a table METRIC and VALUE"
	Marker string // the begin marker of the block; "" where there is none to propose yet
	ID     string
	Todo   string // what the author has to see to
}

// Proposals is what a page without blocks could have, and the page with empty blocks, each
// behind what it would replace. The author's text stays: whoever has rendered the blocks
// compares, and deletes what he no longer wants. sources are the programs of the course, by
// path.
func Proposals(p page.Page, source []byte, m Manifest, sources map[string]string) ([]Proposal, []byte) {
	f := &finder{source: source, page: p, manifest: m, sources: sources, ids: map[string]bool{}}
	for _, b := range p.Blocks {
		f.ids[b.ID] = true
	}
	for _, m := range f.made() {
		f.propose(m)
	}
	return f.proposals, f.insert()
}

// handmade is something of the author's that a block could be.
type handmade struct {
	from, to int    // offsets: of its first line, behind its last one
	language string // of a fence; "table" and "paragraph" of what has none
	body     string
}

type finder struct {
	source    []byte
	page      page.Page
	manifest  Manifest
	sources   map[string]string
	ids       map[string]bool
	proposals []Proposal
	places    []int // where the blocks of proposals go: offsets of lines
}

// skip is the byte order mark that the parser must not see.
func (f *finder) skip() int {
	if bytes.HasPrefix(f.source, []byte("\xef\xbb\xbf")) {
		return len("\xef\xbb\xbf")
	}
	return 0
}

// made lists tables, listings and figures in text, outside of blocks that are there.
func (f *finder) made() []handmade {
	var all []handmade
	source, skip := f.source[f.skip():], f.skip()
	root := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if n.Lines().Len() > 0 {
				all = append(all, f.fence(n, source))
			}
		case *tables.Table:
			if from, to := extent(n); to > from {
				from = bytes.LastIndexByte(source[:from], '\n') + 1
				to = lineEnd(source, to)
				all = append(all, handmade{from + skip, to + skip, "table", string(source[from:to])})
			}
			return ast.WalkSkipChildren, nil
		case *ast.Paragraph:
			if n.Lines().Len() > 0 {
				from, to := n.Lines().At(0).Start, n.Lines().At(n.Lines().Len()-1).Stop
				from, to = bytes.LastIndexByte(source[:from], '\n')+1, lineEnd(source, to-1)
				all = append(all, handmade{from + skip, to + skip, "paragraph", string(source[from:to])})
			}
		}
		return ast.WalkContinue, nil
	})
	return slices.DeleteFunc(all, func(m handmade) bool { return f.taken(m) })
}

// fence is a fenced block from its first fence to its last.
func (f *finder) fence(n *ast.FencedCodeBlock, source []byte) handmade {
	first, last := n.Lines().At(0), n.Lines().At(n.Lines().Len()-1)
	var body strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		body.Write(segment.Value(source))
	}
	from := bytes.LastIndexByte(source[:max(bytes.LastIndexByte(source[:first.Start], '\n'), 0)], '\n') + 1
	to := lineEnd(source, last.Stop-1)
	if closing := bytes.TrimLeft(source[to:lineEnd(source, to)], " \t>"); bytes.HasPrefix(closing, []byte("```")) || bytes.HasPrefix(closing, []byte("~~~")) {
		to = lineEnd(source, to)
	}
	return handmade{from + f.skip(), to + f.skip(), strings.ToLower(string(n.Language(source))), body.String()}
}

// extent is the first and the last byte of the text below a node.
func extent(n ast.Node) (from, to int) {
	from = -1
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			if from < 0 {
				from = t.Segment.Start
			}
			to = max(to, t.Segment.Stop)
		}
		return ast.WalkContinue, nil
	})
	return max(from, 0), to
}

// lineEnd is behind the line of an offset.
func lineEnd(source []byte, offset int) int {
	if at := bytes.IndexByte(source[offset:], '\n'); at >= 0 {
		return offset + at + 1
	}
	return len(source)
}

// taken says whether something stands in a block, or has one behind it already.
func (f *finder) taken(m handmade) bool {
	next := bytes.TrimLeft(f.source[m.to:], " \t\r\n>")
	if bytes.HasPrefix(next, []byte("<!-- kcompare:begin")) {
		return true
	}
	line := f.line(m.from)
	return slices.ContainsFunc(f.page.Blocks, func(b page.Block) bool {
		return b.At.Line <= line && line <= b.At.Line+strings.Count(b.Body, "\n")+3
	})
}

func (f *finder) line(offset int) int { return bytes.Count(f.source[:offset], []byte("\n")) + 1 }

// name is the next free id of a kind.
func (f *finder) name(kind string) string {
	for n := 1; ; n++ {
		if id := fmt.Sprintf("%s-%d", kind, n); !f.ids[id] {
			f.ids[id] = true
			return id
		}
	}
}

// add proposes a block behind something. pairs are attributes, name and value in turn;
// those without a value are left out.
func (f *finder) add(m handmade, what, todo, kind string, pairs ...string) {
	p := Proposal{Line: f.line(m.from), What: what, Todo: todo, ID: f.name(kind)}
	marker := fmt.Sprintf("<!-- kcompare:begin id=%q kind=%q", p.ID, kind)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			marker += fmt.Sprintf(` %s="%s"`, pairs[i], strings.NewReplacer(`"`, "'", "-->", "->", "\n", " ").Replace(pairs[i+1]))
		}
	}
	p.Marker = marker + " -->"
	f.proposals, f.places = append(f.proposals, p), append(f.places, m.to)
}

// tell says of something what has to be there before it can be a block.
func (f *finder) tell(m handmade, what, todo string) {
	f.proposals, f.places = append(f.proposals, Proposal{Line: f.line(m.from), What: what, Todo: todo}), append(f.places, -1)
}

var beforeText = regexp.MustCompile(`^[ \t>]*`)

// insert is the page with the empty blocks.
func (f *finder) insert() []byte {
	var b bytes.Buffer
	done := 0
	for i, p := range f.proposals {
		at := f.places[i]
		if at < 0 {
			continue
		}
		b.Write(f.source[done:at])
		done = at
		last := f.source[bytes.LastIndexByte(f.source[:max(at-1, 0)], '\n')+1 : at]
		prefix, eol := string(beforeText.Find(last)), "\n"
		if bytes.Contains(f.source, []byte("\r\n")) {
			eol = "\r\n"
		}
		if !bytes.HasSuffix(last, []byte("\n")) {
			b.WriteString(eol)
		}
		b.WriteString(strings.TrimRight(prefix, " \t") + eol + prefix + p.Marker + eol + prefix + fmt.Sprintf("<!-- kcompare:end id=%q -->", p.ID) + eol)
	}
	b.Write(f.source[done:])
	return b.Bytes()
}
