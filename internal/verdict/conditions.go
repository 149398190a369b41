package verdict

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// trusted says whether an anomaly in the log proves anything: all of the log was
// read, all of it came through the proxy, and the client's program can be believed.
func trusted(c evidence.Conditions) bool {
	return c.ReadBack == evidence.ReadBackComplete && c.Leaks == 0 && len(c.Problems) == 0 && c.Unchecked == "" && c.Program == ""
}

// unmetConditions lists everything because of which holds cannot be earned.
func unmetConditions(t evidence.Trial) []string {
	reasons := append(unmet(t.Conditions), unmetFaults(t.Faults)...)
	if open := t.Conditions.OpenAtEnd; open != "" && !slices.Contains(t.Allowed, evidence.StuckReader) {
		reasons = append(reasons, "a transaction is open still, nobody knows what will be visible: "+open)
	}
	return reasons
}

func unmet(c evidence.Conditions) []string {
	var reasons []string
	if c.Program != "" {
		reasons = append(reasons, c.Program)
	}
	if c.Error != "" {
		reasons = append(reasons, c.Error)
	}
	if !c.Finished {
		reasons = append(reasons, fmt.Sprintf("not finished, %s pending", plural(c.Pending, "record")))
	}
	if c.ReadBack != evidence.ReadBackComplete {
		reasons = append(reasons, "the read-back is not complete"+because(c.ReadBack))
	}
	if c.ClientRead != "" {
		reasons = append(reasons, "the client could not read the topics itself: "+c.ClientRead)
	}
	if c.Exchanges == 0 {
		reasons = append(reasons, "the trace is empty")
	}
	if c.Leaks > 0 {
		reasons = append(reasons, fmt.Sprintf("%s in the log never passed the proxy, the first at %s",
			plural(c.Leaks, "batch"), c.FirstLeak))
	}
	reasons = append(reasons, c.Problems...)
	if c.Unchecked != "" {
		reasons = append(reasons, c.Unchecked)
	}
	if c.SharedBatches > 0 {
		reasons = append(reasons, fmt.Sprintf("%s with several records, where one each was asked for",
			plural(c.SharedBatches, "batch")))
	}
	return reasons
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func plural(n int64, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ch"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// unmetFaults: every planned point has to have fired, and there has to be one. A
// rule whose points nobody could plan has to have fired.
func unmetFaults(faults []evidence.Fault) []string {
	var reasons []string
	aimed := false
	for _, f := range faults {
		if f.NotApplicable != "" {
			continue
		}
		aimed = aimed || f.Planned > 0 || f.Unplanned != ""
		switch {
		case f.Unplanned != "" && f.Fired == 0:
			reasons = append(reasons, fmt.Sprintf("%s never fired", f.Kind))
		case f.Fired < f.Planned || len(f.Missed) > 0:
			reasons = append(reasons, fmt.Sprintf("%s: %d planned, %d fired%s", f.Kind, f.Planned, f.Fired, missed(f)))
		}
	}
	if len(faults) > 0 && !aimed {
		reasons = append(reasons, "no fault was planned: nothing was tested")
	}
	return reasons
}

// missed names the planned points that did not fire, as many as the evidence
// has.
func missed(f evidence.Fault) string {
	if len(f.Missed) == 0 {
		return ""
	}
	list := ", missed " + strings.Join(f.Missed, ", ")
	if int64(len(f.Missed)) < f.Planned-f.Fired {
		list += ", ..."
	}
	return list
}
