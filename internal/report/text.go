package report

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"kcompare/internal/lang"
)

const (
	defaultWidth  = 100
	smallestWidth = 60
	headingGap    = 4
)

// layout writes a page as lines of text.
type layout struct {
	out   strings.Builder
	width int
	paint painter
	in    lang.Printer
}

func layOut(p page, opts TextOptions) string {
	l := layout{width: max(opts.Width, smallestWidth), paint: newPainter(opts.Color), in: p.in}
	if opts.Width == 0 {
		l.width = defaultWidth
	}
	l.facts(p.title)
	l.list(0, p.clients)
	for _, s := range p.sections {
		l.line(0, "")
		l.section(0, s)
	}
	l.line(0, "")
	l.footer(p)
	return l.out.String()
}

func (l *layout) section(indent int, s section) {
	l.heading(indent, s)
	indent += 2
	l.phrase(indent, s.text)
	l.table(indent, s.table)
	if len(s.table.rows) > 0 && len(s.answers.rows) > 0 {
		l.line(0, "")
	}
	l.table(indent, s.answers)
	l.list(indent, sentences(s.sheets))
	for _, one := range s.lists {
		l.list(indent, one)
	}
	for _, part := range s.parts {
		l.line(0, "")
		l.section(indent, part)
	}
}

// heading has the note beside it, or below it where there is no room.
func (l *layout) heading(indent int, s section) {
	head := phrase{s.heading}
	if indent+head.width()+headingGap+s.note.width() <= l.width {
		l.line(indent, head.paint(l.paint)+strings.Repeat(" ", headingGap)+s.note.paint(l.paint))
		return
	}
	l.phrase(indent, head)
	l.phrase(indent+2, s.note)
}

func (l *layout) table(indent int, t table) {
	if len(t.rows) == 0 {
		return
	}
	for i, piece := range t.fit(l.width - indent) {
		if i > 0 {
			l.line(0, "")
		}
		for _, line := range piece.lines(l.paint) {
			l.line(indent, line)
		}
	}
}

// list keeps the terms in a column; a text that is too long goes on below
// itself.
func (l *layout) list(indent int, one list) {
	if one.apart && len(one.entries) > 0 {
		l.line(0, "")
	}
	l.phrase(indent, one.title)
	if len(one.title) > 0 {
		indent += 2
	}
	terms := one.terms()
	for _, e := range one.entries {
		if terms == 0 {
			l.phrase(indent, e.text)
			continue
		}
		term := cellLines(e.term, terms-columnGap, false, l.paint)
		text := wrap(e.text, l.width-indent-terms)
		for y := range max(len(term), len(text)) {
			l.entryLine(indent, terms, at(term, y), at(text, y))
		}
	}
}

// terms is the width of the column of terms, with the gap behind it.
func (l list) terms() int {
	width := 0
	for _, e := range l.entries {
		if w := (phrase{e.term}).width(); w > 0 {
			width = max(width, min(w, widestLabel)+columnGap)
		}
	}
	return width
}

func (l *layout) entryLine(indent, terms int, term string, text phrase) {
	gap := strings.Repeat(" ", max(0, terms-lipgloss.Width(term)))
	l.line(indent, term+gap+text.paint(l.paint))
}

func at[T any](lines []T, y int) T {
	var none T
	if y < len(lines) {
		return lines[y]
	}
	return none
}

// phrase goes on a little to the right where it needs more than a line.
func (l *layout) phrase(indent int, p phrase) {
	if len(p) == 0 {
		return
	}
	if indent+p.width() <= l.width {
		l.line(indent, p.paint(l.paint))
		return
	}
	for i, line := range wrap(p, l.width-indent-2) {
		l.line(indent+2*min(i, 1), line.paint(l.paint))
	}
}

// facts fills lines with whole facts; one that is too wide alone is wrapped.
func (l *layout) facts(all facts) {
	for indent := 0; len(all) > 0; indent = 2 {
		n := 1
		for n < len(all) && indent+lipgloss.Width(all[:n+1].paint(l.paint)) <= l.width {
			n++
		}
		if n == 1 {
			l.phrase(indent, phrase(all[:1]))
		} else {
			l.line(indent, all[:n].paint(l.paint))
		}
		all = all[n:]
	}
}

// footer keeps the command in one piece where that fits.
func (l *layout) footer(p page) {
	if p.again == "" {
		l.facts(p.sum)
		return
	}
	again := l.in.Say("again:") + " " + p.again
	if joined := append(slices.Clone(p.sum), word(again)); lipgloss.Width(joined.paint(l.paint)) <= l.width {
		l.facts(joined)
		return
	}
	l.facts(p.sum)
	lines := breakCommand(again, l.width-2)
	for i, line := range lines {
		if i < len(lines)-1 {
			line += ` \`
		}
		l.line(2*min(i, 1), line)
	}
}

func (l *layout) line(indent int, text string) {
	l.out.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+text, " "))
	l.out.WriteByte('\n')
}
