package sequence

import (
	"fmt"
	"strings"
	"unicode"

	"kcompare/internal/lang"
)

// Mermaid is a diagram as the text of a sequenceDiagram, without a fence, \n at its end.
// Text of others (keys, names, codes) never becomes an identifier and is escaped.
func Mermaid(d Diagram, p lang.Printer) string {
	pic := draw(d, p)
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("sequenceDiagram")
	line("    accTitle: %s", plain(pic.title))
	line("    accDescr: %s", plain(pic.about))
	for i, name := range pic.lanes {
		line("    participant %s as %s", lane(i), entities(name))
	}
	for _, m := range pic.moves {
		if b.Len() > mostText {
			pic.leftOut += m.requests
			continue
		}
		b.WriteString(mermaidMove(m))
	}
	if text := end(pic.leftOut, p); text != "" && len(pic.lanes) > 1 {
		line("    Note over %s,%s: %s", lane(0), lane(len(pic.lanes)-1), entities(text))
	}
	return b.String()
}

// mostText is far enough below the 50,000 characters that Mermaid draws for one more move.
const mostText = 40_000

func mermaidMove(m move) string {
	lines := []string{fmt.Sprintf("%s%s%s: %s", lane(0), tip("-", m.request.lost), lane(m.lane), asking(m))}
	if a := m.answer; a != nil {
		lines = append(lines, fmt.Sprintf("%s%s%s: %s", lane(m.lane), tip("--", a.lost), lane(0), broken(a.body)))
	}
	if m.note != "" {
		lines = append(lines, fmt.Sprintf("Note over %s,%s: %s", lane(0), lane(m.lane), entities(m.note)))
	}
	if m.times != "" {
		lines = append([]string{"loop " + entities(m.times)}, append(lines, "end")...)
		for i := range lines[1 : len(lines)-1] {
			lines[i+1] = "    " + lines[i+1]
		}
	}
	return "    " + strings.Join(lines, "\n    ") + "\n"
}

// lane is the identifier of a participant.
func lane(i int) string {
	if i == 0 {
		return "client"
	}
	return fmt.Sprintf("node%d", i)
}

func tip(shaft string, lost bool) string {
	if lost {
		return shaft + "x"
	}
	return shaft + ">>"
}

// different begins what the diagram beside does not have.
const different = "≠ "

// asking is what stands at a request.
func asking(m move) string {
	head := m.request.head
	if m.differs {
		head = different + head
	}
	return broken(append([]string{head}, m.request.body...))
}

// broken is lines of text; a message must have some.
func broken(lines []string) string {
	var all []string
	for _, l := range lines {
		all = append(all, entities(l))
	}
	if len(all) == 0 {
		return "#160;" // a space that does not break
	}
	return strings.Join(all, "<br/>")
}

// harmless are the signs that mean nothing to Mermaid within a text.
const harmless = " _.,/=+()'-≠×…"

// entities writes all but letters, figures and harmless signs by number: # and ; end a
// message, : % < > { } mean something at its beginning or within.
func entities(text string) string {
	var b strings.Builder
	for _, r := range cutShort(oneLine(text)) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(harmless, r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "#%d;", r)
	}
	return b.String()
}

// cutShort bounds one line of a label.
func cutShort(text string) string {
	const most = 100
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// plain is a text where Mermaid knows no entities.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(harmless+":", r) {
			return r
		}
		return ' '
	}, text)
	return oneLine(text)
}

func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
