package page

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// marker is a comment of kcompare's on its way to being half a block.
type marker struct {
	word       string // begin or end
	at         Position
	attributes []Attribute
	parent     ast.Node // the list item, quote or page that it stands in

	line, open, close, next int // offsets: of its line, of "<!--", behind "-->", of the line after it
}

// get is the value of an attribute, "" where it is not there.
func (m marker) get(name string) string {
	for _, a := range m.attributes {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// addressed is a comment to kcompare, and one whose author may have meant that.
var addressed = regexp.MustCompile(`^<!--[ \t\r\n]*((?i:kcompare)[ \t:._-]*)([\pL\d]+)`)

// addressedTo is the word behind "kcompare:" of a comment, "" where it is no marker.
func (r *reader) addressedTo(comment []byte, at int) string {
	found := addressed.FindSubmatch(comment)
	if found == nil {
		return ""
	}
	between, word := string(found[1]), string(found[2])
	meant := strings.ToLower(word) == "begin" || strings.ToLower(word) == "end"
	switch {
	case between == "kcompare:" && (word == "ignore" || word == "skip"):
		return "" // it is lint's
	case between == "kcompare:" && (word == "begin" || word == "end"):
		return word
	case between == "kcompare:":
		r.problem(at, "unknown marker kcompare:%s: expected kcompare:begin or kcompare:end", word)
	case meant:
		r.problem(at, "expected kcompare:%s, found %q", strings.ToLower(word), strings.TrimSpace(string(found[0][len("<!--"):])))
	}
	return ""
}

// comment takes the comment that begins at an offset, if it is a marker. block says that
// the markdown parser found it where a block may stand.
func (r *reader) comment(open int, parent ast.Node, block bool) {
	end := bytes.Index(r.source[open:], []byte("-->"))
	if end < 0 {
		end = len(r.source) - open
	}
	text := r.source[open : open+end]
	word := r.addressedTo(text, open)
	if word == "" {
		return
	}
	m := marker{word: word, at: r.position(open), parent: parent, open: open, close: min(open+end+len("-->"), len(r.source))}
	m.line = bytes.LastIndexByte(r.source[:open], '\n') + 1
	m.next = lineAfter(r.source, m.close)
	switch rest := bytes.TrimSpace(r.source[m.close:m.next]); {
	case open+end == len(r.source):
		r.problem(open, "the comment of kcompare:%s has no -->", word)
		return
	case bytes.ContainsRune(text, '\n'):
		r.problem(open, "the marker kcompare:%s goes over several lines: expected it on one", word)
		return
	case !block || len(rest) > 0:
		r.problem(open, "the marker kcompare:%s stands in other text: expected it alone on its line, indented by less than four columns", word)
		return
	}
	r.attributes(&m, open+bytes.Index(text, []byte(word))+len(word), open+end)
	r.markers = append(r.markers, m)
}

// lineAfter is where the line behind the one of an offset begins.
func lineAfter(source []byte, offset int) int {
	if at := bytes.IndexByte(source[offset:], '\n'); at >= 0 {
		return offset + at + 1
	}
	return len(source)
}

var attribute = regexp.MustCompile(`^([a-z][a-z0-9-]*)="([^"\n]*)"`)

// attributes reads name="value" from an offset to another. What cannot be read is one
// problem: what stands behind it would be guessed.
func (r *reader) attributes(m *marker, from, to int) {
	for {
		blank := len(r.source[from:to]) - len(bytes.TrimLeft(r.source[from:to], " \t"))
		if from += blank; from == to {
			break
		}
		found := attribute.FindSubmatchIndex(r.source[from:to])
		if found == nil || blank == 0 {
			r.problem(from, "malformed attribute: expected a blank and name=\"value\", found %s", excerpt(r.source[from:to]))
			return
		}
		a := Attribute{Name: string(r.source[from+found[2] : from+found[3]]), Value: string(r.source[from+found[4] : from+found[5]]), At: r.position(from), In: r.position(from + found[4])}
		if slices.ContainsFunc(m.attributes, func(b Attribute) bool { return b.Name == a.Name }) {
			r.problem(from, "attribute %s stands twice in the marker", a.Name)
		} else {
			m.attributes = append(m.attributes, a)
		}
		from += found[1]
	}
	r.named(m)
}

var identifier = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// named checks the attributes that make a marker one.
func (r *reader) named(m *marker) {
	id := m.get("id")
	switch {
	case id == "":
		r.problem(m.open, "kcompare:%s has no id: expected id=\"NAME\"", m.word)
	case !identifier.MatchString(id):
		r.problem(m.open, "id %q: expected small letters, digits and single hyphens, such as \"lost-ack\"", id)
	}
	if m.word == "begin" && m.get("kind") == "" {
		r.problem(m.open, "kcompare:begin of %q has no kind: expected kind=\"KIND\"", id)
	}
	for _, a := range m.attributes {
		if m.word == "end" && a.Name != "id" && a.Name != "sum" {
			r.problems = append(r.problems, Problem{a.At, fmt.Sprintf("unknown attribute %s of an end marker: expected id and sum", a.Name)})
		}
	}
}

// excerpt is the beginning of what could not be read.
func excerpt(text []byte) string {
	text = bytes.TrimSpace(text)
	if utf8.RuneCount(text) > 30 {
		return fmt.Sprintf("%q...", string([]rune(string(text))[:30]))
	}
	return fmt.Sprintf("%q", text)
}
