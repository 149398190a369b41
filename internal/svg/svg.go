// Package svg writes pictures that are the same, byte for byte, whenever what they show is:
// coordinates are rounded, nothing is dated, every identifier begins with the picture's own.
// A picture has a title and a description, text is text, and its colours follow the reader's
// choice of light or dark; it brings its background, for a page may have chosen otherwise.
package svg

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Picture is one SVG document that grows by what is drawn on it, from back to front.
type Picture struct {
	ID    string // part of all its identifiers; letters, figures and hyphens
	Title string // what a screen reader says first
	About string // one sentence for who cannot see it

	body strings.Builder
	used int // series, which have patterns
}

// LineHeight is the distance of two lines of text, Size that of its letters.
const (
	LineHeight = 17.0
	Size       = 13.0
)

// Width is at most what a text takes. The letters of the reader's machine are unknown;
// those of DejaVu, which are wide, fit.
func Width(text string) float64 { return 0.62 * Size * float64(len([]rune(text))) }

// Class is how something looks: the classes of style.go, with blanks between.
type Class string

// Line is a straight one.
func (p *Picture) Line(c Class, x1, y1, x2, y2 float64) {
	p.element("line", c, "x1", x1, "y1", y1, "x2", x2, "y2", y2)
}

// Rect is a rectangle with corners that are a little round.
func (p *Picture) Rect(c Class, x, y, width, height float64) {
	p.element("rect", c, "x", x, "y", y, "width", width, "height", height, "rx", 3.0)
}

// Shape is a closed one, or with class "line" an open line, through points x, y, x, y, ...
func (p *Picture) Shape(c Class, points ...float64) {
	var b strings.Builder
	for i := 0; i < len(points); i += 2 {
		fmt.Fprintf(&b, "%s%s %s", letter(i), Number(points[i]), Number(points[i+1]))
	}
	if !strings.Contains(" "+string(c)+" ", " line ") {
		b.WriteString("Z")
	}
	p.uses(c)
	fmt.Fprintf(&p.body, "<path class=\"%s\" d=\"%s\"/>\n", c, b.String())
}

func letter(i int) string {
	if i == 0 {
		return "M"
	}
	return "L"
}

// Where a text stands: its beginning, middle or end is at the point given.
const (
	Start  = "start"
	Middle = "middle"
	End    = "end"
)

// Text is one line; y is its base line.
func (p *Picture) Text(c Class, x, y float64, anchor, text string) {
	fmt.Fprintf(&p.body, "<text class=%q x=%q y=%q text-anchor=%q>%s</text>\n", c, Number(x), Number(y), anchor, escaped(text))
}

func (p *Picture) element(name string, c Class, attributes ...any) {
	p.uses(c)
	fmt.Fprintf(&p.body, "<%s class=%q", name, c)
	for i := 0; i < len(attributes); i += 2 {
		fmt.Fprintf(&p.body, " %s=%q", attributes[i], Number(attributes[i+1].(float64)))
	}
	p.body.WriteString("/>\n")
}

// Bytes is the document, of a size that holds what was drawn.
func (p *Picture) Bytes(width, height float64) []byte {
	id := "p-" + p.ID // CSS knows no identifier that begins with a figure
	w, h := Number(math.Ceil(width)), Number(math.Ceil(height))
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=%q role=\"img\" aria-labelledby=\"%s-title %s-desc\" viewBox=\"0 0 %s %s\" width=%q height=%q>\n",
		id, id, id, w, h, w, h)
	fmt.Fprintf(&b, "<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n", id, escaped(p.Title), id, escaped(p.About))
	fmt.Fprintf(&b, "<style>\n%s</style>\n", style(id))
	b.WriteString(p.patterns(id))
	fmt.Fprintf(&b, "<rect class=\"paper\" width=%q height=%q/>\n", w, h)
	b.WriteString(p.body.String())
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// Number writes a coordinate with one decimal at most: what else processors of two kinds
// compute differently does not show.
func Number(v float64) string {
	rounded := math.Round(v*10) / 10
	if rounded == 0 {
		return "0" // and not -0
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// escaped is text that XML takes as it is. Signs that XML cannot have are left out.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case r < ' ' || r == '\uFFFD' || r == '\uFFFE' || r == '\uFFFF':
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
