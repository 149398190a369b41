package report

import (
	"fmt"
	"strings"

	"kcompare/internal/evidence"
)

// faults is "drop-response Produce 108 of 108 fired", rule by rule.
func faults(c client) []string {
	var rules []evidence.Fault
	for _, t := range c.trials {
		rules = append(rules, t.Faults...)
	}
	var lines []string
	for _, name := range distinct(rules, func(f evidence.Fault) string { return f.Rule }) {
		lines = append(lines, faultLine(filter(rules, func(f evidence.Fault) bool { return f.Rule == name })))
	}
	return lines
}

// faultLine is one rule over all repeats. Points that did not fire are among the
// reasons of the verdict, not here.
func faultLine(repeats []evidence.Fault) string {
	first := repeats[0]
	line := strings.TrimSpace(first.Kind + " " + first.API)
	if first.NotApplicable != "" {
		return line + " not applicable: " + first.NotApplicable
	}
	planned := overFaults(repeats, func(f evidence.Fault) int64 { return f.Planned })
	fired := overFaults(repeats, func(f evidence.Fault) int64 { return f.Fired })
	switch {
	case planned.high == 0 && fired.high > 0: // a rule without bounds plans nothing
		line += fmt.Sprintf(" %s fired", fired)
	case fired.high > planned.high: // a client tried more often than it was told to
		line += fmt.Sprintf(" %s fired, %s planned", fired, planned)
	default:
		line += fmt.Sprintf(" %s of %s fired", fired, planned)
	}
	if lost := overFaults(repeats, func(f evidence.Fault) int64 { return f.Collateral }); lost.high > 0 {
		line += fmt.Sprintf(", collateral %s (answers of any API)", lost)
	}
	return line
}

func overFaults(repeats []evidence.Fault, figure func(evidence.Fault) int64) interval {
	var figures []int64
	for _, f := range repeats {
		figures = append(figures, figure(f))
	}
	return over(figures)
}

// errorLines is what the library told the program: call, code and class. Texts
// differ from version to version and stay in the document.
func errorLines(c client) []string {
	var all []evidence.ErrorCount
	for _, t := range c.trials {
		all = append(all, t.Errors...)
	}
	var lines []string
	for _, name := range distinct(all, errorName) {
		lines = append(lines, name+" "+errorTimes(c.trials, name).plural("time"))
	}
	return lines
}

// errorName is "produce _MSG_TIMED_OUT (unknown-outcome)".
func errorName(e evidence.ErrorCount) string {
	return fmt.Sprintf("%s %s (%s)", e.Call, e.Code, e.Class)
}

// errorTimes counts over repeats; one that never saw the error counts as 0.
func errorTimes(trials []evidence.Trial, name string) interval {
	var figures []int64
	for _, t := range trials {
		var n int64
		for _, e := range t.Errors {
			if errorName(e) == name {
				n += e.Count
			}
		}
		figures = append(figures, n)
	}
	return over(figures)
}
