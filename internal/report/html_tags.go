package report

import (
	"html/template"
	"strings"
)

// tags writes HTML. Text and values of attributes are escaped here and nowhere else:
// they may come from other programs. Names of elements and attributes are ours.
type tags struct {
	out strings.Builder
}

// begin opens an element; attributes are names and values in turn. One without a value
// is "", such as open.
func (h *tags) begin(name string, attributes ...string) {
	h.out.WriteString("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		h.out.WriteString(" " + attributes[i])
		if value := attributes[i+1]; value != "" {
			h.out.WriteString(`="` + escapedHTML(value) + `"`)
		}
	}
	h.out.WriteString(">")
}

// end closes it; what is no part of a line ends the line, so that two pages can be
// compared line by line.
func (h *tags) end(name string) {
	h.out.WriteString("</" + name + ">")
	switch name {
	case "span", "strong", "code", "a", "th", "td", "h3", "path":
	default:
		h.out.WriteByte('\n')
	}
}

// element is one with others in it.
func (h *tags) element(name string, body func(), attributes ...string) {
	h.begin(name, attributes...)
	body()
	h.end(name)
}

// leaf is an element with text in it.
func (h *tags) leaf(name, text string, attributes ...string) {
	h.begin(name, attributes...)
	h.text(text)
	h.end(name)
}

func (h *tags) text(text string) { h.out.WriteString(escapedHTML(text)) }

// path is a part of a drawing.
func (h *tags) path(class, d string) { h.leaf("path", "", "class", class, "d", d) }

// verbatim is what is no text: style and script of our own.
func (h *tags) verbatim(source string) { h.out.WriteString(source) }

func escapedHTML(text string) string { return template.HTMLEscapeString(printable(text)) }
