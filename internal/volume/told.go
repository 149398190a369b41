package volume

import (
	"cmp"
	"slices"
	"sync"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// told is what a client said of its records, run by run.
type told struct {
	topic string

	mu  sync.Mutex
	all []evidence.Run
}

// outcomes in the words of evidence.
func outcome(o drivers.Outcome) evidence.Outcome {
	switch o {
	case drivers.Acked:
		return evidence.OutcomeAcked
	case drivers.Failed:
		return evidence.OutcomeFailed
	}
	return evidence.OutcomeUnknown
}

// role of the logical records.
const role = "records"

// report is called from any goroutine.
func (t *told) report(r drivers.Reported) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, evidence.Run{
		Topic: t.topic, Role: role, Ordinal: int(r.First), Number: int(r.First), Count: int(r.Count),
		Outcome: outcome(r.Outcome), Partition: r.Partition, Offset: r.Offset,
	})
}

// runs are all in the order of sending, those that go on in one another joined.
func (t *told) runs() []evidence.Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortFunc(t.all, func(a, b evidence.Run) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	var runs []evidence.Run
	for _, r := range t.all {
		if n := len(runs) - 1; n >= 0 && goesOn(runs[n], r) {
			runs[n].Count += r.Count
			continue
		}
		runs = append(runs, r)
	}
	return runs
}

func goesOn(a, b evidence.Run) bool {
	return a.Ordinal+a.Count == b.Ordinal && a.Outcome == b.Outcome && a.Partition == b.Partition &&
		a.Offset != evidence.NoOffset && a.Offset+int64(a.Count) == b.Offset
}
