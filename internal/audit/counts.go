package audit

import (
	"maps"

	"kcompare/internal/evidence"
)

// counts adds the audit's counts to those that the trial brought along. Sends
// are counted one by one; unique, duplicates and lost count logical records.
func (a *auditor) counts() evidence.Counts {
	c := evidence.Counts{}
	maps.Copy(c, a.o.Trial.Counts)
	c[evidence.Intended] = a.o.Intended
	a.countOutcomes(c)
	if a.complete() {
		a.countLog(c)
	}
	return c
}

func (a *auditor) countOutcomes(c evidence.Counts) {
	said := map[evidence.Outcome]int64{}
	for i := range a.o.Sends {
		said[a.o.Sends[i].Outcome]++
	}
	c[evidence.Acked] = said[evidence.OutcomeAcked]
	c[evidence.FailedRecords] = said[evidence.OutcomeFailed]
	c[evidence.UnknownRecords] = said[evidence.OutcomeUnknown] + a.neverSent()
}

// neverSent is how many records the scenario did not get to hand over. The client
// said nothing of them either.
func (a *auditor) neverSent() int64 {
	left := a.o.Intended
	for i := range a.sends.states {
		if a.sends.states[i].logical == int32(i) {
			left--
		}
	}
	return max(0, left)
}

func (a *auditor) countLog(c evidence.Counts) {
	c[evidence.LogDelta] = a.log.delta
	c[evidence.LogRecords] = a.log.records
	c[evidence.Visible] = a.log.visible
	c[evidence.Unique] = a.log.unique
	c[evidence.Duplicates] = a.log.records - a.log.unique
	c[evidence.LostRecords] = a.found.total(evidence.Lost)
	c[evidence.FailedPresent] = a.found.total(evidence.FailedButPresent)
	c[evidence.ReorderedRecords] = a.found.total(evidence.Reordered)
	if a.o.Reads != nil {
		c[evidence.AbortedSeen] = a.found.total(evidence.AbortedVisible)
	}
}
