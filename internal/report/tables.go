package report

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
)

// Table is plain rows that are no evidence: what stands on a cluster, what passed a
// proxy. Every row has a cell for each column.
type Table struct {
	Title   string // empty: none
	Columns []Column
	Rows    [][]string
	Notes   []string // below it, a line each
}

// Column is the heading of a column.
type Column struct {
	Name   string
	Figure bool // a number, which stands to the right
}

// TextTables writes tables for a terminal. No cell is broken, so that a name can be
// copied and a script can count on one row a line. The error is the writer's.
func TextTables(w io.Writer, tables ...Table) error {
	var b strings.Builder
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.text(&b)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write tables: %w", err)
	}
	return nil
}

func (t Table) text(b *strings.Builder) {
	if t.Title != "" {
		fmt.Fprintln(b, printable(t.Title))
	}
	widths := t.widths()
	for _, cells := range t.lines() {
		b.WriteString(strings.TrimRight(t.textRow(widths, cells), " "))
		b.WriteByte('\n')
	}
	for _, note := range t.Notes {
		fmt.Fprintln(b, printable(note))
	}
}

// lines are the headings, if there is anything below them, and the rows.
func (t Table) lines() [][]string {
	if len(t.Rows) == 0 {
		return nil
	}
	var head []string
	for _, c := range t.Columns {
		head = append(head, c.Name)
	}
	lines := [][]string{head}
	for _, row := range t.Rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, printable(cell))
		}
		lines = append(lines, cells)
	}
	return lines
}

func (t Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for _, cells := range t.lines() {
		for x, cell := range cells {
			widths[x] = max(widths[x], lipgloss.Width(cell))
		}
	}
	return widths
}

func (t Table) textRow(widths []int, cells []string) string {
	gap := strings.Repeat(" ", columnGap)
	var padded []string
	for x, cell := range cells {
		fill := strings.Repeat(" ", widths[x]-lipgloss.Width(cell))
		if t.Columns[x].Figure {
			padded = append(padded, fill+cell)
		} else {
			padded = append(padded, cell+fill)
		}
	}
	return strings.Join(padded, gap)
}

// MarkdownTables writes the same as GitHub flavoured markdown. The error is the
// writer's.
func MarkdownTables(w io.Writer, tables ...Table) error {
	m := &markdown{}
	for _, t := range tables {
		m.plainTable(t)
	}
	if _, err := io.WriteString(w, m.out.String()); err != nil {
		return fmt.Errorf("write tables: %w", err)
	}
	return nil
}

func (m *markdown) plainTable(t Table) {
	if t.Title != "" {
		m.heading(topLevel, word(t.Title))
	}
	if len(t.Rows) > 0 {
		columns := make([]column, len(t.Columns))
		for x, c := range t.Columns {
			columns[x] = column{name: c.Name, figure: c.Figure}
		}
		rows := make([][]string, len(t.Rows))
		for y, row := range t.Rows {
			for _, cell := range row {
				rows[y] = append(rows[y], escaped(cell))
			}
		}
		m.table(columns, rows)
	}
	for _, note := range t.Notes {
		m.block(opening(escaped(note)))
	}
}
