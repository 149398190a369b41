package report

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// illustrated is the page of a document with what only a layout with links, folds and
// pictures makes use of. The verdicts stand on top of it: whoever wants to know more
// follows them.
func illustrated(doc evidence.Document, wires Wires) page {
	p, all := build(doc), scenarios(doc.Trials)
	wires, left := wires.chosen(doc.Trials, mostWires)
	for i, s := range all {
		p.sections[i].anchor = anchor(i)
		for j, v := range s.variants {
			p.sections[i].bars = append(p.sections[i].bars, variantBarsOf(v, anchor(i, j)))
			p.sections[i].parts[j].illustrate(v, anchor(i, j), len(all) >= longRun, wires)
		}
	}
	stories, rest := p.sections[:len(all)], p.sections[len(all):]
	if len(overview(all).table.rows) > 0 {
		rest = rest[1:] // it stands behind the stories, for a reader who scrolls back
	}
	numbered(rest)
	if len(all) > 0 {
		top := linkedVerdicts(all)
		if left > 0 {
			top.text = say(fmt.Sprintf("The wire over time is drawn for %d trials, those that went wrong first; %d others are left out.", len(wires), left))
		}
		p.sections = slices.Concat([]section{top}, stories, rest)
	}
	return p
}

// numbered gives sections that are no story's an anchor.
func numbered(all []section) {
	for i := range all {
		all[i].anchor = fmt.Sprintf("part%d", i+1)
		all[i].table.caption = "Requests by API" // no other of them has a table
	}
}

// illustrate adds to the section of a variant. In a long run one that went as promised
// is folded.
func (s *section) illustrate(v variant, anchor string, long bool, wires Wires) {
	s.anchor, s.folds, s.folded = anchor, true, long && v.asPromised()
	s.badges = phrase{verdictsInWords(v)}
	s.table.caption, s.answers.caption = "What was counted", "What was found out"
	s.wires = wires.of(v)
}

// asPromised says whether nobody has to look into it.
func (v variant) asPromised() bool {
	return !slices.ContainsFunc(v.trials(), func(t evidence.Trial) bool { return needs(t) > 0 })
}

// linkedVerdicts is the overview, each of whose rows leads to its variant.
func linkedVerdicts(all []scenario) section {
	s := section{heading: span{text: "Verdicts", mark: heading}, anchor: "verdicts", table: verdicts(all, false)}
	s.table.caption = "The verdict of every trial"
	y := 0
	for i := range all {
		if len(all) > 1 {
			y++ // the scenario's own row
		}
		for j := range all[i].variants {
			s.table.rows[y].target = anchor(i, j)
			y++
		}
	}
	return s
}

// anchor is where a link leads to a scenario, or to a variant of it. Names may hold
// anything, so it is made of numbers.
func anchor(scenario int, variant ...int) string {
	name := fmt.Sprintf("s%d", scenario+1)
	for _, n := range variant {
		name += fmt.Sprintf("v%d", n+1)
	}
	return name
}
