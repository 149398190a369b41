package report

import "fmt"

// requests is what each client sent, by API, summed over the variants that can be
// compared; where there are none, or there is nobody to compare with, over all.
func requests(all []scenario, clients int) section {
	kept, every := comparableVariants(all, clients)
	which := "over all trials"
	switch {
	case clients == 1 || len(kept) == 0:
		kept = nil
		for _, s := range all {
			kept = append(kept, s.variants...)
		}
		if clients > 1 {
			which += ", which cannot be compared"
		}
	case !every:
		which = "over the variants that every client finished"
	}
	return section{
		heading: span{text: "Requests", mark: heading},
		note:    say("by API, " + which),
		table:   requestTable(requestTotals(kept)),
		aside:   true,
	}
}

// requestTable leaves out a client that sent nothing: it was not run.
func requestTable(totals []sent) table {
	t := table{corner: "API", cellWidth: figureColumn, upright: true}
	totals = filter(totals, func(s sent) bool { return len(s.requests) > 0 })
	if len(totals) > mostColumns {
		t.cellWidth = 0 // as wide as names and figures are, so that more of them share a line
	}
	for _, one := range totals {
		t.columns = append(t.columns, one.client)
	}
	for _, api := range apis(totals) {
		r := row{label: name(api)}
		for _, one := range totals {
			r.cells = append(r.cells, word(fmt.Sprint(one.requests[api])))
		}
		t.rows = append(t.rows, r)
	}
	return t
}
