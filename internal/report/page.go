package report

import (
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// page is a report before anybody has laid it out.
type page struct {
	in       lang.Printer // what it is written in, once it is said (said.go)
	title    facts
	clients  list // what took part, with exact versions
	sections []section
	sum      facts  // how many trials hold
	again    string // the command line that repeats the run
}

// section is a heading and what stands below it.
type section struct {
	heading span
	note    phrase // beside the heading, or below it where there is no room
	text    phrase
	table   table
	answers table
	sheets  []sheet
	lists   []list
	parts   []section
	aside   bool // nobody needs it to judge: a layout that can fold may do so

	// For layouts with links, folds and pictures; see illustrated.
	anchor string // where links lead to it
	folds  bool   // it can be folded away ...
	folded bool   // ... and is at first
	badges phrase // what stays to be seen of it then
	bars   []variantBars
	wires  []clientWire
}

// list is lines whose terms stand in a column of their own. With a title they
// stand below it.
type list struct {
	title   phrase
	apart   bool // from what stands above
	entries []entry
}

// entry is one line of a list; the term may be empty.
type entry struct {
	term span
	text phrase
}

// facts is short texts in a row, "8 of 8 trials hold · 5.1 s". A line is broken
// between two of them.
type facts []span

// phrase is pieces of text with a blank between them.
type phrase []span

// span is text of one look.
type span struct {
	text string
	mark mark
	name bool // no language: a version, a command, a library's own words
}

// mark says what a text is; what that looks like is the layout's business.
type mark int

const (
	ordinary mark = iota
	heading
	good
	bad
	doubtful
)

func say(text string) phrase { return phrase{word(text)} }

func word(text string) span { return span{text: text} }

// name is a text that is the same in every language.
func name(text string) span { return span{text: text, name: true} }

// verdictWord is the verdict as it is printed. A violation is to be found
// without colour and without reading, so it alone is in capitals.
func verdictWord(v evidence.Verdict) string {
	if v == evidence.Violated {
		return "VIOLATED"
	}
	return string(v)
}

// verdictLabel begins a line that says why.
func verdictLabel(v evidence.Verdict) span {
	return span{text: verdictWord(v) + ":", mark: verdictMark(v)}
}

func verdictMark(v evidence.Verdict) mark {
	switch v {
	case evidence.Holds:
		return good
	case evidence.Violated:
		return bad
	}
	return doubtful
}
