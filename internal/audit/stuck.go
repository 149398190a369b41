package audit

import "kcompare/internal/evidence"

// A transaction that nobody ends holds the last stable offset, and with it every
// reader under read_committed: what others have committed behind it does not get
// there. The log shows that at its end, where the transaction is still open. What
// has ended meanwhile, only the story can have seen (evidence.Standing).

// standing is a last stable offset that stood, and the transaction that held it.
type standing struct {
	evidence.Standing
	abandoned bool // its producer never asked for an end
}

// standings are those of a partition.
func standings(o *evidence.Observed, at place) []standing {
	var here []standing
	for _, s := range o.Standing {
		if s.Topic == at.topic && s.Partition == at.partition {
			here = append(here, standing{Standing: s})
		}
	}
	return here
}

// stood counts the records of a batch that were committed and not to be had when the
// story looked. It is called batch by batch, so that the holder comes before what
// it held. A transaction that is open while its producer lives is none of that.
func (w *walk) stood(b *held) {
	for i := range w.standing {
		s := &w.standing[i]
		switch {
		case b.Control != "":
		case b.BaseOffset <= s.Stable && s.Stable <= b.LastOffset:
			s.abandoned = w.holder(b) == StuckAbandoned
		case s.abandoned && b.fate() == evidence.FateVisible && s.Stable < b.BaseOffset && b.readableFrom() < s.End:
			w.stuck(b, StuckMeanwhile)
			return
		}
	}
}

// readableFrom is the offset behind which the log ends when a reader can get the
// batch, if nothing holds it back: that of its marker, or its own.
func (b *held) readableFrom() int64 {
	if b.Transactional {
		return b.decidedAt
	}
	return b.LastOffset
}

// holder is why the transaction of a batch holds back what stands behind it.
func (w *walk) holder(b *held) string {
	for i := range b.Records {
		s, known := w.recognise(&b.Records[i])
		switch {
		case !known || s.parts == nil:
			continue
		case s.parts.asked == "":
			return StuckAbandoned
		}
		return StuckUnended
	}
	return StuckStranger
}

// stuck counts what a reader does not get.
func (w *walk) stuck(b *held, cause string) {
	if b.LastOffset < w.before {
		return
	}
	for i := range b.Records {
		r := &b.Records[i]
		if s, known := w.recognise(r); known && s.parts != nil && !w.copies.has(s.position()) {
			s.parts.held++
		}
		w.found.add(evidence.StuckReader, cause, 1, 0, func() string { return w.named(r) })
	}
}
