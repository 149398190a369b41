package report

import "fmt"

// section is folded where its page says that nobody needs it to judge, or that all is
// as it was promised. Its heading stands in what is clicked then.
func (h *htmlPage) section(level int, s section) {
	if !s.folds {
		h.element("section", func() {
			h.heading(level, s, identity(s.anchor)...)
			h.inside(level, s)
		})
		return
	}
	open := []string{"class", "section"}
	if !s.folded {
		open = append(open, "open", "")
	}
	h.element("details", func() {
		h.element("summary", func() {
			h.heading(level, s)
			h.badges(s.badges)
		})
		// a browser unfolds what a link leads into, not what it leads to
		h.element("div", func() { h.inside(level, s) }, identity(s.anchor)...)
	}, open...)
}

// identity is what links lead to, where they do.
func identity(anchor string) []string {
	if anchor == "" {
		return nil
	}
	return []string{"id", anchor}
}

func (h *htmlPage) heading(level int, s section, attributes ...string) {
	h.element(fmt.Sprintf("h%d", level), func() { h.span(s.heading) }, attributes...)
}

func (h *htmlPage) badges(all []span) {
	for _, one := range all {
		h.text(" ")
		h.element("span", func() { h.span(one) }, "class", "badge")
	}
}

// inside says why a verdict is not holds right below the table.
func (h *htmlPage) inside(level int, s section) {
	h.paragraph(s.note)
	h.paragraph(s.text)
	h.bars(s.bars)
	h.figures(s.table)
	h.figures(s.answers)
	for _, l := range s.lists {
		h.list(l)
	}
	h.sheets(s)
	h.timelines(s.wires)
	for _, part := range s.parts {
		h.section(level+1, part)
	}
}

// sheets are folded together: they say what a trial was put through, which is asked
// only where its verdict is a surprise.
func (h *htmlPage) sheets(s section) {
	switch {
	case len(s.sheets) == 0:
	case s.aside:
		h.eachSheet(s.sheets)
	default:
		h.element("details", func() {
			h.leaf("summary", h.in.Say("Faults, causes, errors and settings"))
			h.eachSheet(s.sheets)
		})
	}
}

func (h *htmlPage) eachSheet(all []sheet) {
	for _, s := range all {
		h.sheet(s)
	}
}

// sheet is a table where the sheet has columns, sentences otherwise.
func (h *htmlPage) sheet(s sheet) {
	title := s.title
	if s.alike {
		title += " " + h.in.Say("(the same for every client)")
	}
	if len(s.columns) == 0 {
		h.leaf("p", title+":", "class", "title")
		h.list(list{entries: s.bullets()})
		return
	}
	columns, rows := s.cells(h.in)
	h.table(title, columns, func() {
		for _, cells := range rows {
			h.element("tr", func() {
				for x, cell := range cells {
					h.sheetCell(x, columns[x], cell)
				}
			})
		}
	})
}

func (h *htmlPage) sheetCell(x int, c column, cell string) {
	attributes, name := c.attributes(), "td"
	if x == 0 {
		name, attributes = "th", append(attributes, "scope", "row")
	}
	h.element(name, func() {
		if c.code && cell != "" {
			h.leaf("code", cell)
		} else {
			h.text(cell)
		}
	}, attributes...)
}

// figures is a table of numbers, which stand to the right, or of words, which do not.
func (h *htmlPage) figures(t table) {
	if len(t.rows) == 0 {
		return
	}
	t = t.grouped()
	columns := []column{{name: t.corner}}
	for x, name := range t.columns {
		columns = append(columns, column{name: name, figure: !t.words && x >= t.fixed})
	}
	h.table(t.caption, columns, func() {
		for _, r := range t.rows {
			h.row(columns, r)
		}
	})
}

// row of a section's name is one cell over all columns.
func (h *htmlPage) row(columns []column, r row) {
	label := func() { h.span(r.label) }
	if r.target != "" {
		label = func() { h.element("a", func() { h.span(r.label) }, "href", "#"+r.target) }
	}
	h.element("tr", func() {
		if r.label.mark == heading {
			h.element("th", label, "scope", "rowgroup", "class", "group", "colspan", fmt.Sprint(len(columns)))
			return
		}
		h.element("th", label, "scope", "row")
		for x, cell := range r.cells {
			h.element("td", func() { h.span(cell) }, columns[x+1].attributes()...)
		}
	})
}

func (c column) attributes() []string {
	if c.figure {
		return []string{"class", "n"}
	}
	return nil
}

// table can be moved from side to side by keyboard where it is wider than the page.
func (h *htmlPage) table(caption string, columns []column, rows func()) {
	h.tables++
	id := fmt.Sprintf("t%d", h.tables)
	h.element("div", func() {
		h.element("table", func() {
			h.leaf("caption", caption, "id", id)
			h.element("thead", func() { h.element("tr", func() { h.columnHeads(columns) }) })
			h.element("tbody", rows)
		})
	}, "class", "wide", "tabindex", "0", "role", "group", "aria-labelledby", id)
}

// columnHeads has no heading where there is nothing to say: an empty one is read out.
func (h *htmlPage) columnHeads(columns []column) {
	for _, c := range columns {
		if c.name == "" {
			h.leaf("td", "")
			continue
		}
		h.leaf("th", c.name, append(c.attributes(), "scope", "col")...)
	}
}

// list has its terms in front, each once for all its entries.
func (h *htmlPage) list(l list) {
	if len(l.title) > 0 {
		h.paragraph(l.title)
	}
	if len(l.entries) == 0 {
		return
	}
	if l.terms() == 0 {
		h.element("ul", func() {
			for _, e := range l.entries {
				h.element("li", func() { h.phrase(e.text) })
			}
		})
		return
	}
	h.element("dl", func() {
		for i, e := range l.entries {
			if i == 0 || e.term.text != "" {
				h.element("dt", func() { h.span(e.term) })
			}
			h.element("dd", func() { h.phrase(e.text) })
		}
	})
}

func (h *htmlPage) facts(all facts, class string) {
	h.element("p", func() {
		for i, one := range all {
			if i > 0 {
				h.text(" · ")
			}
			h.span(one)
		}
	}, "class", class)
}

func (h *htmlPage) paragraph(p phrase) {
	if len(p) > 0 {
		h.element("p", func() { h.phrase(p) })
	}
}

func (h *htmlPage) phrase(p phrase) {
	for i, one := range p {
		if i > 0 {
			h.text(" ")
		}
		h.span(one)
	}
}

// span looks as its mark says. What is bad is in bold letters as well, because it is to
// be found without colour.
func (h *htmlPage) span(s span) {
	switch s.mark {
	case good:
		h.leaf("span", s.text, "class", "good")
	case doubtful:
		h.leaf("span", s.text, "class", "doubtful")
	case bad:
		h.leaf("strong", s.text, "class", "bad")
	default:
		h.text(s.text)
	}
}
