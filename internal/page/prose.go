package page

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Prose is the page as its author wrote it: without what stands in blocks, and without the
// listings below a comment `kcompare:skip next reason="..."`, of which skipped counts. Every
// line is where it was, so that places are those of the page. The error is Problems: of
// comments that give no reason, or have no listing below them.
func (p Page) Prose() (prose []byte, skipped int, err error) {
	done := 0
	for _, s := range p.spots {
		prose = append(prose, p.source[done:s.from]...)
		prose = append(prose, blank(p.source[s.from:max(s.from, s.to)])...)
		done = max(s.from, s.to)
	}
	prose = append(prose, p.source[done:]...)
	s := skipper{reader: reader{file: p.File, source: prose}}
	if bytes.HasPrefix(prose, mark) {
		s.skip = len(mark)
	}
	s.find()
	if len(s.problems) > 0 {
		return nil, 0, s.problems
	}
	return s.source, s.skipped, nil
}

// blank is a text as long as another one, of its line ends and blanks.
func blank(text []byte) []byte {
	out := bytes.Clone(text)
	for i, b := range out {
		if b != '\n' && b != '\r' {
			out[i] = ' '
		}
	}
	return out
}

// skipper blanks out listings that are not to be checked.
type skipper struct {
	reader
	skipped int
}

var (
	skipping   = regexp.MustCompile(`^<!--\s*kcompare:skip\b`)
	skippingIs = regexp.MustCompile(`^<!--\s*kcompare:skip\s+next\s+reason="[^"\n]*[^"\s][^"\n]*"\s*-->\s*$`)
)

func (s *skipper) find() {
	root := goldmark.DefaultParser().Parse(text.NewReader(s.source[s.skip:]))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n, is := n.(*ast.HTMLBlock); is && entering && n.Lines().Len() > 0 {
			s.comment(n)
		}
		return ast.WalkContinue, nil
	})
}

func (s *skipper) comment(n *ast.HTMLBlock) {
	first := n.Lines().At(0)
	at := first.Start + s.skip
	line := bytes.TrimSpace(s.source[at : first.Stop+s.skip])
	if !skipping.Match(line) {
		return
	}
	if !skippingIs.Match(line) {
		s.problem(at, `expected <!-- kcompare:skip next reason="WHY" --> on one line`)
		return
	}
	listing, is := n.NextSibling().(*ast.FencedCodeBlock)
	if !is {
		s.problem(at, "kcompare:skip next has no listing below it: expected one between fences, with nothing before it")
		return
	}
	s.skipped++
	for i := range listing.Lines().Len() {
		line := listing.Lines().At(i)
		from, to := line.Start+s.skip, line.Stop+s.skip
		copy(s.source[from:to], blank(s.source[from:to]))
	}
}
