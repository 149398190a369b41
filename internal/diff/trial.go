package diff

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// compareTrial holds what a trial came to on one side against the other. Where one of
// them showed nothing there is nothing to compare.
func compareTrial(p pair, l limits) Trial {
	t := Trial{
		Scenario: p.new[0].Scenario, Variant: p.new[0].Variant, Kind: p.new[0].Kind,
		OldClient: p.old[0].Client, NewClient: p.new[0].Client, Changes: []Change{}, Chance: []Change{}, Unclear: []string{},
	}
	if reason := p.nothingShown(); reason != "" {
		t.Unclear = append(t.Unclear, reason)
	} else {
		t.compare(p, l)
	}
	switch {
	case len(t.Changes) > 0:
		t.Result = Changed
	case len(t.Unclear) > 0:
		t.Result = Unclear
	default:
		t.Result = Same
	}
	return t
}

// nothingShown says which side is inconclusive, in every repeat, and why.
func (p pair) nothingShown() string {
	var out []string
	for _, one := range []struct {
		side   string
		trials []evidence.Trial
	}{{"old", p.old}, {"new", p.new}} {
		shown := func(t evidence.Trial) bool { return t.Verdict != evidence.Inconclusive }
		if !slices.ContainsFunc(one.trials, shown) {
			out = append(out, one.side+" is inconclusive: "+strings.Join(one.trials[0].Reasons, "; "))
		}
	}
	return strings.Join(out, "; ")
}

// supported says whether the client could be tried at all on both sides.
func (p pair) supported() bool {
	not := func(t evidence.Trial) bool { return t.Verdict == evidence.NotSupported }
	return !slices.ContainsFunc(p.old, not) && !slices.ContainsFunc(p.new, not)
}

func (t *Trial) compare(p pair, l limits) {
	t.hold(Verdict, "", p.each(func(t evidence.Trial) string { return string(t.Verdict) }))
	if !p.supported() {
		return // on one side there is nothing else, or on both
	}
	t.orChance(p, func() { t.presence(Anomaly, p, anomalies) }, often)
	t.counts(p, l)
	t.answers(p)
	if l.broker == "" {
		t.orChance(p, func() { t.presence(Error, p, failures) }, failedOften)
	}
	t.presence(Fault, p, notApplicable)
	t.settings(p)
	t.presence(Difference, p, func(t evidence.Trial) map[string]string { return set(t.Differences) })
}

// sides is what the trials of each side have, each once.
type sides struct{ old, new []string }

func (p pair) each(of func(evidence.Trial) string) sides {
	return sides{old: distinct(p.old, of), new: distinct(p.new, of)}
}

// hold compares one thing. Where repeats of a side do not agree, and one of them is as
// on the other side, nobody can say whether it changed.
func (t *Trial) hold(what What, name string, s sides) {
	slices.Sort(s.old)
	slices.Sort(s.new)
	if slices.Equal(s.old, s.new) {
		return
	}
	old, new := strings.Join(s.old, " or "), strings.Join(s.new, " or ")
	if slices.ContainsFunc(s.old, func(one string) bool { return slices.Contains(s.new, one) }) {
		t.Unclear = append(t.Unclear, fmt.Sprintf("%s: repeats do not agree, %s and %s", strings.TrimSpace(string(what)+" "+name), told(old), told(new)))
		return
	}
	t.Changes = append(t.Changes, Change{What: what, Name: name, Old: old, New: new})
}

func told(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// presence compares which of several things a side has, and what it says of each.
func (t *Trial) presence(what What, p pair, of func(evidence.Trial) map[string]string) {
	for _, name := range p.names(of) {
		t.hold(what, name, p.each(func(t evidence.Trial) string { return of(t)[name] }))
	}
}

func (p pair) names(of func(evidence.Trial) map[string]string) []string {
	all := map[string]string{}
	for _, t := range slices.Concat(p.old, p.new) {
		for name, text := range of(t) {
			all[name] = text
		}
	}
	return keys(all, nil)
}

// anomalies is each kind and cause, and whether the variant permits it. How often is
// among the counts, where the seed repeats it.
func anomalies(t evidence.Trial) map[string]string {
	all := map[string]string{}
	for _, a := range t.Anomalies {
		text := "not permitted"
		if permitted(t, a) {
			text = "permitted"
		}
		all[anomalyName(a)] = text
	}
	return all
}

// failures is each call of the program that failed, with what it was told. How often
// depends on the moment.
func failures(t evidence.Trial) map[string]string {
	codes := map[string][]string{}
	for _, e := range t.Errors {
		codes[callOf(e)] = append(codes[callOf(e)], codeOf(e))
	}
	all := map[string]string{}
	for call, own := range codes {
		slices.Sort(own)
		all[call] = strings.Join(slices.Compact(own), " and ")
	}
	return all
}

// notApplicable is the faults that the client gives no occasion for.
func notApplicable(t evidence.Trial) map[string]string {
	all := map[string]string{}
	for _, f := range t.Faults {
		if f.NotApplicable != "" {
			all[f.Rule] = f.NotApplicable
		}
	}
	return all
}

func set(texts []string) map[string]string {
	all := map[string]string{}
	for _, text := range texts {
		all[text] = "approximate"
	}
	return all
}

// settings compares what was set, role by role. It is the same experiment as long as
// only the library differs.
func (t *Trial) settings(p pair) {
	for _, role := range []struct {
		prefix string
		of     func(evidence.Trial) map[string]string
	}{
		{"", func(t evidence.Trial) map[string]string { return t.Config }},
		{"consumers: ", func(t evidence.Trial) map[string]string { return t.Consuming }},
		{"own reading: ", func(t evidence.Trial) map[string]string { return t.Reading }},
	} {
		t.presence(Setting, p, func(t evidence.Trial) map[string]string {
			all := map[string]string{}
			for key, value := range role.of(t) {
				all[role.prefix+key] = fmt.Sprintf("%q", value)
			}
			return all
		})
	}
}

// answers compares what was found out and not measured.
func (t *Trial) answers(p pair) {
	t.presence(Answer, p, func(t evidence.Trial) map[string]string {
		all := map[string]string{}
		for _, a := range t.Answers {
			if !a.Measured && a.Answer != "" {
				all[a.Question] = a.Answer
			}
		}
		return all
	})
}

// counts compares figure by figure what the same seed has to repeat, and of the rest
// what was never there on one side and always on the other.
func (t *Trial) counts(p pair, l limits) {
	if p.repeats() && l.figures != "" {
		t.Unclear = append(t.Unclear, "counts: "+l.figures)
	}
	for _, m := range evidence.Metrics() {
		figure := func(t evidence.Trial) string {
			if n, known := t.Counts[m]; known {
				return fmt.Sprint(n)
			}
			return ""
		}
		switch s := p.each(figure); {
		case p.repeats() && l.figures == "" && (!l.sends || m != evidence.ProduceRequests):
			t.hold(Count, string(m), s)
		case zero(s.old) && never(s.new), zero(s.new) && never(s.old):
			t.orChance(p, func() { t.hold(Count, string(m), s) }, func(one evidence.Trial, _ Change) bool { return one.Counts[m] > rare })
		}
	}
}

// zero says whether a figure is 0 in every repeat, never whether it is in none.
func zero(figures []string) bool {
	return !slices.ContainsFunc(figures, func(f string) bool { return f != "0" })
}

func never(figures []string) bool {
	return !slices.ContainsFunc(figures, func(f string) bool { return f == "0" || f == "" })
}
