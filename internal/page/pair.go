package page

import (
	"bytes"
	"fmt"
	"strings"
)

// opened is a begin marker whose end is looked for.
type opened struct {
	marker
	inside []marker // blocks that began and ended within it
}

// pair makes blocks of the markers. Each mistake is told once: of two blocks one of which
// has no end, say, it is not told as well that the other one is nested in it.
func (r *reader) pair(p *Page) {
	var open []opened
	begun := map[string]Position{}
	for _, m := range r.markers {
		if m.word == "begin" {
			r.once(begun, m)
			open = append(open, opened{marker: m})
			continue
		}
		open = r.end(p, open, m)
	}
	for _, o := range open {
		r.problem(o.open, "block %q has no end: expected <!-- kcompare:end id=%q --> below%s", o.get("id"), o.get("id"), r.hidden(o.marker))
	}
}

// once refuses a second block of the same id.
func (r *reader) once(begun map[string]Position, m marker) {
	id := m.get("id")
	if first, twice := begun[id]; twice && id != "" {
		r.problem(m.open, "id %q stands on line %d already: expected another one", id, first.Line)
		return
	}
	begun[id] = m.at
}

// end takes an end marker, and gives what is open still.
func (r *reader) end(p *Page, open []opened, m marker) []opened {
	id, last := m.get("id"), len(open)-1
	switch at := indexOf(open, id); {
	case last < 0:
		r.problem(m.open, "end of %q without a begin: expected <!-- kcompare:begin id=%q kind=\"KIND\" --> above", id, id)
		return open
	case at == last, id == "", open[last].get("id") == "": // a missing id was told
		r.close(p, open[last], m)
		if last > 0 {
			open[last-1].inside = append(open[last-1].inside, open[last].marker)
		}
		return open[:last]
	case at >= 0:
		r.problem(m.open, "end of %q stands within block %q, which begins on line %d: expected the end of %q first", id, open[last].get("id"), open[last].at.Line, open[last].get("id"))
		return append(open[:at:at], open[at+1:]...)
	}
	r.problem(m.open, "end of %q, but the block that begins on line %d is %q: expected the same id", id, open[last].at.Line, open[last].get("id"))
	return open[:last]
}

func indexOf(open []opened, id string) int {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].get("id") == id {
			return i
		}
	}
	return -1
}

// close adds a block, or says why it is none.
func (r *reader) close(p *Page, begin opened, end marker) {
	for _, m := range begin.inside {
		r.problem(m.open, "block %q stands within block %q, which begins on line %d: blocks do not nest", m.get("id"), begin.get("id"), begin.at.Line)
	}
	if begin.parent != end.parent {
		r.problem(end.open, "end of %q stands in another list item or quotation than its begin on line %d: expected it in the same one, indented alike", end.get("id"), begin.at.Line)
		return
	}
	s := spot{prefix: prefixOf(r.source[max(begin.line, r.skip):begin.open]), eol: "\n", from: begin.next, to: end.line, open: end.open, end: end.close}
	if bytes.HasSuffix(r.source[:begin.next], []byte("\r\n")) {
		s.eol = "\r\n"
	}
	b := Block{ID: begin.get("id"), Kind: begin.get("kind"), At: begin.at, Sum: end.get("sum"), Body: s.read(r.source)}
	for _, a := range begin.attributes {
		if a.Name != "id" && a.Name != "kind" {
			b.Attributes = append(b.Attributes, a)
		}
	}
	p.Blocks, p.spots = append(p.Blocks, b), append(p.spots, s)
}

// prefixOf is what stands before further lines of the container in which a marker has this
// before it: the sign of a list item is blank there.
func prefixOf(before []byte) string {
	return strings.Map(func(c rune) rune {
		if c == '>' || c == '\t' {
			return c
		}
		return ' '
	}, string(before))
}

// hidden says where the end marker is that no reader takes for one.
func (r *reader) hidden(begin marker) string {
	wanted := fmt.Sprintf("kcompare:end id=%q", begin.get("id"))
	at := bytes.Index(r.source[begin.close:], []byte(wanted))
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("; the one on line %d stands in a listing or in other text, for example because a fence is not closed", r.position(begin.close+at).Line)
}
