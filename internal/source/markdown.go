package source

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"
)

// page is a markdown file on its way: its own words and ignores, and its fenced blocks,
// which the readers of other languages take.
type page struct {
	own    File
	blocks []*fence
	text   []byte
}

// fence is a fenced block of a page, and what its reader found.
type fence struct {
	input
	language Language
	margins  []int // of each line of text: characters that stand before it in the file
	read     File
}

func (f *fence) take(read File) { f.read = read }

// fenceNames are the info strings that people write, by language.
func fenceNames() map[string]Language {
	return map[string]Language{
		"python": Python, "py": Python, "python3": Python, "go": Go, "golang": Go, "java": Java,
		"properties": Properties, "ini": Properties, "conf": Properties, "yaml": YAML, "yml": YAML, "json": JSON,
	}
}

// readPage takes a page apart. Blocks that are indented and have no fence are not read:
// nothing says what they are.
func readPage(in input) *page {
	p := &page{own: File{Path: in.path, Language: Markdown}, text: in.text}
	lines := strings.Split(string(in.text), "\n")
	root := goldmark.DefaultParser().Parse(gmtext.NewReader(in.text))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			p.fence(in, n)
		case *ast.CodeSpan:
			p.word(n)
		case *ast.HTMLBlock:
			p.comment(linesOf(n.Lines(), in.text), n.Lines(), lines)
		case *ast.RawHTML:
			p.comment(linesOf(n.Segments, in.text), n.Segments, lines)
		}
		return ast.WalkContinue, nil
	})
	return p
}

// fence keeps a block in a known language that may be about Kafka.
func (p *page) fence(in input, n *ast.FencedCodeBlock) {
	language, known := fenceNames()[strings.ToLower(string(n.Language(p.text)))]
	body := linesOf(n.Lines(), p.text)
	if !known || n.Lines().Len() == 0 || !in.parses(language) && !aboutKafka(language, body) {
		return
	}
	f := &fence{language: language, input: input{path: in.path, text: body, every: in.every}}
	f.firstLine = p.at(n.Lines().At(0).Start).Line - 1
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		f.margins = append(f.margins, p.at(segment.Start).Column-1-segment.Padding)
	}
	p.blocks = append(p.blocks, f)
}

// parses reports whether a block is parsed whatever it is about.
func (in input) parses(language Language) bool {
	return in.every && (language == Go || language == Python)
}

// word keeps inline code that stands on one line.
func (p *page) word(n *ast.CodeSpan) {
	first, ok := n.FirstChild().(*ast.Text)
	if !ok || n.ChildCount() != 1 {
		return
	}
	word := string(first.Segment.Value(p.text))
	p.own.Words = append(p.own.Words, Word{Text: word, At: p.at(first.Segment.Start)})
}

func (p *page) comment(text []byte, segments *gmtext.Segments, lines []string) {
	if segments.Len() == 0 {
		return
	}
	at := p.at(segments.At(0).Start)
	ignore, ok := parseIgnore(string(text), at)
	if !ok {
		return
	}
	if own := strings.TrimSpace(lines[at.Line-1]); strings.HasPrefix(own, "<!--") && strings.HasSuffix(own, "-->") {
		ignore.Line = nextLine(lines, at.Line, func(s string) bool { return strings.HasPrefix(s, "<!--") })
	}
	p.own.Ignores = append(p.own.Ignores, ignore)
}

// at is the place of a byte of the page.
func (p *page) at(offset int) Pos {
	before := p.text[:offset]
	return Pos{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1,
	}
}

func linesOf(segments *gmtext.Segments, text []byte) []byte {
	var all []byte
	for i := range segments.Len() {
		segment := segments.At(i)
		all = append(all, segment.Value(text)...)
	}
	return all
}

// file puts what was found in the blocks into one File.
func (p *page) file() File {
	all := p.own
	for _, b := range p.blocks {
		read := b.read
		move(&read, b.shift)
		all.Blocks = append(all.Blocks, read.Blocks...)
		all.Facts = append(all.Facts, read.Facts...)
		all.Ignores = append(all.Ignores, read.Ignores...)
		all.Mistakes = append(all.Mistakes, read.Mistakes...)
		if read.Unread != "" {
			all.Unread = joined(all.Unread, read.Unread)
		}
		if read.Unread != "" && len(read.Mistakes) == 0 && !strings.Contains(all.Unchecked, read.Unread) {
			all.Unchecked = joined(all.Unchecked, read.Unread)
		}
	}
	return all
}

func joined(reasons, one string) string { return strings.TrimPrefix(reasons+"; "+one, "; ") }

// shift adds the margin of a block that stands in a list or a quotation: the readers got
// it without.
func (f *fence) shift(at Pos) Pos {
	if i := at.Line - 1 - f.firstLine; i >= 0 && i < len(f.margins) {
		at.Column += f.margins[i]
	}
	return at
}

// move changes every place in a File.
func move(f *File, to func(Pos) Pos) {
	for i := range f.Blocks {
		b := &f.Blocks[i]
		b.At = to(b.At)
		for j := range b.Entries {
			e := &b.Entries[j]
			e.KeyAt, e.Value.At = to(e.KeyAt), to(e.Value.At)
		}
	}
	for i := range f.Facts {
		f.Facts[i].At = to(f.Facts[i].At)
	}
	for i := range f.Ignores {
		f.Ignores[i].At = to(f.Ignores[i].At)
	}
	for i := range f.Mistakes {
		f.Mistakes[i].At = to(f.Mistakes[i].At)
	}
}
