package report

import (
	"fmt"
	"slices"
)

// sheet is rows of one kind, such as the faults of a variant. Each row is there
// twice, as a sentence and as cells: text reads it, markdown draws a table.
type sheet struct {
	term    string // names it in a column of terms
	title   string // names it in a line of its own
	columns []column
	items   []item
	alike   bool // of several clients, and true of each of them
	flows   bool // the sentences are so short that they share a line
}

// column is one cell of every item. A sheet without columns has sentences only.
type column struct {
	name   string
	figure bool // stands to the right
	code   bool // names and values that a reader copies
}

// item is a row of a sheet.
type item struct {
	client string // empty where it is not about one client alone
	about  string // what items of several clients have in common that stand together
	text   string
	cells  []string
}

// tell makes the sheet of a variant: what is the same for every client that did
// anything is told once, the rest client by client, so that what is about the same
// thing stands together.
func (s sheet) tell(v variant, of func(client) []item) sheet {
	ran := filter(v.clients, client.ran)
	own := map[string][]item{}
	var all []item
	for _, c := range ran {
		own[c.name] = of(c)
		all = append(all, own[c.name]...)
	}
	s.alike = len(ran) > 1
	for _, about := range distinct(all, func(i item) string { return i.about }) {
		items := together(ran, about, own)
		s.items = append(s.items, items...)
		s.alike = s.alike && !slices.ContainsFunc(items, func(i item) bool { return i.client != "" })
	}
	return s
}

// together is the items about one thing: once where all clients share them, otherwise
// group by group, those that have the same.
func together(ran []client, about string, own map[string][]item) []item {
	of := func(name string) []item { return filter(own[name], func(i item) bool { return i.about == about }) }
	var shares []share
	silent := false
	for _, c := range ran {
		items := of(c.name)
		silent = silent || len(items) == 0
		shares = append(shares, share{c.name, fmt.Sprint(items)})
	}
	all := groups(shares, len(ran))
	called := names(all, len(ran))
	if silent { // a group that nothing is told of is not named, and there are no others then
		called = names(all, len(ran)+1)
	}
	var items []item
	for n, g := range all {
		for _, one := range of(g.clients[0]) {
			if len(all) > 1 {
				one.client = called[n]
			}
			items = append(items, one)
		}
	}
	return items
}

func (i item) equal(other item) bool {
	return i.client == other.client && i.text == other.text && slices.Equal(i.cells, other.cells)
}

// unique is items, each once.
func unique(items []item) []item {
	var out []item
	for _, one := range items {
		if !slices.ContainsFunc(out, one.equal) {
			out = append(out, one)
		}
	}
	return out
}

// written leaves out sheets with nothing on them.
func written(sheets ...sheet) []sheet {
	return filter(sheets, func(s sheet) bool { return len(s.items) > 0 })
}

// sentences is the sheets as one list of sentences.
func sentences(sheets []sheet) list {
	var l list
	for _, s := range sheets {
		for i, text := range s.lines() {
			e := entry{text: say(text)}
			if i == 0 {
				e.term = word(s.term)
			}
			l.entries = append(l.entries, e)
		}
	}
	return l
}

// lines is a sentence for each item, or for each client where they share a line.
func (s sheet) lines() []string {
	var all []string
	for i, one := range s.items {
		switch {
		case s.flows && i > 0 && s.items[i-1].client == one.client:
			all[len(all)-1] += " " + one.text
		case one.client != "":
			all = append(all, one.client+": "+one.text)
		default:
			all = append(all, one.text)
		}
	}
	return all
}
