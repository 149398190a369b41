package page

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Page is a markdown page and the blocks in it.
type Page struct {
	File   string // as it was given to Parse
	Blocks []Block

	source []byte
	spots  []spot // of the blocks, in their order
}

// spot is where a block stands: the bytes of its body's lines, and its end marker.
type spot struct {
	prefix    string // what stands before each line of the body: indent of a list, signs of a quote
	eol       string
	from, to  int // from the line after the begin marker up to the line of the end marker
	open, end int // the end marker, from "<!--" to behind "-->"
}

var mark = []byte("\xef\xbb\xbf") // a byte order mark, which some editors put first

// Parse finds the blocks of a page; file is what positions call it. The error is Problems,
// all of them.
func Parse(file string, source []byte) (Page, error) {
	r := &reader{file: file, source: source}
	if bytes.HasPrefix(source, mark) {
		r.skip = len(mark)
	}
	r.find()
	p := Page{File: file, source: source}
	r.pair(&p)
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int {
			return cmp.Or(a.At.Line-b.At.Line, a.At.Column-b.At.Column)
		})
		return Page{File: file}, r.problems
	}
	return p, nil
}

// reader is a page being parsed.
type reader struct {
	file     string
	source   []byte
	skip     int // bytes of the byte order mark
	markers  []marker
	problems Problems
}

func (r *reader) problem(offset int, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.position(offset), fmt.Sprintf(format, args...)})
}

// position is the place of a byte.
func (r *reader) position(offset int) Position {
	before := r.source[min(r.skip, offset):offset]
	return Position{
		File:   r.file,
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1,
	}
}

// find lists the markers in their order. The parser says what is HTML and what only looks
// like it, in a listing or between backticks.
func (r *reader) find() {
	root := goldmark.DefaultParser().Parse(text.NewReader(r.source[r.skip:]))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			r.html(n)
		case *ast.RawHTML:
			r.inline(n.Segments, n)
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(r.markers, func(a, b marker) int { return a.open - b.open })
}

// html takes the comments of a block of HTML. A tag's block goes on to the next blank
// line, so that a comment may begin on any of its lines.
func (r *reader) html(n *ast.HTMLBlock) {
	switch n.HTMLBlockType {
	case ast.HTMLBlockType2:
		if n.Lines().Len() > 0 {
			r.line(n.Lines().At(0), n)
		}
	case ast.HTMLBlockType6, ast.HTMLBlockType7:
		for i := range n.Lines().Len() {
			r.line(n.Lines().At(i), n)
		}
	}
}

// line takes the comments that begin on a line of HTML.
func (r *reader) line(segment text.Segment, n ast.Node) {
	start, stop := segment.Start+r.skip, segment.Stop+r.skip
	for at := start; at < stop; {
		begin := bytes.Index(r.source[at:stop], []byte("<!--"))
		if begin < 0 {
			return
		}
		begin += at
		r.comment(begin, n.Parent(), len(bytes.TrimSpace(r.source[start:begin])) == 0)
		end := bytes.Index(r.source[begin:stop], []byte("-->"))
		if end < 0 {
			return
		}
		at = begin + end + len("-->")
	}
}

// inline takes a comment within a paragraph.
func (r *reader) inline(segments *text.Segments, n ast.Node) {
	if segments.Len() > 0 {
		if at := segments.At(0).Start + r.skip; bytes.HasPrefix(r.source[at:], []byte("<!--")) {
			r.comment(at, n.Parent(), false)
		}
	}
}
