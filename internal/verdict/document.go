package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// Exit is the exit code of a command with this document: 3 when a trial is
// violated, else 4 when one is inconclusive, unstable in its repeats or was not
// finished, else 0. Not-supported changes nothing.
func Exit(doc evidence.Document) int {
	code := 0
	if doc.Unfinished > 0 {
		code = 4
	}
	for _, t := range doc.Trials {
		switch {
		case t.Verdict == evidence.Violated:
			return 3
		case t.Unstable || t.Verdict != evidence.Holds && t.Verdict != evidence.NotSupported:
			code = 4
		}
	}
	return code
}

// MarkUnstable marks every trial whose repeats, among these, differ in what does not
// depend on time: the verdict, the answers that are not measured, and where the same
// seed has to give the same counts (evidence.Trial.Repeats) faults, counts and
// anomalies too. Marks from earlier, made with more repeats at hand, stay.
func MarkUnstable(trials []evidence.Trial) {
	type played struct{ scenario, variant, client string }
	of := func(t evidence.Trial) played { return played{t.Scenario, t.Variant, t.Client} }
	first := map[played]evidence.Trial{}
	unstable := map[played]bool{}
	for _, t := range trials {
		one, seen := first[of(t)]
		if !seen {
			first[of(t)] = t
			continue
		}
		unstable[of(t)] = unstable[of(t)] || !same(one, t)
	}
	for i := range trials {
		trials[i].Unstable = trials[i].Unstable || unstable[of(trials[i])]
	}
}

// same says whether two repeats came to the same.
func same(t, u evidence.Trial) bool {
	if t.Verdict != u.Verdict || !slices.EqualFunc(t.Answers, u.Answers, sameAnswer) {
		return false
	}
	return !t.Repeats || !u.Repeats ||
		maps.Equal(t.Counts, u.Counts) && slices.Equal(t.Anomalies, u.Anomalies) && slices.EqualFunc(t.Faults, u.Faults, sameFault)
}

func sameAnswer(a, b evidence.Answer) bool {
	return a.Question == b.Question && (a.Measured || a.Answer == b.Answer)
}

// sameFault leaves collateral out: what a library has in flight beside the record no
// seed repeats.
func sameFault(f, g evidence.Fault) bool {
	return f.Rule == g.Rule && f.Planned == g.Planned && f.Fired == g.Fired && f.NotApplicable == g.NotApplicable
}

// Recompute judges every trial of a document again and returns an error for each
// whose stored verdict is another one, or whose counts and anomalies contradict
// each other. A report that gets any ends with 1.
func Recompute(doc evidence.Document) []error {
	var errs []error
	for _, t := range doc.Trials {
		for _, wrong := range contradictions(t) {
			errs = append(errs, fmt.Errorf("evidence of %s %s on %s: %s", t.Scenario, t.Variant, t.Client, wrong))
		}
		verdict, reasons := Judge(t)
		if verdict != t.Verdict {
			errs = append(errs, fmt.Errorf("recompute verdict of %s %s on %s: stored is %q, the evidence says %q%s",
				t.Scenario, t.Variant, t.Client, t.Verdict, verdict, because(strings.Join(reasons, "; "))))
		}
	}
	return errs
}
