package report

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// build says what a document says.
func build(doc evidence.Document) page {
	all := scenarios(doc.Trials)
	p := page{
		title:   title(doc, all),
		clients: software(doc),
		sum:     sum(doc),
		again:   doc.Again,
	}
	clients := len(distinct(doc.Trials, clientName))
	set := setups(doc.Trials)
	for _, s := range all {
		p.sections = append(p.sections, scenarioSection(s, clients == 1, set))
	}
	if s := overview(all); len(s.table.rows) > 0 {
		p.sections = append(p.sections, s)
	}
	if s := unstable(all); len(s.lists) > 0 {
		p.sections = append(p.sections, s)
	}
	if clients > 1 {
		p.sections = append(p.sections, differences(all, clients))
	}
	if s := requests(all, clients); len(s.table.rows) > 0 {
		p.sections = append(p.sections, s)
	}
	if s := settings(doc.Trials, set); len(s.sheets) > 0 {
		p.sections = append(p.sections, s)
	}
	return p
}

func clientName(t evidence.Trial) string { return t.Client }

// mostNamed is how many scenarios a title names.
const mostNamed = 8

// title is "kcompare run idempotent · embedded broker, 3 nodes · seed 1".
func title(doc evidence.Document, all []scenario) facts {
	command := []string{"kcompare", doc.Command}
	for _, s := range all {
		command = append(command, s.name)
	}
	if len(all) > mostNamed {
		command = append(command[:2], fmt.Sprintf("%d scenarios", len(all)))
	}
	broker := doc.Broker.Kind + " broker"
	if doc.Broker.Nodes > 0 {
		broker += ", " + over([]int64{int64(doc.Broker.Nodes)}).plural("node")
	}
	return facts{
		{text: strings.Join(command, " "), mark: heading, name: len(all) <= mostNamed},
		word(broker),
		word(fmt.Sprintf("seed %d", doc.Seed)),
	}
}

// software lists what takes part, with exact versions.
func software(doc evidence.Document) list {
	l := libraries(doc.Trials)
	if doc.Broker.Software != "" {
		l.entries = append(l.entries, entry{term: word("broker"), text: phrase{name(doc.Broker.Software)}})
	}
	if doc.Kcompare != "" {
		l.entries = append(l.entries, entry{term: word("kcompare"), text: phrase{name(doc.Kcompare)}})
	}
	return l
}

// libraries lists every client with the exact library behind it. Evidence of
// several runs may hold two versions of one.
func libraries(trials []evidence.Trial) list {
	var l list
	for _, client := range distinct(trials, clientName) {
		own := filter(trials, func(t evidence.Trial) bool { return t.Client == client })
		for _, library := range distinct(own, func(t evidence.Trial) string { return t.Library }) {
			l.entries = append(l.entries, entry{term: name(client), text: phrase{name(library)}})
		}
	}
	return l
}

// scenarioSection tells the story once where all variants share it, otherwise
// at each variant.
func scenarioSection(s scenario, single bool, set []setup) section {
	out := section{heading: span{text: s.name, mark: heading, name: true}}
	var trials []evidence.Trial
	for _, v := range s.variants {
		trials = append(trials, v.trials()...)
	}
	stories := distinct(trials, story)
	if len(stories) == 1 {
		out.note = say(stories[0])
	}
	for _, v := range s.variants {
		part := variantSection(v, single, set)
		if len(stories) > 1 {
			part.text = say(strings.Join(distinct(v.trials(), story), " "))
		}
		out.parts = append(out.parts, part)
	}
	return out
}

func story(t evidence.Trial) string { return t.About }

func kindOf(doc evidence.Document, kind evidence.Kind) bool {
	return slices.ContainsFunc(doc.Trials, func(t evidence.Trial) bool { return t.Kind == kind })
}

// sum is "6 of 8 trials hold · 1 VIOLATED · 1 inconclusive · 5.1 s".
func sum(doc evidence.Document) facts {
	tally := map[evidence.Verdict]int{}
	for _, t := range doc.Trials {
		tally[t.Verdict]++
	}
	hold := word(fmt.Sprintf("%d of %d trials hold", tally[evidence.Holds], len(doc.Trials)))
	if tally[evidence.Holds] == len(doc.Trials) {
		hold.mark = good
	}
	f := facts{hold}
	for _, v := range []evidence.Verdict{evidence.Violated, evidence.Inconclusive, evidence.NotSupported} {
		if n := tally[v]; n > 0 {
			f = append(f, span{text: fmt.Sprintf("%d %s", n, verdictWord(v)), mark: verdictMark(v)})
		}
	}
	if kindOf(doc, evidence.Promise) && !kindOf(doc, evidence.Control) {
		f = append(f, span{text: "no negative control in this run", mark: doubtful})
	}
	if doc.Unfinished > 0 {
		f = append(f, span{text: fmt.Sprintf("interrupted, %d trials were not finished", doc.Unfinished), mark: doubtful})
	}
	return append(f, word(fmt.Sprintf("%.1f s", float64(doc.ElapsedMS)/1000)))
}
