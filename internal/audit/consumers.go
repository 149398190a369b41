package audit

import (
	"cmp"
	"slices"

	"kcompare/internal/evidence"
)

// members is what the consumers of a story went past, by partition: leaps of
// offsets that were never returned, and that the log has to explain.
type members map[place][]leap

// leap is offsets that a consumer went past, to not included.
type leap struct {
	from, to    int64
	uncommitted bool // whatever stands there was due, not the visible records alone
}

// newMembers follows each consumer through its steps. What came again it reports at
// once; what was stepped over only the log can tell, because markers and records of
// aborted transactions are no loss.
func newMembers(consumers []evidence.Consumer, found *findings) members {
	all := members{}
	for _, c := range consumers {
		f := follower{all: all, uncommitted: c.Uncommitted, next: map[place]int64{}, found: found}
		for _, s := range c.Steps {
			f.step(s)
		}
	}
	for _, leaps := range all {
		slices.SortFunc(leaps, func(a, b leap) int { return cmp.Compare(a.from, b.from) })
	}
	return all
}

// follower is one consumer on its way.
type follower struct {
	all         members
	uncommitted bool
	next        map[place]int64 // where it stands, as far as its own steps tell
	found       *findings
}

// step forgets the position at each change of the assignment: the next one begins
// where the group has committed.
func (f *follower) step(s evidence.Step) {
	at := place{s.Topic, s.Partition}
	switch s.Kind {
	case evidence.StepAssigned, evidence.StepRevoked:
		delete(f.next, at)
	case evidence.StepSought:
		f.next[at] = s.Offset
	case evidence.StepReturned:
		f.returned(at, s.Offset, s.Count)
	}
}

func (f *follower) returned(at place, offset, count int64) {
	next, known := f.next[at]
	switch {
	case known && offset < next:
		f.found.add(evidence.PollNonmonotonic, MemberAgain, min(count, next-offset), 0, func() string { return at.at(offset) })
	case known && offset > next:
		f.all[at] = append(f.all[at], leap{from: next, to: offset, uncommitted: f.uncommitted})
	}
	f.next[at] = max(next, offset+count)
}

// steppedOver reports a record that a consumer of the story went past although it was
// due. Records come in the order of their offsets, and so do leaps by their
// beginnings.
func (w *walk) steppedOver(r *evidence.LogRecord, fate evidence.Fate) {
	for len(w.past) > 0 && w.past[0].to <= r.Offset {
		w.past = w.past[1:]
	}
	for _, s := range w.past {
		if s.from > r.Offset {
			return
		}
		if r.Offset < s.to && (s.uncommitted || fate == evidence.FateVisible) {
			w.found.add(evidence.PollSkipped, MemberSkipped, 1, 0, func() string { return w.at(r.Offset) })
		}
	}
}

// steppedOverBefore is for what stood in the partition before the trial: the inputs of
// the story, one visible record at each offset of a topic that is the trial's own.
func (w *walk) steppedOverBefore() {
	for _, s := range w.past {
		if n := min(s.to, w.before) - s.from; n > 0 {
			w.found.add(evidence.PollSkipped, MemberSkipped, n, 0, func() string { return w.at(s.from) })
		}
	}
}
