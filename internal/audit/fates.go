package audit

import "kcompare/internal/evidence"

// hold keeps batches back until it is known what a read_committed reader makes
// of them: from the first record of an undecided transaction on, as the last
// stable offset does (KIP-98). Data outside of transactions passes at once while
// nothing is held.
type hold struct {
	waiting []*held
	open    map[int64][]*held // of these, the undecided ones of each producer
	spare   []*held           // memory for the next ones
}

type held struct {
	evidence.Batch
	decided   string // the marker that ended its transaction
	decidedAt int64  // and where it stands
}

// take lets a batch through, or keeps a copy of it.
func (w *walk) take(b *evidence.Batch) {
	h := &w.hold
	switch {
	case b.Control != "":
		for _, waiting := range h.open[b.ProducerID] {
			waiting.decided, waiting.decidedAt = b.Control, b.BaseOffset
		}
		delete(h.open, b.ProducerID)
		h.keep(b)
		w.release()
	case b.Transactional:
		kept := h.keep(b)
		h.open[b.ProducerID] = append(h.open[b.ProducerID], kept)
	case len(h.waiting) > 0:
		h.keep(b)
	default:
		w.batch(b, evidence.FateVisible)
	}
}

func (h *hold) keep(b *evidence.Batch) *held {
	if len(h.spare) == 0 {
		h.spare = append(h.spare, &held{})
	}
	kept := h.spare[len(h.spare)-1]
	h.spare = h.spare[:len(h.spare)-1]
	kept.Records = append(kept.Records[:0], b.Records...)
	own := kept.Records
	kept.Batch, kept.decided, kept.decidedAt = *b, "", 0
	kept.Records = own
	h.waiting = append(h.waiting, kept)
	return kept
}

// release lets through what is decided, up to the first batch that is not.
func (w *walk) release() {
	h := &w.hold
	n := 0
	for n < len(h.waiting) && h.waiting[n].settled() {
		w.stood(h.waiting[n])
		w.batch(&h.waiting[n].Batch, h.waiting[n].fate())
		n++
	}
	if n == 0 {
		return
	}
	h.spare = append(h.spare, h.waiting[:n]...)
	h.waiting = append(h.waiting[:0], h.waiting[n:]...)
}

// releaseRest lets through what an undecided transaction holds back for good.
// What stands behind it is not visible, whatever its own end.
func (w *walk) releaseRest() {
	for _, waiting := range w.hold.waiting {
		fate := waiting.fate()
		if fate == evidence.FateVisible {
			fate = evidence.FateHidden
			w.stuck(waiting, w.holder(w.hold.waiting[0]))
		}
		w.batch(&waiting.Batch, fate)
	}
}

func (b *held) settled() bool { return b.Control != "" || !b.Transactional || b.decided != "" }

// fate is that of a batch behind which nothing is undecided.
func (b *held) fate() evidence.Fate {
	switch {
	case b.Control != "":
		return evidence.FateHidden
	case !b.Transactional || b.decided == evidence.Commit:
		return evidence.FateVisible
	case b.decided == evidence.Abort:
		return evidence.FateAborted
	}
	return evidence.FateUndecided
}
