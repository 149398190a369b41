package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"kcompare/internal/diff"
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// TextDiff writes for a terminal what changed between two documents. The error is the
// writer's.
func TextDiff(w io.Writer, doc diff.Document, opts TextOptions) error {
	if _, err := io.WriteString(w, layOut(said(diffPage(doc), opts.In), opts)); err != nil {
		return fmt.Errorf("write what changed: %w", err)
	}
	return nil
}

// MarkdownDiff writes the same as GitHub flavoured markdown. The error is the writer's.
func MarkdownDiff(w io.Writer, doc diff.Document, in lang.Printer) error {
	if _, err := io.WriteString(w, layOutMarkdown(said(diffPage(doc), in))); err != nil {
		return fmt.Errorf("write what changed: %w", err)
	}
	return nil
}

// arrow stands between what was and what is.
const arrow = "→"

// inMany is in how many trials a change is before it is told once for all of them.
const inMany = 4

func diffPage(doc diff.Document) page {
	p := page{
		title:   facts{{text: "kcompare report --diff", mark: heading}, word(changed("broker", doc.Old.Broker.Kind, doc.New.Broker.Kind)), word(changed("seed", fmt.Sprint(doc.Old.Seed), fmt.Sprint(doc.New.Seed)))},
		clients: diffClients(doc),
		sum:     diffSum(doc),
	}
	for _, s := range []section{
		{heading: span{text: "Not the same experiment", mark: doubtful}, lists: []list{bulleted(doc.Notes)}},
		{heading: span{text: "Changed", mark: heading}, parts: changedTrials(doc)},
		{heading: span{text: "Changed alike in many trials", mark: heading}, lists: []list{changedAlike(doc)}},
		{heading: span{text: "Requests", mark: heading}, note: say("that a client began or ceased to make, over all its trials"), lists: []list{changedRequests(doc)}},
		{heading: span{text: "May be chance", mark: heading}, note: say("rare, in trials that the seed does not repeat"), lists: []list{byChance(doc)}},
		{heading: span{text: "Could not be compared", mark: doubtful}, lists: []list{unclear(doc)}},
		{heading: span{text: "Only in the old one", mark: doubtful}, lists: []list{onlyIn(doc.OnlyOld)}},
		{heading: span{text: "Only in the new one", mark: heading}, lists: []list{onlyIn(doc.OnlyNew)}},
	} {
		if len(s.parts) > 0 || len(s.lists) > 0 && len(s.lists[0].entries) > 0 {
			p.sections = append(p.sections, s)
		}
	}
	return p
}

// changed is "seed 1", or "seed 1 → 2".
func changed(what, old, new string) string {
	if old == new {
		return strings.TrimSpace(what + " " + old)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", what, old, arrow, new))
}

func diffClients(doc diff.Document) list {
	var l list
	for _, c := range doc.Clients {
		l.entries = append(l.entries, entry{term: word(changed("", c.Old, c.New)), text: say(changed("", c.OldLibrary, c.NewLibrary))})
	}
	return l
}

func bulleted(texts []string) list {
	var l list
	for _, text := range texts {
		l.entries = append(l.entries, entry{text: say(text)})
	}
	return l
}

// shared is in how many trials of a client a change is.
type shared struct {
	client string
	change diff.Change
}

func sharedBy(doc diff.Document) map[shared]int {
	all := map[shared]int{}
	for _, t := range doc.Trials {
		for _, c := range t.Changes {
			all[shared{trialClient(t), c}]++
		}
	}
	return all
}

func trialClient(t diff.Trial) string { return changed("", t.OldClient, t.NewClient) }

// changedTrials has a part for each trial, without what many trials share.
func changedTrials(doc diff.Document) []section {
	common := sharedBy(doc)
	var parts []section
	for _, t := range doc.Trials {
		own := filter(t.Changes, func(c diff.Change) bool { return common[shared{trialClient(t), c}] < inMany || c.What == diff.Verdict })
		if len(own) == 0 {
			continue
		}
		part := section{
			heading: span{text: t.Scenario + " " + t.Variant + ", " + trialClient(t), mark: heading},
			note:    say(string(t.Kind)), lists: []list{{}},
		}
		for _, c := range own {
			part.lists[0].entries = append(part.lists[0].entries, entry{term: word(string(c.What)), text: changeText(c)})
		}
		parts = append(parts, part)
	}
	return parts
}

// changeText is "lost: 0 → 51", "linger.ms: "0" → (not there)".
func changeText(c diff.Change) phrase {
	if c.What == diff.Verdict {
		old, new := evidence.Verdict(c.Old), evidence.Verdict(c.New)
		return phrase{{text: verdictWord(old), mark: verdictMark(old)}, word(arrow), {text: verdictWord(new), mark: verdictMark(new)}}
	}
	text := fmt.Sprintf("%s %s", there(c.Old), arrow+glue+there(c.New))
	switch {
	case c.What == diff.Difference && c.New == "":
		return say("no longer: " + c.Name)
	case c.What == diff.Difference:
		return say("new: " + c.Name)
	}
	return say(c.Name + ": " + text)
}

func there(text string) string {
	if text == "" {
		return "(not there)"
	}
	return text
}

// changedAlike is the changes that many trials of a client share.
func changedAlike(doc diff.Document) list {
	common := sharedBy(doc)
	trials := map[string]int{}
	var all []shared
	for _, t := range doc.Trials {
		trials[trialClient(t)]++
		for _, c := range t.Changes {
			if s := (shared{trialClient(t), c}); common[s] >= inMany && c.What != diff.Verdict && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	var l list
	for _, s := range all {
		text := append(phrase{word(s.client + ", " + string(s.change.What))}, changeText(s.change)...)
		l.entries = append(l.entries, entry{text: append(text, word(fmt.Sprintf("(in %d of %d trials)", common[s], trials[s.client])))})
	}
	return l
}

func changedRequests(doc diff.Document) list {
	var l list
	for _, c := range doc.Clients {
		for i, change := range c.Changes {
			e := entry{text: changeText(change)}
			if i == 0 {
				e.term = word(changed("", c.Old, c.New))
			}
			l.entries = append(l.entries, e)
		}
	}
	return l
}

// byChance is what nobody should call a change on the strength of one run.
func byChance(doc diff.Document) list {
	var l list
	for _, t := range doc.Trials {
		for _, c := range t.Chance {
			text := append(phrase{word(t.Scenario + " " + t.Variant + ", " + trialClient(t) + ": " + string(c.What))}, changeText(c)...)
			l.entries = append(l.entries, entry{text: text})
		}
	}
	return l
}

func unclear(doc diff.Document) list {
	var l list
	for _, t := range doc.Trials {
		for _, why := range t.Unclear {
			l.entries = append(l.entries, entry{text: say(t.Scenario + " " + t.Variant + ", " + trialClient(t) + ": " + why)})
		}
	}
	return l
}

// onlyIn names trials by scenario and client, with their variants.
func onlyIn(all []diff.Name) list {
	var l list
	of := func(n diff.Name) string { return n.Scenario + " on " + n.Client }
	for _, name := range distinct(all, of) {
		var variants []string
		for _, n := range all {
			if of(n) == name {
				variants = append(variants, n.Variant)
			}
		}
		l.entries = append(l.entries, entry{text: say(name + ": " + strings.Join(variants, " · "))})
	}
	return l
}

// diffSum is "1 of 12 trials changed · 10 are the same · 1 could not be compared".
func diffSum(doc diff.Document) facts {
	count := func(r diff.Result) int {
		return len(filter(doc.Trials, func(t diff.Trial) bool { return t.Result == r }))
	}
	began := len(filter(doc.Clients, func(c diff.Client) bool { return len(c.Changes) > 0 }))
	f := facts{{text: fmt.Sprintf("%d of %d trials changed", count(diff.Changed), len(doc.Trials)), mark: bad}}
	if count(diff.Changed) == 0 {
		f[0].mark = ordinary
		if count(diff.Unclear) == 0 && began == 0 && len(doc.OnlyOld) == 0 {
			f = facts{{text: "nothing changed", mark: good}}
		}
	}
	f = append(f, word(fmt.Sprintf("%d are the same", count(diff.Same))))
	if n := count(diff.Unclear); n > 0 {
		f = append(f, span{text: fmt.Sprintf("%d could not be compared", n), mark: doubtful})
	}
	if began > 0 {
		f = append(f, span{text: fmt.Sprintf("requests changed of %s", over([]int64{int64(began)}).plural("client")), mark: bad})
	}
	for _, only := range []struct {
		side string
		n    int
	}{{"old", len(doc.OnlyOld)}, {"new", len(doc.OnlyNew)}} {
		if only.n > 0 {
			f = append(f, word(fmt.Sprintf("%d only in the %s one", only.n, only.side)))
		}
	}
	return f
}
