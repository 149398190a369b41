package audit

import (
	"cmp"
	"slices"

	"kcompare/internal/evidence"
)

// topicRole is where logical records have their numbers. The outputs of a
// program that reads and writes carry the number of their input, each in its own
// topic.
type topicRole struct{ topic, role string }

// records are the logical records of a role in a topic. Those that were sent
// once are known by their only send.
type records struct {
	distinct int
	repeated []span          // sent more than once, rising
	states   map[int]*record // of those, by number
}

// record is what is known of a logical record that was sent more than once.
type record struct {
	met  bool  // it stands in the log, whichever send brought it
	live bool  // ... and not only in aborted transactions
	lost bool  // it was counted as lost
	by   []int // the instances that brought it
}

// findRepeated finds the records that were sent more than once where the
// numbers of runs overlap, so that no record needs an entry for that.
func (all *sends) findRepeated() {
	runs := map[*records][]int32{}
	for i := range all.runs {
		runs[all.runs[i].records] = append(runs[all.runs[i].records], int32(i))
	}
	for r, of := range runs {
		slices.SortStableFunc(of, func(i, j int32) int { return cmp.Compare(all.runs[i].number, all.runs[j].number) })
		end := all.runs[of[0]].number
		for _, i := range of {
			n := all.runs[i].numbers()
			r.repeat(span{n.from, min(n.to, end)})
			r.distinct += max(0, n.to-max(n.from, end))
			end = max(end, n.to)
		}
		for _, i := range of {
			all.runs[i].resent = r.anyRepeated(all.runs[i].numbers())
		}
	}
}

func (r *run) numbers() span { return span{r.number, r.number + r.count} }

// repeat adds numbers that begin no earlier than those that were added before.
func (r *records) repeat(n span) {
	last := len(r.repeated) - 1
	switch {
	case n.from >= n.to:
	case last >= 0 && n.from <= r.repeated[last].to:
		r.repeated[last].to = max(r.repeated[last].to, n.to)
	default:
		r.repeated = append(r.repeated, n)
	}
}

func (r *records) anyRepeated(n span) bool {
	i := firstBehind(r.repeated, n.from)
	return i < len(r.repeated) && r.repeated[i].from < n.to
}

// record is the logical record of a send if it was sent more than once, nil
// otherwise.
func (s sent) record() *record {
	n := s.number + s.i
	if !s.resent || !s.records.anyRepeated(span{n, n + 1}) {
		return nil
	}
	r := s.records.states[n]
	if r == nil {
		r = &record{}
		s.records.states[n] = r
	}
	return r
}

// sentAgain is why the first copy of a send is a duplicate of its logical
// record, of which another send stands in the log.
func (r *record) sentAgain(instance int) string {
	switch {
	case !r.live:
		return DuplicateAborted
	case slices.Contains(r.by, instance):
		return DuplicateApplication
	}
	return DuplicateSession
}

// meet notes a copy in the log.
func (r *record) meet(instance int, fate evidence.Fate) {
	r.met = true
	r.live = r.live || fate != evidence.FateAborted
	if !slices.Contains(r.by, instance) {
		r.by = append(r.by, instance)
	}
}
