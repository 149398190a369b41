package audit

import (
	"maps"

	"kcompare/internal/evidence"
)

// counts adds the audit's counts to those that the trial brought along. Sends
// are counted one by one; unique, duplicates and lost count logical records.
func (a *Auditor) counts() evidence.Counts {
	c := evidence.Counts{}
	maps.Copy(c, a.o.Trial.Counts)
	c[evidence.Intended] = a.o.Intended
	a.countOutcomes(c)
	a.countTransactions(c)
	a.countReads(c)
	if p := a.o.Processing; p != nil {
		c[evidence.Inputs] = validInputs(p)
	}
	if a.complete() {
		a.countLog(c)
		a.countFound(c)
	}
	return c
}

func (a *Auditor) countOutcomes(c evidence.Counts) {
	said := map[evidence.Outcome]int64{}
	for i := range a.sends.runs {
		r := &a.sends.runs[i]
		said[r.outcome] += int64(r.count)
	}
	c[evidence.Acked] = said[evidence.OutcomeAcked]
	c[evidence.FailedRecords] = said[evidence.OutcomeFailed]
	c[evidence.UnknownRecords] = said[evidence.OutcomeUnknown] + a.neverSent()
}

// neverSent is how many records the scenario did not get to hand over. The client
// said nothing of them either.
func (a *Auditor) neverSent() int64 {
	left := a.o.Intended
	for _, r := range a.sends.records {
		left -= int64(r.distinct)
	}
	return max(0, left)
}

// countTransactions counts what the client said of them. A story without any has
// no such counts.
func (a *Auditor) countTransactions(c evidence.Counts) {
	if len(a.o.Transactions) == 0 {
		return
	}
	said := map[evidence.TransactionOutcome]int64{}
	for _, t := range a.o.Transactions {
		said[t.Outcome]++
	}
	c[evidence.Transactions] = int64(len(a.o.Transactions))
	c[evidence.Committed] = said[evidence.TransactionCommitted]
	c[evidence.AbortedEnds] = said[evidence.TransactionAborted]
	c[evidence.Undecided] = c[evidence.Transactions] - c[evidence.Committed] - c[evidence.AbortedEnds]
	c[evidence.CommittedRecords] = 0
	for i := range a.sends.runs {
		if r := &a.sends.runs[i]; r.committed() {
			c[evidence.CommittedRecords] += int64(r.count)
		}
	}
}

// countReads counts records that the client's consumer returned, by isolation
// level.
func (a *Auditor) countReads(c evidence.Counts) {
	if a.o.Reads != nil {
		under := evidence.ReadCommitted
		if a.o.Trial.Reading["isolation.level"] == "read_uncommitted" {
			under = evidence.ReadUncommitted
		}
		c[under] += int64(len(a.o.Reads))
	}
	if a.o.Uncommitted != nil {
		c[evidence.ReadUncommitted] += int64(len(a.o.Uncommitted))
	}
}

func validInputs(p *evidence.Processing) (n int64) {
	for _, in := range p.Inputs {
		if in.Valid {
			n++
		}
	}
	return n
}

func (a *Auditor) countLog(c evidence.Counts) {
	c[evidence.LogDelta] = a.log.delta
	c[evidence.LogRecords] = a.log.records
	c[evidence.Visible] = a.log.visible
	c[evidence.Unique] = a.log.unique
	c[evidence.Duplicates] = a.log.records - a.log.unique
	if len(a.o.Transactions) > 0 {
		c[evidence.AbortedRecords] = a.log.aborted
	}
}

// countFound sums up anomalies. A story that cannot show a kind has no count of
// it, unless there is one.
func (a *Auditor) countFound(c evidence.Counts) {
	told := map[evidence.Metric]bool{
		evidence.LostRecords: true, evidence.FailedPresent: true, evidence.ReorderedRecords: true,
		evidence.AbortedSeen:   a.o.Reads != nil,
		evidence.Torn:          len(a.o.Transactions) > 0,
		evidence.FencedVisible: len(a.o.Transactions) > 0,
		evidence.Stuck:         len(a.o.Transactions) > 0,
		evidence.InputsSkipped: a.o.Processing != nil && a.ended(),
		evidence.InputsTwice:   a.o.Processing != nil,
	}
	for m, always := range told {
		kind, _ := m.Anomaly()
		if n := a.found.total(kind); always || n > 0 {
			c[m] = n
		}
	}
}
