package report

// longRun is from how many scenarios on a report gives an overview.
const longRun = 3

// widestVariant is more than a question may be: names are looked for by their ends.
const widestVariant = 52

// overview is the verdict of every trial, for a run that is too long to be seen at a
// glance.
func overview(all []scenario) section {
	if len(all) < longRun {
		return section{}
	}
	clients := clientsOf(all)
	t := table{corner: "VARIANT", columns: append([]string{"kind"}, clients...), words: true, upright: true, labelMost: widestVariant}
	for _, s := range all {
		t.rows = append(t.rows, row{label: span{text: s.name, mark: heading}, cells: make([]span, len(t.columns))})
		for _, v := range s.variants {
			r := row{label: word(v.name), cells: []span{word(string(v.trials()[0].Kind))}}
			for _, name := range clients {
				r.cells = append(r.cells, verdictCell(v.client(name)))
			}
			t.rows = append(t.rows, r)
		}
	}
	return section{heading: span{text: "Verdicts", mark: heading}, note: say("of every trial"), table: t}
}

func clientsOf(all []scenario) []string {
	var names []string
	for _, s := range all {
		for _, v := range s.variants {
			names = append(names, clientNames(v)...)
		}
	}
	return distinct(names, func(name string) string { return name })
}

// client is what one of that name did, nothing where it was not run.
func (v variant) client(name string) client {
	for _, c := range v.clients {
		if c.name == name {
			return c
		}
	}
	return client{name: name}
}
