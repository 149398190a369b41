// Package verdict judges a trial from what stands in its evidence, so that
// anybody who has the evidence comes to the same verdict.
package verdict

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// Judge gives the verdict on an audited trial and the reasons for it, one plain
// sentence each; holds has none. It reads neither the stored verdict nor
// anything that is measured. The trial calls it after the audit, a report calls
// it again.
//
// Holds is earned: whatever was planned and did not happen, or could not be
// seen, is inconclusive. A broken promise stays broken though, as long as the
// log that shows it can be trusted.
func Judge(t evidence.Trial) (evidence.Verdict, []string) {
	if reasons := unsupported(t); len(reasons) > 0 {
		return evidence.NotSupported, reasons
	}
	wrong, unmet := anomalies(t), unmetConditions(t)
	if len(unmet) > 0 {
		if t.Kind == evidence.Promise && len(wrong) > 0 && trusted(t.Conditions) {
			return evidence.Violated, wrong
		}
		return evidence.Inconclusive, unmet
	}
	if len(t.Checks) == 0 && !claimsAnswer(t) && t.Kind != evidence.Observation {
		return evidence.Inconclusive, []string{"there is no check: nothing was claimed"}
	}
	failing, unknown := claims(t)
	if wrong = append(wrong, failing...); len(wrong) > 0 {
		return evidence.Violated, wrong
	}
	if len(unknown) > 0 {
		return evidence.Inconclusive, unknown
	}
	return evidence.Holds, []string{}
}

// unsupported says what is lacking, so that the variant could not be tried.
func unsupported(t evidence.Trial) []string {
	if t.Conditions.Unsupported != "" {
		return []string{t.Conditions.Unsupported}
	}
	var reasons []string
	for _, f := range t.Faults {
		if f.NotApplicable == "" {
			return nil
		}
		reasons = append(reasons, fmt.Sprintf("%s is not applicable: %s", f.Kind, f.NotApplicable))
	}
	return reasons
}

// anomalies lists those that the variant does not permit. An observation has no
// right answer, so nothing is forbidden in it.
func anomalies(t evidence.Trial) []string {
	if t.Kind == evidence.Observation {
		return nil
	}
	var reasons []string
	for _, a := range t.Anomalies {
		if !slices.Contains(t.Allowed, a.Kind) {
			reasons = append(reasons, a.String())
		}
	}
	return reasons
}

// claims splits what does not hold of the variant's claim from what nobody can
// judge. Where a requirement is not met, that is the whole claim.
func claims(t evidence.Trial) (failing, unknown []string) {
	unmet, unknown := checks(t.Requires, t.Counts)
	for _, requirement := range unmet {
		unknown = append(unknown, "the claim cannot be judged: "+requirement)
	}
	if len(unknown) > 0 {
		return nil, unknown
	}
	failing, unknown = checks(t.Checks, t.Counts)
	wrong, missing := answers(t.Answers)
	return append(failing, wrong...), append(unknown, missing...)
}

// checks splits the comparisons that do not hold from those that nobody can
// judge.
func checks(all []evidence.Check, counts evidence.Counts) (failing, unknown []string) {
	for _, c := range all {
		left, leftKnown := counts[c.Left]
		right, rightKnown := counts.Value(c.Right)
		holds, knownOp := compare(left, c.Op, right)
		switch {
		case !leftKnown:
			unknown = append(unknown, fmt.Sprintf("%s is not known, %s cannot be checked", c.Left, claim(c)))
		case !rightKnown:
			unknown = append(unknown, fmt.Sprintf("%s is not known, %s cannot be checked", c.Right, claim(c)))
		case !knownOp:
			unknown = append(unknown, fmt.Sprintf("%s cannot be checked: expected ==, >= or > as comparison", claim(c)))
		case !holds:
			failing = append(failing, fmt.Sprintf("%s is %d, expected %s", c.Left, left, expected(c, right)))
		}
	}
	return failing, unknown
}

func compare(left int64, op string, right int64) (holds, knownOp bool) {
	switch op {
	case "==":
		return left == right, true
	case ">=":
		return left >= right, true
	case ">":
		return left > right, true
	}
	return false, false
}

func claim(c evidence.Check) string { return fmt.Sprintf("%s %s %s", c.Left, c.Op, c.Right) }

// expected is the right side in words: "to equal 0", "to equal responses_dropped (70)".
func expected(c evidence.Check, right int64) string {
	words := map[string]string{"==": "to equal", ">=": "at least", ">": "more than"}[c.Op]
	number := fmt.Sprint(right)
	if c.Right == number {
		return words + " " + number
	}
	return fmt.Sprintf("%s %s (%s)", words, c.Right, number)
}
