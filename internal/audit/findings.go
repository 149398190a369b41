package audit

import (
	"cmp"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// findings groups what was found by kind and cause.
type findings struct {
	sums map[finding]*sum
	last finding // what was found last is mostly found next
	sum  *sum    // of that
}

func newFindings() *findings { return &findings{sums: map[finding]*sum{}} }

type finding struct {
	kind  evidence.AnomalyKind
	cause string
}

type sum struct {
	count int64
	rank  int
	first string
}

// add counts n disagreements. Of several, the one with the lowest rank is named
// in the evidence: a send's position, so that the first one is the one sent
// first, whatever partition it went to. Places all have rank 0 and come in the
// order of the log. Only then is its name asked for.
func (f *findings) add(kind evidence.AnomalyKind, cause string, n int64, rank int, name func() string) {
	if f.sum == nil || f.last != (finding{kind, cause}) {
		f.last = finding{kind, cause}
		f.sum = f.sums[f.last]
	}
	if f.sum == nil {
		f.sum = &sum{rank: rank, first: name()}
		f.sums[f.last] = f.sum
	}
	f.sum.count += n
	if rank < f.sum.rank {
		f.sum.rank, f.sum.first = rank, name()
	}
}

func (f *findings) total(kind evidence.AnomalyKind) int64 {
	var n int64
	for key, s := range f.sums {
		if key.kind == kind {
			n += s.count
		}
	}
	return n
}

// anomalies lists the findings in the order of the contract, then by cause.
func (f *findings) anomalies(allowed []evidence.AnomalyKind) []evidence.Anomaly {
	list := make([]evidence.Anomaly, 0, len(f.sums))
	for key, s := range f.sums {
		list = append(list, evidence.Anomaly{
			Kind: key.kind, Count: s.count, Allowed: slices.Contains(allowed, key.kind),
			Cause: key.cause, First: s.first,
		})
	}
	order := kinds()
	slices.SortFunc(list, func(x, y evidence.Anomaly) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind)),
			strings.Compare(x.Cause, y.Cause))
	})
	return list
}

// kinds are the anomalies that an audit can name, in the order of the contract.
func kinds() []evidence.AnomalyKind {
	return []evidence.AnomalyKind{
		evidence.Lost, evidence.Duplicate, evidence.Reordered, evidence.Corrupted, evidence.WrongPartition,
		evidence.Phantom, evidence.FailedButPresent, evidence.OffsetMismatch, evidence.OffsetGap,
		evidence.AbortedVisible, evidence.TornTransaction, evidence.FencedWriteVisible, evidence.UncommittedVisible,
		evidence.StuckReader,
		evidence.InputSkipped, evidence.InputReprocessed, evidence.PollSkipped, evidence.PollNonmonotonic,
	}
}
