package report

import (
	"slices"
	"strings"
)

// manyClients is from how many on columns that are the same become one.
const manyClients = 4

// grouped is the table with one column for all clients whose cells are the same in
// every row. Few columns stay as they are: side by side they are seen at a glance.
func (t table) grouped() table {
	if len(t.columns)-t.fixed < manyClients {
		return t
	}
	out := t
	out.columns, out.rows = nil, nil
	all := t.alike()
	for _, g := range all {
		var named []string
		for _, x := range g {
			named = append(named, t.columns[x])
		}
		out.columns = append(out.columns, strings.Join(named, ", "))
	}
	for _, r := range t.rows {
		short := row{label: r.label, target: r.target}
		for _, g := range all {
			short.cells = append(short.cells, r.cells[g[0]])
		}
		out.rows = append(out.rows, short)
	}
	return out
}

// alike is the columns in groups that have the same cells, each in the place of its
// first column. Those that are no client's stay alone.
func (t table) alike() [][]int {
	var all [][]int
	for x := range t.columns {
		i := slices.IndexFunc(all, func(g []int) bool { return min(x, g[0]) >= t.fixed && t.same(x, g[0]) })
		if i < 0 {
			all = append(all, []int{x})
		} else {
			all[i] = append(all[i], x)
		}
	}
	return all
}

func (t table) same(x, y int) bool {
	return !slices.ContainsFunc(t.rows, func(r row) bool { return r.cells[x] != r.cells[y] })
}
