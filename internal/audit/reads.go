package audit

import (
	"cmp"
	"maps"
	"slices"

	"kcompare/internal/evidence"
)

// consumer is what the client's own consumer returned under one isolation level.
type consumer struct {
	reads    []evidence.Read // nil when it did not read
	under    string          // the end of each cause
	readings map[place]*reading
	found    *findings
}

// reading is what was returned of one partition. The walk through the log takes
// the reads one by one, so they are put in the order of offsets first. It keeps
// positions in consumer.reads.
type reading struct {
	*consumer
	at      []int32
	highest int64
	jumped  bool // it went back at least once
}

func newConsumer(reads []evidence.Read, under string, found *findings) *consumer {
	c := &consumer{reads: reads, under: under, readings: map[place]*reading{}, found: found}
	for i := range reads {
		c.read(int32(i))
	}
	return c
}

func (c *consumer) read(i int32) {
	r := &c.reads[i]
	at := place{r.Topic, r.Partition}
	rd := c.readings[at]
	switch {
	case rd == nil:
		rd = &reading{consumer: c, highest: r.Offset}
		c.readings[at] = rd
	case r.Offset <= rd.highest:
		rd.jumped = true
		c.found.add(evidence.PollNonmonotonic, ReadNonmonotonic+c.under, 1, 0, func() string { return at.at(r.Offset) })
	}
	rd.highest = max(rd.highest, r.Offset)
	rd.at = append(rd.at, i)
}

// take is what was read of a partition, each offset once.
func (c *consumer) take(at place) *reading {
	rd := c.readings[at]
	if rd == nil {
		return &reading{consumer: c}
	}
	delete(c.readings, at)
	if rd.jumped {
		offset := func(i int32) int64 { return c.reads[i].Offset }
		slices.SortStableFunc(rd.at, func(i, j int32) int { return cmp.Compare(offset(i), offset(j)) })
		rd.at = slices.CompactFunc(rd.at, func(i, j int32) bool { return offset(i) == offset(j) })
	}
	return rd
}

// next takes what the consumer returned at an offset, nil if nothing. What it
// returned before that, the log does not have.
func (rd *reading) next(offset int64) *evidence.Read {
	n := 0
	for n < len(rd.at) && rd.reads[rd.at[n]].Offset < offset {
		n++
	}
	rd.strayReads(rd.at[:n])
	rd.at = rd.at[n:]
	if len(rd.at) == 0 || rd.reads[rd.at[0]].Offset > offset {
		return nil
	}
	read := &rd.reads[rd.at[0]]
	rd.at = rd.at[1:]
	return read
}

// compareReads holds a record of the log against what the consumer returned
// under each isolation level. It says whether one that was to read committed
// data got a record of an aborted transaction.
func (w *walk) compareReads(r *evidence.LogRecord, fate evidence.Fate) (abortedSeen bool) {
	if w.committed.reads == nil && w.uncommitted.reads == nil {
		return false
	}
	w.compareRead(w.uncommitted, r, true)
	if !w.compareRead(w.committed, r, fate == evidence.FateVisible) {
		return false
	}
	switch fate {
	case evidence.FateAborted:
		w.found.add(evidence.AbortedVisible, ReadAborted, 1, 0, func() string { return w.named(r) })
	case evidence.FateUndecided:
		w.found.add(evidence.UncommittedVisible, ReadUndecided, 1, 0, func() string { return w.named(r) })
	}
	return fate == evidence.FateAborted
}

// compareRead says whether the consumer returned the record. A complete
// read-back includes that the consumer came to the end of the log, so a record
// that was due and that it did not return was stepped over.
func (w *walk) compareRead(rd *reading, r *evidence.LogRecord, due bool) bool {
	if rd.reads == nil {
		return false
	}
	read := rd.next(r.Offset)
	if read == nil {
		if due {
			w.found.add(evidence.PollSkipped, ReadSkipped+rd.under, 1, 0, func() string { return w.at(r.Offset) })
		}
		return false
	}
	if !r.Foreign && (read.ID != r.ID || read.Sum != r.Sum) {
		w.found.add(evidence.Corrupted, CorruptedRead+rd.under, 1, 0, func() string { return w.named(r) })
	}
	return true
}

func (w *walk) named(r *evidence.LogRecord) string {
	if r.Key != "" {
		return r.Key
	}
	return w.at(r.Offset)
}

// strayReads counts records that the consumer invented.
func (c *consumer) strayReads(reads []int32) {
	for _, i := range reads {
		r := &c.reads[i]
		c.found.add(evidence.Phantom, PhantomRead+c.under, 1, 0, func() string { return place{r.Topic, r.Partition}.at(r.Offset) })
	}
}

// strayPartitions is for reads of partitions that the log does not have.
func (c *consumer) strayPartitions() {
	for _, at := range slices.SortedFunc(maps.Keys(c.readings), place.compare) {
		c.strayReads(c.take(at).at)
	}
}
