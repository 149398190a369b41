package audit

import (
	"cmp"
	"maps"
	"slices"

	"kcompare/internal/evidence"
)

// reading is what the client's consumer returned of one partition. The walk
// through the log takes the reads one by one, so they are put in the order of
// offsets first. It keeps positions in Observed.Reads.
type reading struct {
	at      []int32
	highest int64
	jumped  bool // it went back at least once
}

// read folds in one record that the consumer returned.
func (a *auditor) read(i int32) {
	r := &a.o.Reads[i]
	at := place{r.Topic, r.Partition}
	rd := a.readings[at]
	switch {
	case rd == nil:
		rd = &reading{highest: r.Offset}
		a.readings[at] = rd
	case r.Offset <= rd.highest:
		rd.jumped = true
		a.found.add(evidence.PollNonmonotonic, ReadNonmonotonic, 1, 0, at.at(r.Offset))
	}
	rd.highest = max(rd.highest, r.Offset)
	rd.at = append(rd.at, i)
}

// takeReading is what was read of a partition, each offset once.
func (a *auditor) takeReading(at place) *reading {
	rd := a.readings[at]
	if rd == nil {
		return &reading{}
	}
	delete(a.readings, at)
	if rd.jumped {
		offset := func(i int32) int64 { return a.o.Reads[i].Offset }
		slices.SortStableFunc(rd.at, func(i, j int32) int { return cmp.Compare(offset(i), offset(j)) })
		rd.at = slices.CompactFunc(rd.at, func(i, j int32) bool { return offset(i) == offset(j) })
	}
	return rd
}

// readAt takes what the consumer returned at an offset, nil if nothing. What it
// returned before that, the log does not have.
func (w *walk) readAt(offset int64) *evidence.Read {
	n := 0
	for n < len(w.reads.at) && w.o.Reads[w.reads.at[n]].Offset < offset {
		n++
	}
	w.strayReads(w.reads.at[:n])
	w.reads.at = w.reads.at[n:]
	if len(w.reads.at) == 0 || w.o.Reads[w.reads.at[0]].Offset > offset {
		return nil
	}
	read := &w.o.Reads[w.reads.at[0]]
	w.reads.at = w.reads.at[1:]
	return read
}

// compareRead holds a record of the log against what the consumer returned. A
// complete read-back includes that the consumer came to the end of the log, so
// a visible record that it did not return was stepped over.
func (w *walk) compareRead(r *evidence.LogRecord, fate evidence.Fate) {
	if w.o.Reads == nil {
		return
	}
	read := w.readAt(r.Offset)
	if read == nil {
		if fate == evidence.FateVisible {
			w.found.add(evidence.PollSkipped, ReadSkipped, 1, 0, w.at(r.Offset))
		}
		return
	}
	if !r.Foreign && (read.ID != r.ID || read.Sum != r.Sum) {
		w.found.add(evidence.Corrupted, CorruptedRead, 1, 0, w.named(r))
	}
	switch fate {
	case evidence.FateAborted:
		w.found.add(evidence.AbortedVisible, ReadAborted, 1, 0, w.named(r))
	case evidence.FateUndecided:
		w.found.add(evidence.UncommittedVisible, ReadUndecided, 1, 0, w.named(r))
	}
}

func (w *walk) named(r *evidence.LogRecord) string {
	if r.Key != "" {
		return r.Key
	}
	return w.at(r.Offset)
}

// strayReads counts records that the consumer invented.
func (a *auditor) strayReads(reads []int32) {
	for _, i := range reads {
		r := &a.o.Reads[i]
		a.found.add(evidence.Phantom, PhantomRead, 1, 0, place{r.Topic, r.Partition}.at(r.Offset))
	}
}

// strayPartitions is for reads of partitions that the log does not have.
func (a *auditor) strayPartitions() {
	for _, at := range slices.SortedFunc(maps.Keys(a.readings), place.compare) {
		a.strayReads(a.takeReading(at).at)
	}
}
