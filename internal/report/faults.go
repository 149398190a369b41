package report

import (
	"fmt"
	"strings"

	"kcompare/internal/evidence"
)

func faultSheet(v variant) sheet {
	return sheet{
		term: "faults", title: "Faults",
		columns: []column{
			{name: "rule"}, {name: "fault"}, {name: "API"},
			{name: "planned", figure: true}, {name: "fired", figure: true}, {name: "collateral", figure: true},
			{name: "not applicable"},
		},
	}.tell(v, faults)
}

// faults is what became of each rule.
func faults(c client) []item {
	var rules []evidence.Fault
	for _, t := range c.trials {
		rules = append(rules, t.Faults...)
	}
	if len(rules) == 0 {
		const none = "no fault planned, by design"
		return []item{{about: none, text: none, cells: []string{none, "", "", "", "", "", ""}}}
	}
	var items []item
	for _, group := range alike(rules) {
		items = append(items, fault(group...))
	}
	return items
}

// manyRules is how many that do the same to the same API are told one by one.
const manyRules = 4

// alike is the rules, each with its repeats. Many that do the same to the same API, as
// where each cell of a matrix has one, become one.
func alike(rules []evidence.Fault) [][]evidence.Fault {
	type act struct{ kind, api, notApplicable string }
	acts := func(f evidence.Fault) act { return act{f.Kind, f.API, f.NotApplicable} }
	var groups [][]evidence.Fault
	for _, one := range distinct(rules, acts) {
		same := filter(rules, func(f evidence.Fault) bool { return acts(f) == one })
		names := distinct(same, func(f evidence.Fault) string { return f.Rule })
		if len(names) > manyRules {
			groups = append(groups, joinedRules(same, len(names)))
			continue
		}
		for _, name := range names {
			groups = append(groups, filter(same, func(f evidence.Fault) bool { return f.Rule == name }))
		}
	}
	return groups
}

// joinedRules adds up so many rules, repeat by repeat.
func joinedRules(all []evidence.Fault, rules int) []evidence.Fault {
	repeats := make([]evidence.Fault, (len(all)+rules-1)/rules)
	for i, f := range all {
		sum := &repeats[i/rules]
		sum.Rule, sum.Kind, sum.API, sum.NotApplicable = fmt.Sprintf("%d rules", rules), f.Kind, f.API, f.NotApplicable
		sum.Planned, sum.Fired, sum.Collateral = sum.Planned+f.Planned, sum.Fired+f.Fired, sum.Collateral+f.Collateral
	}
	return repeats
}

// fault is one rule over all repeats: "drop-response Produce 108 of 108 fired".
// Points that did not fire are among the reasons of the verdict, not here.
func fault(repeats ...evidence.Fault) item {
	f := repeats[0]
	text, cells := strings.TrimSpace(f.Kind+" "+f.API), []string{f.Rule, f.Kind, f.API}
	if why := f.NotApplicable; why != "" {
		return item{about: f.Rule, text: text + " not applicable: " + why, cells: append(cells, "-", "-", "-", why)}
	}
	planned := overFaults(repeats, func(f evidence.Fault) int64 { return f.Planned })
	fired := overFaults(repeats, func(f evidence.Fault) int64 { return f.Fired })
	lost := overFaults(repeats, func(f evidence.Fault) int64 { return f.Collateral })
	text += " " + firedOf(fired, planned)
	if lost.high > 0 {
		text += fmt.Sprintf(", collateral %s (of any API)", lost)
	}
	return item{about: f.Rule, text: text, cells: append(cells, planned.String(), fired.String(), lost.String(), "")}
}

func firedOf(fired, planned interval) string {
	switch {
	case planned.high == 0 && fired.high > 0: // a rule without bounds plans nothing
		return fmt.Sprintf("%s fired", fired)
	case fired.high > planned.high: // a client tried more often than it was told to
		return fmt.Sprintf("%s fired, %s planned", fired, planned)
	}
	return fmt.Sprintf("%s of %s fired", fired, planned)
}

func overFaults(repeats []evidence.Fault, figure func(evidence.Fault) int64) interval {
	var figures []int64
	for _, f := range repeats {
		figures = append(figures, figure(f))
	}
	return over(figures)
}
