package evidence

import "iter"

// The types of control batches.
const (
	Commit = "COMMIT"
	Abort  = "ABORT"
)

// Fate is what a read_committed reader makes of the data of a batch.
type Fate int

// The fates of a batch.
const (
	FateHidden    Fate = iota // a marker, or behind the last stable offset
	FateVisible               // the reader gets it
	FateAborted               // its transaction was aborted
	FateUndecided             // its transaction has no marker yet
)

// Fates is the fate of each batch: nothing of an aborted transaction is visible,
// and nothing from the first record of an undecided one on (the last stable
// offset, KIP-98).
func (p PartitionLog) Fates() []Fate {
	decided, stable := p.decisions()
	fates := make([]Fate, len(p.Batches))
	for i, b := range p.Batches {
		switch {
		case b.Control != "":
			fates[i] = FateHidden
		case b.Transactional && decided[i] == Abort:
			fates[i] = FateAborted
		case b.Transactional && decided[i] != Commit:
			fates[i] = FateUndecided
		case i < stable:
			fates[i] = FateVisible
		}
	}
	return fates
}

// Records yields the data records of the fates that are wanted. A read_committed
// reader of the partition gets those that are FateVisible.
func (p PartitionLog) Records(wanted func(Fate) bool) iter.Seq[LogRecord] {
	fates := p.Fates()
	return func(yield func(LogRecord) bool) {
		for i, b := range p.Batches {
			if !wanted(fates[i]) {
				continue
			}
			for _, rec := range b.Records {
				if !yield(rec) {
					return
				}
			}
		}
	}
}

// decisions finds for each batch the marker that ends its transaction: the next
// one of the same producer. stable is the index of the first batch that has
// none.
func (p PartitionLog) decisions() (decided []string, stable int) {
	decided, stable = make([]string, len(p.Batches)), len(p.Batches)
	next := map[int64]string{} // by producer id
	for i := len(p.Batches) - 1; i >= 0; i-- {
		b := p.Batches[i]
		switch {
		case b.Control != "":
			next[b.ProducerID] = b.Control
		case b.Transactional:
			decided[i] = next[b.ProducerID]
			if decided[i] == "" {
				stable = i
			}
		}
	}
	return decided, stable
}
