package report

import "slices"

// longRun is from how many scenarios on a report gives an overview.
const longRun = 3

// widestVariant is more than a question may be: names are looked for by their ends.
const widestVariant = 52

// overview is the verdicts of a run that is too long to be seen at a glance.
func overview(all []scenario) section {
	if len(all) < longRun {
		return section{}
	}
	return section{heading: span{text: "Verdicts", mark: heading}, note: say("of every trial"), table: verdicts(all, false)}
}

// verdicts is the verdict of every trial, a line for each variant.
func verdicts(all []scenario, claims bool) table {
	clients := clientsOf(all)
	t := verdictTable(all, claims, clients, func(v variant) []span {
		var cells []span
		for _, name := range clients {
			cells = append(cells, verdictCell(v.client(name)))
		}
		return cells
	})
	if len(t.grouped().columns)-t.fixed > mostColumns {
		t = verdictTable(all, claims, []string{"verdict"}, func(v variant) []span { return []span{verdictsInWords(v)} })
	}
	return t
}

func verdictTable(all []scenario, claims bool, columns []string, cells func(variant) []span) table {
	about := []string{"kind"}
	if claims {
		about = append(about, "claim")
	}
	t := table{corner: "VARIANT", columns: slices.Concat(about, columns), fixed: len(about), words: true, upright: true, labelMost: widestVariant}
	for _, s := range all {
		if len(all) > 1 {
			t.rows = append(t.rows, row{label: span{text: s.name, mark: heading, name: true}, cells: make([]span, len(t.columns))})
		}
		for _, v := range s.variants {
			own := []span{word(string(v.trials()[0].Kind))}
			if claims {
				own = append(own, word(claimsOf(v.trials())))
			}
			t.rows = append(t.rows, row{label: name(v.name), cells: append(own, cells(v)...)})
		}
	}
	return t
}

// verdictsInWords is "holds", or "kafkajs VIOLATED, the other eight holds". It looks like
// the worst of them.
func verdictsInWords(v variant) span {
	var shares []share
	for _, c := range v.clients {
		shares = append(shares, share{c.name, verdictCell(c).text})
	}
	worst, _ := client{trials: v.trials()}.verdict()
	told, differ := compare(shares, len(v.clients))
	if !differ {
		told = shares[0].text
	}
	return span{text: told, mark: verdictMark(worst)}
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
