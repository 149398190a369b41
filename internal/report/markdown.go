package report

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/lang"
)

const (
	topLevel = 2  // of the headings: a page that takes the report in has its own
	mostRows = 10 // of a table that nobody needs to judge; a longer one is folded
)

// markdown writes a page as blocks, with a blank line between two of them. Cells of tables
// are not filled up with blanks: one wider figure would change every line of a page.
type markdown struct {
	out strings.Builder
	in  lang.Printer
}

func layOutMarkdown(p page) string {
	m := &markdown{in: p.in}
	m.heading(topLevel, p.title[0])
	m.block(opening(joined(p.title[1:], " · ")))
	m.list(p.clients)
	for _, s := range p.sections {
		m.section(topLevel+1, s)
	}
	m.block(opening(joined(p.sum, " · ")))
	m.command(p.again)
	return m.out.String()
}

// block ends with a line break, whether it was given one or not.
func (m *markdown) block(lines ...string) {
	if len(lines) == 0 {
		return
	}
	if m.out.Len() > 0 {
		m.out.WriteByte('\n')
	}
	for _, line := range lines {
		m.out.WriteString(strings.TrimRight(line, " "))
		m.out.WriteByte('\n')
	}
}

func (m *markdown) heading(level int, text span) {
	m.block(strings.Repeat("#", level) + " " + inline(text))
}

// paragraph is nothing where there is nothing to say.
func (m *markdown) paragraph(p phrase) {
	if len(p) > 0 {
		m.block(opening(joined(p, " ")))
	}
}

func (m *markdown) section(level int, s section) {
	m.heading(level, s.heading)
	m.body(level, s)
}

// body is what stands below the heading of a section. It says why a verdict is not holds
// right below the table.
func (m *markdown) body(level int, s section) {
	m.paragraph(s.note)
	m.paragraph(s.text)
	m.fold(s.aside, len(s.table.rows), func() { m.figures(s.table) })
	m.figures(s.answers)
	for _, l := range s.lists {
		m.list(l)
	}
	for _, one := range s.sheets {
		m.sheet(one, s.aside)
	}
	for _, part := range s.parts {
		m.section(level+1, part)
	}
}

// fold hides what is long and aside behind one line. The blank lines around the
// tags are what lets GitHub read markdown between them.
func (m *markdown) fold(aside bool, rows int, body func()) {
	if !aside || rows <= mostRows {
		body()
		return
	}
	m.block("<details><summary>" + m.in.Say(fmt.Sprintf("show %d lines", rows)) + "</summary>")
	body()
	m.block("</details>")
}

// list repeats a term for each of its entries, because every one has its own
// bullet.
func (m *markdown) list(l list) {
	m.paragraph(l.title)
	var lines []string
	term := ""
	for _, e := range l.entries {
		if e.term.text != "" {
			term = strong(escaped(e.term.text)) + " "
		}
		if term != "" {
			lines = append(lines, "- "+term+joined(e.text, " "))
		} else {
			lines = append(lines, "- "+opening(joined(e.text, " ")))
		}
	}
	m.block(lines...)
}

// figures is a table of numbers, which stand to the right, or of words, which do not.
func (m *markdown) figures(t table) {
	if len(t.rows) == 0 {
		return
	}
	t = t.grouped()
	columns := []column{{name: t.corner}}
	for _, name := range t.columns {
		columns = append(columns, column{name: name, figure: !t.words})
	}
	var rows [][]string
	for _, r := range t.rows {
		cells := []string{inline(r.label)}
		for _, c := range r.cells {
			cells = append(cells, inline(c))
		}
		rows = append(rows, cells)
	}
	m.table(columns, rows)
}

// sheet is a table where the sheet has columns, sentences otherwise.
func (m *markdown) sheet(s sheet, aside bool) {
	title := s.title
	if s.alike {
		title += " " + m.in.Say("(the same for every client)")
	}
	m.block(opening(escaped(title)) + ":")
	m.fold(aside, len(s.items), func() {
		if len(s.columns) == 0 {
			m.list(list{entries: s.bullets()})
			return
		}
		columns, rows := s.cells(m.in)
		for _, cells := range rows {
			for x := range cells {
				cells[x] = columns[x].escaped(cells[x])
			}
		}
		m.table(columns, rows)
	})
}

// bullets is the sentences of a sheet, with the client as term.
func (s sheet) bullets() []entry {
	var all []entry
	for _, one := range s.items {
		all = append(all, entry{term: word(one.client), text: say(one.text)})
	}
	return all
}

// cells is a sheet with the clients in front and without the columns in which
// nothing stands.
func (s sheet) cells(in lang.Printer) ([]column, [][]string) {
	columns := append([]column{{name: in.Say("client")}}, s.columns...)
	var rows [][]string
	for _, one := range s.items {
		rows = append(rows, append([]string{in.Say(s.whose(one))}, one.cells...))
	}
	for x := len(columns) - 1; x >= 0; x-- {
		if !slices.ContainsFunc(rows, func(cells []string) bool { return cells[x] != "" }) {
			columns = slices.Delete(columns, x, x+1)
			for y := range rows {
				rows[y] = slices.Delete(rows[y], x, x+1)
			}
		}
	}
	return columns, rows
}

// whose is the client of an item, empty in a sheet that is about no single one.
func (s sheet) whose(one item) string {
	if one.client == "" && slices.ContainsFunc(s.items, func(i item) bool { return i.client != "" }) {
		return "every client"
	}
	return one.client
}

// table takes cells that are escaped already.
func (m *markdown) table(columns []column, rows [][]string) {
	head, below := "|", "|"
	for _, c := range columns {
		head += tableCell(escaped(c.name))
		if c.figure {
			below += "--:|"
		} else {
			below += "---|"
		}
	}
	lines := []string{head, below}
	for _, cells := range rows {
		line := "|"
		for _, cell := range cells {
			line += tableCell(cell)
		}
		lines = append(lines, line)
	}
	m.block(lines...)
}

func tableCell(cell string) string {
	if cell == "" {
		return " |"
	}
	return " " + cell + " |"
}

func (c column) escaped(cell string) string {
	if c.code {
		return code(cell)
	}
	return escaped(cell)
}

// command stands in a fence that is longer than any within it.
func (m *markdown) command(again string) {
	if again == "" {
		return
	}
	again = printable(again)
	fence := "```"
	for strings.Contains(again, fence) {
		fence += "`"
	}
	m.block(m.in.Say("Again:"))
	m.block(fence+"sh", again, fence)
}

// say and word are a text of kcompare's that is on no page, which is said before.
func (m *markdown) say(text string) phrase { return phrase{m.word(text)} }

func (m *markdown) word(text string) span { return word(m.in.Say(text)) }

// sayTable is a table whose headings are on no page either.
func (m *markdown) sayTable(columns []column, rows [][]string) {
	m.table(each(columns, func(c column) column {
		c.name = m.in.Say(c.name)
		return c
	}), rows)
}
