package report

import (
	"strings"

	"kcompare/internal/lang"
)

// said is the page in the printer's language. It is the only place where a page is
// translated: what builds one speaks English, what lays it out copies. Layouts have a few
// words of their own and say them by the page's printer.
func said(p page, in lang.Printer) page {
	p.in = in
	p.title, p.sum = facts(sayPhrase(in, phrase(p.title))), facts(sayPhrase(in, phrase(p.sum)))
	p.clients = sayList(in, p.clients)
	p.sections = each(p.sections, func(s section) section { return saySection(in, s) })
	return p
}

func saySection(in lang.Printer, s section) section {
	s.heading, s.note, s.text = saySpan(in, s.heading), sayPhrase(in, s.note), sayPhrase(in, s.text)
	s.badges = sayPhrase(in, s.badges)
	s.table, s.answers = sayTable(in, s.table), sayTable(in, s.answers)
	s.sheets = each(s.sheets, func(one sheet) sheet { return saySheet(in, one) })
	s.lists = each(s.lists, func(l list) list { return sayList(in, l) })
	s.parts = each(s.parts, func(part section) section { return saySection(in, part) })
	return s
}

func sayList(in lang.Printer, l list) list {
	l.title = sayPhrase(in, l.title)
	l.entries = each(l.entries, func(e entry) entry {
		return entry{term: saySpan(in, e.term), text: sayPhrase(in, e.text)}
	})
	return l
}

func sayTable(in lang.Printer, t table) table {
	t.caption, t.corner, t.columns = in.Say(t.caption), in.Say(t.corner), each(t.columns, in.Say)
	t.rows = each(t.rows, func(r row) row {
		return row{label: saySpan(in, r.label), cells: each(r.cells, func(c span) span { return saySpan(in, c) }), target: r.target}
	})
	return t
}

func saySheet(in lang.Printer, s sheet) sheet {
	s.term, s.title = in.Say(s.term), in.Say(s.title)
	columns := s.columns
	s.columns = each(columns, func(c column) column {
		c.name = in.Say(c.name)
		return c
	})
	s.items = each(s.items, func(i item) item {
		i.client, i.text = in.Say(i.client), in.Say(i.text)
		cells := i.cells
		i.cells = nil
		for x, cell := range cells {
			i.cells = append(i.cells, sayCell(in, columns[x], cell))
		}
		return i
	})
	return s
}

// sayCell leaves names and values alone, but not a remark in the place of one: "(not set)".
func sayCell(in lang.Printer, c column, cell string) string {
	if c.code && !strings.HasPrefix(cell, "(") {
		return cell
	}
	return in.Say(cell)
}

func sayPhrase(in lang.Printer, p phrase) phrase {
	return each(p, func(s span) span { return saySpan(in, s) })
}

func saySpan(in lang.Printer, s span) span {
	if !s.name {
		s.text = in.Say(s.text)
	}
	return s
}

func each[T, R any](all []T, change func(T) R) []R {
	var changed []R
	for _, one := range all {
		changed = append(changed, change(one))
	}
	return changed
}
