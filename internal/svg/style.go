package svg

import (
	"fmt"
	"strings"
)

// The classes that pictures use.
const (
	Ink    Class = "ink"    // text
	Strong Class = "strong" // text that stands out
	Muted  Class = "muted"  // text beside the point
	Halo   Class = "halo"   // text over lines: together with another class
	Edge   Class = "edge"   // a line that means something
	Dashed Class = "dashed" // ... one of answers: together with another class
	Grid   Class = "grid"   // a line that helps the eye
	Solid  Class = "solid"  // filled like an edge
	Box    Class = "box"    // the frame of a name
	Bad    Class = "bad"    // a line where something goes wrong
	BadBox Class = "badbox" // behind what is said of it
	BadInk Class = "badink" // text of it
)

// Series is the class of the nth kind of figure of a chart, from 0, as an area or a mark.
func Series(n int) Class { return Class(fmt.Sprintf("s%d", n%len(series()))) }

// SeriesLine is the same as a line.
func SeriesLine(n int) Class { return Class(fmt.Sprintf("line l%d", n%len(series()))) }

// Colour is one in light and in dark.
type Colour struct {
	Name, Light, Dark string
}

// Colours are those of pictures; Paper is what they stand on.
func Colours() []Colour {
	return append([]Colour{
		{"paper", "#ffffff", "#0d1117"},
		{"ink", "#1f2328", "#e6edf3"},
		{"muted", "#59636e", "#9198a1"},
		{"grid", "#d1d9e0", "#3d444d"},
		{"bad", "#b42318", "#ff7b72"},
		{"badbox", "#fff1ef", "#2d1213"},
	}, series()...)
}

// series differ in lightness too, and each has a mark or pattern of its own.
func series() []Colour {
	return []Colour{
		{"s0", "#0969da", "#58a6ff"},
		{"s1", "#b42318", "#ff7b72"},
		{"s2", "#9a6700", "#e3b341"},
		{"s3", "#6639ba", "#d2a8ff"},
		{"s4", "#116329", "#56d364"},
	}
}

// uses notes that something looks like a series.
func (p *Picture) uses(c Class) {
	for i := range series() {
		if c == Series(i) {
			p.used = max(p.used, i+1)
		}
	}
}

// patterns tell series from each other where colours do not: full, stripes that rise,
// hollow, stripes that lie, dots.
func (p *Picture) patterns(id string) string {
	inside := []string{
		"",
		`<rect class="paper" width="3" height="6"/>`,
		`<rect class="paper" width="6" height="6"/>`,
		`<rect class="paper" width="6" height="3"/>`,
		`<circle class="paper" cx="3" cy="3" r="1.8"/>`,
	}
	var b strings.Builder
	for i := range p.used {
		turned := ""
		if i == 1 {
			turned = ` patternTransform="rotate(45)"`
		}
		fmt.Fprintf(&b, `<pattern id="%s-p%d" width="6" height="6" patternUnits="userSpaceOnUse"%s><rect class="f%d" width="6" height="6"/>%s</pattern>`+"\n", id, i, turned, i, inside[i])
	}
	return b.String()
}

// style holds for the picture alone, also where a page has several in it.
func style(id string) string {
	var b strings.Builder
	variables := func(value func(Colour) string) string {
		var all []string
		for _, c := range Colours() {
			all = append(all, fmt.Sprintf("--%s:%s", c.Name, value(c)))
		}
		return strings.Join(all, ";")
	}
	rule := func(selector, body string) { fmt.Fprintf(&b, "#%s%s{%s}\n", id, selector, body) }
	rule("", variables(func(c Colour) string { return c.Light }))
	fmt.Fprintf(&b, "@media (prefers-color-scheme:dark){#%s{%s}}\n", id, variables(func(c Colour) string { return c.Dark }))
	rule(" text", fmt.Sprintf("font:%spx system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:var(--ink)", Number(Size)))
	rule(" .paper", "fill:var(--paper)")
	rule(" .ink", "fill:var(--ink)")
	rule(" .strong", "font-weight:600")
	rule(" .muted", "fill:var(--muted)")
	rule(" .halo", "paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round")
	rule(" .edge", "stroke:var(--ink);stroke-width:1.5px;fill:none")
	rule(" .grid", "stroke:var(--grid);stroke-width:1px;fill:none")
	rule(" .dashed", "stroke-dasharray:5 4")
	rule(" .solid", "fill:var(--ink)")
	rule(" .box", "fill:var(--paper);stroke:var(--muted);stroke-width:1px")
	rule(" .bad", "stroke:var(--bad);stroke-width:2px;fill:none")
	rule(" .badbox", "fill:var(--badbox);stroke:var(--bad);stroke-width:1px")
	rule(" .badink", "fill:var(--bad)")
	rule(" .line", "fill:none;stroke-width:2px")
	for i := range series() {
		rule(fmt.Sprintf(" .f%d", i), fmt.Sprintf("fill:var(--s%d)", i))
		rule(fmt.Sprintf(" .s%d", i), fmt.Sprintf("fill:url(#%s-p%d);stroke:var(--s%d);stroke-width:1.5px", id, i, i))
		rule(fmt.Sprintf(" .l%d", i), fmt.Sprintf("stroke:var(--s%d)", i))
	}
	return b.String()
}
