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
func variantSection(v variant, single bool, common map[string]string) section {
	s := section{heading: span{text: v.name, mark: heading}, note: claim(v.trials())}
	if slices.ContainsFunc(v.trials(), counted) {
		s.table = variantTable(v, single)
	}
	why := findings(v)
	why.apart = len(s.table.rows) > 0
	s.lists = append(s.lists, circumstances(v, common), why)
	return s
}

// claim is "promise: each payment stands in the log once".
func claim(trials []evidence.Trial) phrase {
	claims := distinct(trials, func(t evidence.Trial) string { return t.Claim })
	return say(string(trials[0].Kind) + ": " + strings.Join(claims, "; "))
}

func counted(t evidence.Trial) bool {
	return t.Verdict != evidence.NotSupported
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
		own := append(anomalies(c), reasons(c)...)
		for i, text := range own {
			e := entry{text: text}
			if i == 0 {
				e.term = word(c.name)
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
				all = append(all, filter(t.Reasons, func(r string) bool { return !restates(r, c) })...)
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
func circumstances(v variant, common map[string]string) list {
	return list{entries: slices.Concat(
		sameOrByClient(v, "faults", faults),
		sameOrByClient(v, "causes", causes),
		sameOrByClient(v, "errors", errorLines),
		sameOrByClient(v, "notes", notes),
		sameOrByClient(v, "settings", func(c client) []string { return ownSettings(c, common) }),
	)}
}

// notes is what else the trial says, such as that the proxy hid an API version.
func notes(c client) []string {
	var all []string
	for _, t := range c.trials {
		all = append(all, t.Notes...)
	}
	return distinct(all, func(note string) string { return note })
}

// sameOrByClient tells once what is the same for every client that was run,
// otherwise client by client.
func sameOrByClient(v variant, term string, tell func(client) []string) []entry {
	ran := filter(v.clients, func(c client) bool { return slices.ContainsFunc(c.trials, counted) })
	told := distinct(ran, func(c client) string { return strings.Join(tell(c), "\n") })
	var l []entry
	for _, c := range ran {
		for _, line := range tell(c) {
			if len(told) > 1 {
				line = c.name + ": " + line
			}
			l = append(l, entry{text: say(line)})
		}
		if len(told) == 1 {
			break
		}
	}
	if len(l) > 0 {
		l[0].term = word(term)
	}
	return l
}
