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

	// Width is how many columns the text has. Cells and notes are broken between words
	// where it would be wider, never within one. 0: nothing is broken.
	Width int
}

// Column is the heading of a column.
type Column struct {
	Name   string
	Figure bool // a number, which stands to the right
}

// TextTables writes tables for a terminal. Without a Width no cell is broken, so that a
// name can be copied and a script can count on one row a line. The error is the writer's.
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
	widths := t.narrowed()
	for _, cells := range t.lines() {
		for _, line := range t.textRow(widths, cells) {
			fmt.Fprintln(b, strings.TrimRight(line, " "))
		}
	}
	for _, note := range t.Notes {
		for _, line := range t.noteLines(note) {
			fmt.Fprintln(b, line)
		}
	}
}

// noteLines goes on a little to the right where a note needs more than a line.
func (t Table) noteLines(note string) []string {
	const indent = "  "
	if t.Width == 0 || lipgloss.Width(note) <= t.Width {
		return []string{printable(note)}
	}
	var lines []string
	for i, line := range wrap(phrase{word(note)}, t.Width-len(indent)) {
		lines = append(lines, strings.Repeat(indent, min(i, 1))+line.paint(newPainter(false)))
	}
	return lines
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

// narrowed is how wide each column is: as its widest cell, or less where a row would be
// wider than the text. The widest column gives way first, down to its longest word.
func (t Table) narrowed() []int {
	widths, least := t.widths()
	for t.Width > 0 && rowWidth(widths) > t.Width {
		widest := -1
		for x, width := range widths {
			if width > least[x] && (widest < 0 || width > widths[widest]) {
				widest = x
			}
		}
		if widest < 0 {
			break // the words alone are too wide
		}
		widths[widest]--
	}
	return widths
}

func rowWidth(widths []int) int {
	sum := columnGap * (len(widths) - 1)
	for _, width := range widths {
		sum += width
	}
	return sum
}

// widths is the widest cell of each column, and its longest word.
func (t Table) widths() (cells, words []int) {
	cells, words = make([]int, len(t.Columns)), make([]int, len(t.Columns))
	for _, line := range t.lines() {
		for x, cell := range line {
			cells[x] = max(cells[x], lipgloss.Width(cell))
			for w := range strings.FieldsSeq(cell) {
				words[x] = max(words[x], lipgloss.Width(w))
			}
		}
	}
	return cells, words
}

// textRow is one line, or several where a cell is wider than its column.
func (t Table) textRow(widths []int, cells []string) []string {
	columns := make([][]string, len(cells))
	height := 1
	for x, cell := range cells {
		columns[x] = t.textCell(x, widths[x], cell)
		height = max(height, len(columns[x]))
	}
	for x, lines := range columns {
		for len(lines) < height {
			lines = append(lines, strings.Repeat(" ", widths[x]))
		}
		columns[x] = lines
	}
	return joinColumns(columns, height)
}

// textCell leaves a cell that fits as it is, with every blank in it.
func (t Table) textCell(x, width int, cell string) []string {
	right := t.Columns[x].Figure
	if lipgloss.Width(cell) > width {
		return cellLines(word(cell), width, right, newPainter(false))
	}
	fill := strings.Repeat(" ", width-lipgloss.Width(cell))
	if right {
		return []string{fill + cell}
	}
	return []string{cell + fill}
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
