package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// unstable lists the trials that did not come to the same in all repeats, and in what.
func unstable(all []scenario) section {
	var l list
	for _, s := range all {
		for _, v := range s.variants {
			for _, c := range v.clients {
				if c.unstable() {
					l.entries = append(l.entries, entry{text: say(s.name + " " + v.name + ", " + c.name + ": " + strings.Join(unlike(c), "; "))})
				}
			}
		}
	}
	if len(l.entries) == 0 {
		return section{}
	}
	return section{
		heading: span{text: "Unstable", mark: doubtful},
		note:    say("not the same in all repeats"),
		lists:   []list{l},
	}
}

// unlike is what differs between the repeats of a client.
func unlike(c client) []string {
	var out []string
	if verdicts := distinct(c.trials, func(t evidence.Trial) string { return verdictWord(t.Verdict) }); len(verdicts) > 1 {
		out = append(out, "verdict "+strings.Join(verdicts, " or "))
	}
	for _, q := range questions(variant{clients: []client{c}}) {
		if given, _ := answersOf(c, q.text); len(given) > 1 && !q.measured {
			out = append(out, q.text+": "+strings.Join(given, " or "))
		}
	}
	return append(out, unlikeCounts(c)...)
}

// unlikeCounts is empty where counts need not repeat.
func unlikeCounts(c client) []string {
	if !slices.ContainsFunc(c.trials, func(t evidence.Trial) bool { return t.Repeats }) {
		return nil
	}
	var out []string
	for _, m := range evidence.Metrics() {
		if n, known := c.count(m); known && n.low != n.high {
			out = append(out, string(m)+" "+n.String())
		}
	}
	for _, what := range []struct {
		name string
		text func(evidence.Trial) string
	}{{"anomalies", anomalyText}, {"faults", faultText}} {
		if texts := distinct(c.trials, what.text); len(texts) > 1 && len(out) == 0 {
			out = append(out, what.name+": "+strings.Join(texts, " or "))
		}
	}
	return out
}

func anomalyText(t evidence.Trial) string {
	var all []string
	for _, a := range t.Anomalies {
		all = append(all, a.String())
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

func faultText(t evidence.Trial) string {
	var all []string
	for _, f := range t.Faults {
		all = append(all, fmt.Sprintf("%s %d of %d", f.Rule, f.Fired, f.Planned))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}
