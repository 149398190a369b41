package performance

import (
	"fmt"
	"strings"
)

// MissedError names the requirements of a run that are not met.
type MissedError struct{ Missed []Judged }

// Missed is nil when every requirement of the run is met, and a *MissedError otherwise.
func Missed(r Run, judged []Judged) error {
	var e MissedError
	for _, j := range judged {
		if j.Run == r && j.Verdict != Met {
			e.Missed = append(e.Missed, j)
		}
	}
	if e.Missed == nil {
		return nil
	}
	return &e
}

// Measured says whether one of them was measured, and not met.
func (e *MissedError) Measured() bool {
	for _, j := range e.Missed {
		if j.Verdict == NotMet {
			return true
		}
	}
	return false
}

func (e *MissedError) Error() string {
	var lines []string
	for _, j := range e.Missed {
		lines = append(lines, j.line())
	}
	return strings.Join(lines, "\n")
}

func (j Judged) line() string {
	expected := "at least "
	if j.AtMost {
		expected = "at most "
	}
	expected += figure(j.Bound)
	if j.Verdict == NotMeasured {
		return fmt.Sprintf("not measured: %s of %s, expected %s", j.Unit, j.Benchmark, expected)
	}
	return fmt.Sprintf("not met: %s %s of %s, expected %s", figure(j.Summary.Center), j.Unit, j.Benchmark, expected)
}
