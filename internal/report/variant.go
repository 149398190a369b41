package report

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// The columns of a variant's table keep their places from variant to variant.
const (
	labelColumn  = 24
	figureColumn = 10
)

// variantSection is what was promised, what happened, and why that is not what
// was promised. single is the lesson's table for one client.
func variantSection(v variant, single bool, set []setup) section {
	s := section{heading: span{text: v.name, mark: heading, name: true}, note: claim(v.trials())}
	if slices.ContainsFunc(v.clients, client.ran) {
		s.table = variantTable(v, single)
		s.answers = answerTable(v)
	}
	s.sheets = circumstances(v, set)
	why := findings(v)
	why.apart = len(s.table.rows) > 0
	s.lists = []list{why}
	return s
}

// claim is "promise: each payment stands in the log once".
func claim(trials []evidence.Trial) phrase {
	return say(string(trials[0].Kind) + ": " + claimsOf(trials))
}

func claimsOf(trials []evidence.Trial) string {
	return strings.Join(distinct(trials, func(t evidence.Trial) string { return t.Claim }), "; ")
}

func variantTable(v variant, single bool) table {
	t := table{labelWidth: labelColumn, cellWidth: figureColumn}
	measures := comparedRows()
	if single {
		t.corner, t.columns, measures = "METRIC", []string{"VALUE"}, lessonRows()
	} else {
		t.columns = clientNames(v)
	}
	for _, m := range measures {
		if m.helps(v, m.metric) {
			t.rows = append(t.rows, countRow(v, m))
		}
	}
	if single {
		t.rows = append(t.rows, elapsedRow(v))
	}
	t.rows = append(t.rows, verdictRow(v))
	return t
}

func clientNames(v variant) []string {
	var names []string
	for _, c := range v.clients {
		names = append(names, c.name)
	}
	return names
}

func verdictRow(v variant) row {
	r := row{label: word("verdict")}
	for _, c := range v.clients {
		r.cells = append(r.cells, verdictCell(c))
	}
	return r
}

// verdictCell is "holds", over repeats "VIOLATED (1 of 3) unstable".
func verdictCell(c client) span {
	if len(c.trials) == 0 {
		return word("not run")
	}
	verdict, n := c.verdict()
	text := verdictWord(verdict)
	if len(c.trials) > 1 {
		text += fmt.Sprintf(" (%d of %d)", n, len(c.trials))
	}
	if c.unstable() {
		text += " unstable"
	}
	return span{text: text, mark: verdictMark(verdict)}
}

// findings is the anomalies that are not allowed, then every other reason why a
// client's verdict is not holds, client by client.
func findings(v variant) list {
	var l list
	for _, c := range v.clients {
		own := slices.Concat(anomalies(c), reasons(c), smallest(c))
		for i, text := range own {
			e := entry{text: text}
			if i == 0 {
				e.term = name(c.name)
			}
			l.entries = append(l.entries, e)
		}
	}
	return l
}

func reasons(c client) []phrase {
	var out []phrase
	for _, verdict := range []evidence.Verdict{evidence.Violated, evidence.Inconclusive, evidence.NotSupported} {
		var all []string
		for _, t := range c.trials {
			if t.Verdict == verdict {
				all = append(all, filter(t.Reasons, func(r string) bool { return !restated(r, t) })...)
			}
		}
		for _, reason := range distinct(all, func(s string) string { return s }) {
			n := len(filter(all, func(s string) bool { return s == reason }))
			out = append(out, phrase{verdictLabel(verdict), word(reason + inRepeats(n, c))})
		}
	}
	return out
}

// inRepeats is " (in 1 of 3 repeats)" for what not every repeat showed.
func inRepeats(n int, c client) string {
	if n >= len(c.trials) {
		return ""
	}
	return fmt.Sprintf(" (in %d of %d repeats)", n, len(c.trials))
}

// circumstances is what the variant was put through and what came of it: faults,
// the causes of what it allows, the errors that the program saw, and the settings
// that not every trial has.
func circumstances(v variant, set []setup) []sheet {
	sheets := []sheet{faultSheet(v), causeSheet(v), errorSheet(v), brokerSheet(v), noteSheet(v)}
	for _, one := range set {
		sheets = append(sheets, one.ownSheet(v))
	}
	return written(sheets...)
}

// noteSheet is what else the trials say, such as that the proxy hid an API
// version.
func noteSheet(v variant) sheet {
	return sheet{term: "notes", title: "Notes"}.tell(v, func(c client) []item {
		var notes []item
		for _, t := range c.trials {
			notes = append(notes, plain(t.Notes)...)
		}
		return unique(notes)
	})
}

// plain is sentences and nothing else.
func plain(texts []string) []item {
	var items []item
	for _, text := range texts {
		items = append(items, item{about: text, text: text})
	}
	return items
}
