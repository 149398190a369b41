package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// Judge computes what can be said of a bench from its contestants and rounds. It does not
// look at b.Judgement.
//
// Contestants are compared with the best of them; where values of a key are compared, with the
// first value of the same client. A ratio is there only where the effective settings are
// equal and nothing is open.
func Judge(b evidence.Bench) evidence.BenchJudgement {
	forbid, follow := unequal(b)
	j := evidence.BenchJudgement{Unequal: forbid, Open: open(b), Beside: beside(b, follow)}
	for _, m := range metrics(b.Work) {
		if figures := m.figures(b, len(j.Unequal) == 0 && len(j.Open) == 0); len(figures.Standing) > 0 {
			j.Metrics = append(j.Metrics, figures)
		}
	}
	return j
}

// The exit codes of a bench, as docs/contract.md has them for every command.
const (
	ExitJudged = 0 // equal settings, every round counts: compared, whatever came out
	ExitOpen   = 4 // settings differ, something is open, or a round is void
)

// Exit is the exit code of what was measured. There is no 3: that one client is slower is no
// broken promise. It trusts b.Judgement; Recheck does not.
func Exit(b evidence.Bench) int {
	void := slices.ContainsFunc(b.Rounds, func(r evidence.BenchRound) bool { return b.Uncounted(r) != "" })
	if len(b.Judgement.Unequal) > 0 || len(b.Judgement.Open) > 0 || void {
		return ExitOpen
	}
	return ExitJudged
}

// Recheck computes the judgement again; the error says where the stored one says something
// else.
func Recheck(b evidence.Bench) error {
	stored, computed := facts(b.Judgement), facts(Judge(b))
	var differ []string
	for _, line := range stored {
		if !slices.Contains(computed, line) {
			differ = append(differ, "stored "+line)
		}
	}
	for _, line := range computed {
		if !slices.Contains(stored, line) {
			differ = append(differ, "computed "+line)
		}
	}
	if len(differ) == 0 && !slices.Equal(stored, computed) {
		differ = []string{"the order"}
	}
	if len(differ) == 0 {
		return nil
	}
	return fmt.Errorf("the stored judgement is not the one that follows from the rounds: %s", strings.Join(differ, "; "))
}

// facts is a judgement in lines that can be compared one by one.
func facts(j evidence.BenchJudgement) []string {
	var lines []string
	for _, u := range j.Unequal {
		lines = append(lines, fmt.Sprintf("unequal %s: %v", u.Setting, u.Seen)) // fmt sorts maps
	}
	for _, text := range j.Open {
		lines = append(lines, "open: "+text)
	}
	for _, text := range j.Beside {
		lines = append(lines, "beside: "+text)
	}
	for _, m := range j.Metrics {
		for _, f := range m.Standing {
			line := fmt.Sprintf("%s (%s, more is better: %t) of %s: %.6g (%.6g to %.6g, rounds %d, %.6g)", m.Name, m.Unit, m.More, f.Contestant, f.Median, f.Least, f.Most, f.Rounds, f.Each)
			if r := f.Ratio; r != nil {
				line += fmt.Sprintf(", %.6g times %s (%.6g to %.6g, pairs %d, visible %.6g)", r.Mean, r.Against, r.Low, r.High, r.Pairs, r.Visible)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// counted is the rounds of a contestant that count, by their number.
func counted(b evidence.Bench, contestant string) []evidence.BenchRound {
	var all []evidence.BenchRound
	for _, r := range b.Rounds {
		if r.Contestant == contestant && r.Round > 0 && b.Uncounted(r) == "" {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(x, y evidence.BenchRound) int { return cmp.Compare(x.Round, y.Round) })
	return all
}

// open is why nothing is judged beside settings that differ.
func open(b evidence.Bench) []string {
	playing := players(b)
	var why []string
	for _, c := range playing {
		if c.Seen == nil {
			why = append(why, fmt.Sprintf("the settings of %s were not proven: %s", c.Name, cmp.Or(c.Unproven, "nobody looked")))
		}
	}
	for _, c := range playing {
		all := counted(b, c.Name)
		if len(all) < leastPairs {
			why = append(why, fmt.Sprintf("rounds of %s that count: %d, and at least %d are needed", c.Name, len(all), leastPairs))
		}
		fired := slices.ContainsFunc(all, func(r evidence.BenchRound) bool { return r.Faults > 0 })
		if len(b.Faults) > 0 && len(all) > 0 && !fired {
			why = append(why, fmt.Sprintf("no fault fired in the rounds of %s", c.Name))
		}
	}
	if len(playing) < 2 && len(b.Contestants) > 1 {
		why = append(why, fmt.Sprintf("contestants that played: %d of %d", len(playing), len(b.Contestants)))
	}
	if b.Unfinished > 0 {
		why = append(why, fmt.Sprintf("interrupted: rounds that were not played: %d", b.Unfinished))
	}
	return why
}

// players is the contestants that were not left out.
func players(b evidence.Bench) []evidence.BenchContestant {
	return slices.DeleteFunc(slices.Clone(b.Contestants), func(c evidence.BenchContestant) bool { return c.LeftOut != "" })
}
