package verdict

import (
	"fmt"
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

// MarkUnstable marks every trial whose repeats, among these, came to different
// verdicts. Marks from earlier, made with more repeats at hand, stay.
func MarkUnstable(trials []evidence.Trial) {
	type played struct{ scenario, variant, client string }
	verdicts := map[played]map[evidence.Verdict]bool{}
	of := func(t evidence.Trial) played { return played{t.Scenario, t.Variant, t.Client} }
	for _, t := range trials {
		if verdicts[of(t)] == nil {
			verdicts[of(t)] = map[evidence.Verdict]bool{}
		}
		verdicts[of(t)][t.Verdict] = true
	}
	for i := range trials {
		trials[i].Unstable = trials[i].Unstable || len(verdicts[of(trials[i])]) > 1
	}
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
