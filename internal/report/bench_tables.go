package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// benchFigures has a row for each metric, a column for each contestant.
func benchFigures(b evidence.Bench) table {
	t := table{corner: "METRIC", columns: benchNames(b), upright: true}
	t.fixed = len(t.columns)
	for _, m := range b.Judgement.Metrics {
		r := row{label: word(benchMetric(m))}
		for _, c := range benchPlayers(b) {
			r.cells = append(r.cells, benchCell(m, c.Name, func(f evidence.BenchFigures) string { return benchNumber(f.Median) }))
		}
		t.rows = append(t.rows, r)
	}
	return t
}

// benchRatios has the metrics of which there are ratios; a column for each contestant that is
// compared with another.
func benchRatios(b evidence.Bench) table {
	t := table{corner: "METRIC", columns: benchNames(b), upright: true, words: true}
	t.fixed = len(t.columns)
	for _, m := range b.Judgement.Metrics {
		if !slices.ContainsFunc(m.Standing, func(f evidence.BenchFigures) bool { return f.Ratio != nil }) {
			continue
		}
		r := row{label: word(benchMetric(m))}
		for _, c := range benchPlayers(b) {
			r.cells = append(r.cells, benchCell(m, c.Name, benchRatio))
		}
		t.rows = append(t.rows, r)
	}
	return t
}

// benchRatioNote says against whom, and how to read a cell.
func benchRatioNote(b evidence.Bench) phrase {
	against := "against the best of each line"
	if b.Compare != "" {
		against = "against the first value"
	}
	return say(against + ", round by round, with the interval that has the true one in 95 of 100 cases; ~ no difference seen")
}

// benchRatio is "0.76 (0.73 to 0.80)", "~ 1.01 (0.98 to 1.03)", or 1 for whom others are compared with.
func benchRatio(f evidence.BenchFigures) string {
	if f.Ratio == nil {
		return "1"
	}
	text := fmt.Sprintf("%s (%s to %s)", times(f.Ratio.Mean), times(f.Ratio.Low), times(f.Ratio.High))
	if !f.Ratio.Differs() {
		text = "~ " + text
	}
	return text
}

// benchPlayers is the contestants that were not left out.
func benchPlayers(b evidence.Bench) []evidence.BenchContestant {
	return filter(b.Contestants, func(c evidence.BenchContestant) bool { return c.LeftOut == "" })
}

// benchMetric is "CPU of the client, CPU-s per million records", or "records/s" alone.
func benchMetric(m evidence.BenchMetric) string {
	if strings.HasSuffix(m.Unit, "/s") {
		return m.Unit
	}
	return m.Name + ", " + m.Unit
}

func benchCell(m evidence.BenchMetric, contestant string, text func(evidence.BenchFigures) string) span {
	for _, f := range m.Standing {
		if f.Contestant == contestant {
			return word(text(f))
		}
	}
	return word("-")
}

func benchNames(b evidence.Bench) []string {
	return each(benchPlayers(b), func(c evidence.BenchContestant) string { return benchName(b, c) })
}

// benchSettings has a row for each setting that the wire showed of anybody.
func benchSettings(b evidence.Bench) table {
	t := table{corner: "SETTING", columns: benchNames(b), upright: true, words: true}
	t.fixed = len(t.columns)
	var names []string
	seen := map[string]map[string]string{}
	for _, c := range b.Contestants {
		if c.Seen == nil {
			continue
		}
		seen[c.Name] = map[string]string{}
		for _, s := range c.Seen.Settings() {
			seen[c.Name][s.Name] = s.Text
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	for _, setting := range names {
		r := row{label: word(setting)}
		for _, c := range benchPlayers(b) {
			r.cells = append(r.cells, word(benchSettingCell(seen, c.Name, setting)))
		}
		t.rows = append(t.rows, r)
	}
	return t
}

func benchSettingCell(seen map[string]map[string]string, contestant, setting string) string {
	settings, proven := seen[contestant]
	if text := settings[setting]; text != "" {
		return text
	}
	if !proven {
		return "(not proven)"
	}
	return "(not seen)"
}

// benchNotSeen says why a setting is not in the table.
func benchNotSeen(b evidence.Bench) list {
	l := list{apart: true}
	for _, c := range benchPlayers(b) {
		if c.Seen == nil {
			continue
		}
		for _, setting := range slices.Sorted(maps.Keys(c.Seen.NotSeen)) {
			l.entries = append(l.entries, entry{term: name(benchName(b, c)), text: say(setting + " was not seen: " + c.Seen.NotSeen[setting])})
		}
	}
	return l
}

// benchGiven is what all were given, what some were given beside, and what a library cannot
// express or could only approximate.
func benchGiven(b evidence.Bench) []list {
	l := list{entries: []entry{{term: word("for all"), text: phrase{name(benchPairs(b.Config))}}}}
	if len(b.Config) == 0 {
		l.entries = nil
	}
	for _, c := range b.Contestants {
		if len(c.Config) > 0 {
			l.entries = append(l.entries, entry{term: name(benchName(b, c)), text: phrase{name(benchPairs(c.Config))}})
		}
		for _, key := range slices.Sorted(maps.Keys(c.Inexpressible)) {
			l.entries = append(l.entries, entry{term: name(benchName(b, c)), text: phrase{word("cannot express"), name(key + ":"), word(c.Inexpressible[key])}})
		}
		for _, text := range c.Differences {
			l.entries = append(l.entries, entry{term: name(benchName(b, c)), text: say(text)})
		}
	}
	return []list{l}
}

func benchPairs(config map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(config)) {
		all = append(all, key+"="+config[key])
	}
	return strings.Join(all, ", ")
}
