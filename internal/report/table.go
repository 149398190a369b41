package report

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// table is figures by row and column. The last row stays last when it turns.
type table struct {
	caption string // for layouts that name their tables
	corner  string // above the labels
	columns []string
	rows    []row

	labelWidth int // at least
	cellWidth  int // at least

	fixed   int  // so many of the columns, the first ones, are no client's
	upright bool // it has more rows than a line has columns, so it never turns
	words   bool // its cells are words, which stand to the left and may be longer

	labelMost, cellMost int // of words: what is wider is broken into lines; 0: widestQuestion, widestAnswer
}

// row is a label and a cell for each column.
type row struct {
	label  span
	cells  []span
	target string // where a layout with links leads from the label
}

const (
	columnGap   = 2
	widestLabel = 28 // anything wider is broken into lines
	widestCell  = 18
	mostColumns = 4 // more of them are easier to read as rows

	widestQuestion = 44 // the label of words
	widestAnswer   = 40 // a cell of words
	leastAnswer    = 16 // neither is made narrower to save the table from being cut
	leastQuestion  = 24
)

// widest is how wide a label and a cell get before they are broken into lines.
func (t table) widest() (label, cell int) {
	if t.words {
		return cmp.Or(t.labelMost, widestQuestion), cmp.Or(t.cellMost, widestAnswer)
	}
	return widestLabel, widestCell
}

// narrowed breaks words into more lines, so that all clients stand side by side.
func (t table) narrowed(width int) table {
	for t.cellMost = widestAnswer; t.width() > width && t.cellMost > leastAnswer; t.cellMost-- {
	}
	for t.labelMost = cmp.Or(t.labelMost, widestQuestion); t.width() > width && t.labelMost > leastQuestion; t.labelMost-- {
	}
	return t
}

// fit is the table as it is, or turned where that reads better, in as many
// pieces as the width asks for.
func (t table) fit(width int) []table {
	if !t.upright && (len(t.columns) > mostColumns || t.width() > width) {
		t = t.turned()
	}
	if t.words {
		t = t.grouped().narrowed(width)
	}
	return t.split(width)
}

// turned has the columns as rows and the rows as columns.
func (t table) turned() table {
	out := table{corner: t.corner, cellWidth: 6}
	for _, r := range t.rows {
		out.columns = append(out.columns, r.label.text)
	}
	for i, name := range t.columns {
		r := row{label: word(name)}
		for _, from := range t.rows {
			r.cells = append(r.cells, from.cells[i])
		}
		out.rows = append(out.rows, r)
	}
	return out
}

// split cuts the table between columns into the fewest pieces that fit, of about
// the same size; every piece repeats the labels.
func (t table) split(width int) []table {
	for n := 1; ; n++ {
		pieces := t.pieces(n)
		fits := !slices.ContainsFunc(pieces, func(p table) bool { return p.width() > width })
		if fits || n >= len(t.columns) {
			return pieces
		}
	}
}

func (t table) pieces(n int) []table {
	size := (len(t.columns) + n - 1) / n
	var pieces []table
	for from := 0; from < len(t.columns); from += size {
		pieces = append(pieces, t.slice(from, min(from+size, len(t.columns))))
	}
	return pieces
}

func (t table) slice(from, to int) table {
	out := t
	out.columns = t.columns[from:to]
	out.rows = nil
	for _, r := range t.rows {
		out.rows = append(out.rows, row{label: r.label, cells: r.cells[from:to], target: r.target})
	}
	return out
}

func (t table) width() int {
	label, cells := t.widths()
	sum := label
	for _, w := range cells {
		sum += columnGap + w
	}
	return sum
}

// widths makes room for every cell and for the longest word of each heading: a
// heading of several words may stand on several lines.
func (t table) widths() (label int, cells []int) {
	mostLabel, mostCell := t.widest()
	label = max(t.labelWidth, lipgloss.Width(t.corner))
	for _, r := range t.rows {
		label = max(label, min(lipgloss.Width(r.label.text), mostLabel))
	}
	for i, name := range t.columns {
		width := t.cellWidth
		for _, w := range strings.Fields(name) {
			width = max(width, min(lipgloss.Width(w), mostCell))
		}
		for _, r := range t.rows {
			width = max(width, min(lipgloss.Width(r.cells[i].text), mostCell))
		}
		cells = append(cells, width)
	}
	return label, cells
}

// lines lays the table out: labels and words to the left, figures to the right.
func (t table) lines(paint painter) []string {
	label, widths := t.widths()
	head := row{label: word(t.corner)}
	for _, name := range t.columns {
		head.cells = append(head.cells, word(name))
	}
	out := head.lines(label, widths, !t.words, paint, true)
	for _, r := range t.rows {
		out = append(out, r.lines(label, widths, !t.words, paint, false)...)
	}
	return out
}

// lines is one line as a rule, more where a cell is broken. Headings stand on
// their figures, so they are filled from above.
func (r row) lines(label int, widths []int, right bool, paint painter, fromAbove bool) []string {
	columns := [][]string{cellLines(r.label, label, false, paint)}
	for i, c := range r.cells {
		columns = append(columns, cellLines(c, widths[i], right, paint))
	}
	height := 0
	for _, c := range columns {
		height = max(height, len(c))
	}
	for i, width := range append([]int{label}, widths...) {
		empty := slices.Repeat([]string{strings.Repeat(" ", width)}, height-len(columns[i]))
		if fromAbove {
			columns[i] = slices.Concat(empty, columns[i])
		} else {
			columns[i] = slices.Concat(columns[i], empty)
		}
	}
	return joinColumns(columns, height)
}

func joinColumns(columns [][]string, height int) []string {
	lines := make([]string, height)
	for y := range lines {
		var cells []string
		for _, c := range columns {
			cells = append(cells, c[y])
		}
		lines[y] = strings.Join(cells, strings.Repeat(" ", columnGap))
	}
	return lines
}

// cellLines breaks a cell to the width of its column and fills it up.
func cellLines(c span, width int, right bool, paint painter) []string {
	var lines []string
	for _, line := range wrap(phrase{c}, width) {
		fill := strings.Repeat(" ", max(0, width-line.width()))
		if right {
			lines = append(lines, fill+line.paint(paint))
		} else {
			lines = append(lines, line.paint(paint)+fill)
		}
	}
	return lines
}
