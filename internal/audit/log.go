package audit

import (
	"fmt"

	"kcompare/internal/evidence"
	"kcompare/internal/partition"
)

// walk goes through one partition of the log, batch by batch.
type walk struct {
	*Auditor
	place
	number   int32 // of the place
	before   int64
	next     int64 // the offset that has to come next
	hold     hold
	passages map[*instance]*passage
	here     *passage // of the instance whose send was met last
	keyed    keyed    // its choose is nil where no partitioner is declared
	key      []byte   // reused

	committed, uncommitted *reading
	standing               []standing
	past                   []leap // of this partition, that consumers of the story went past

	output int // number of the topic among the outputs of a processing, or noOutput
}

// passage is the sends of one instance on their way through the partition.
type passage struct {
	*instance
	trail *trail
	order order
}

func (a *Auditor) newWalk(at place, before int64) *walk {
	w := &walk{
		Auditor: a, place: at, number: a.wire.place(at), before: before, next: before,
		hold: hold{open: map[int64][]*held{}}, passages: map[*instance]*passage{}, keyed: a.keyed[at.topic],
		committed: a.committed.take(at), uncommitted: a.uncommitted.take(at), standing: standings(a.o, at),
		output: a.processing.output(at.topic), past: a.members[at],
	}
	w.steppedOverBefore()
	return w
}

func (w *walk) end(after int64) {
	w.releaseRest()
	w.upTo(after)
	w.log.delta += after - w.before
	w.committed.strayReads(w.committed.at)
	w.uncommitted.strayReads(w.uncommitted.at)
}

// batch takes a batch whose fate is known; a marker has no records and explains
// its offset. Trial topics are never compacted, so nothing else explains a
// missing one.
func (w *walk) batch(b *evidence.Batch, fate evidence.Fate) {
	switch {
	case b.LastOffset < w.before: // it stood there before the trial
		return
	case b.Control != "":
		w.upTo(b.BaseOffset)
		w.next = max(w.next, b.LastOffset+1)
		return
	}
	w.checkLeak(b)
	w.countFate(fate, int64(len(b.Records)))
	o := w.copies.origin(b, fate)
	for i := range b.Records {
		w.record(b, &b.Records[i], o)
	}
}

func (w *walk) countFate(fate evidence.Fate, records int64) {
	w.log.records += records
	switch fate {
	case evidence.FateVisible:
		w.log.visible += records
	case evidence.FateAborted:
		w.log.aborted += records
	}
}

// upTo is called with the offset that comes next; those before it that did not
// come are missing.
func (w *walk) upTo(offset int64) {
	if missing := offset - w.next; missing > 0 {
		from := w.next
		w.found.add(evidence.OffsetGap, OffsetsMissing, missing, 0, func() string { return w.at(from) })
		w.next = offset
	}
}

func (w *walk) record(b *evidence.Batch, r *evidence.LogRecord, o *origin) {
	w.upTo(r.Offset)
	w.next = max(w.next, r.Offset+1)
	s, known := w.recognise(r)
	abortedSeen := w.compareReads(r, o.fate)
	w.steppedOver(r, o.fate)
	w.checkOutput(r, o.fate, known)
	if !known {
		w.phantom(r)
		return
	}
	w.checkContent(s, r)
	w.checkPlace(s, r)
	w.checkCopy(s, o, r.Offset, sequence(b.BaseSequence, r.Offset-b.BaseOffset))
	if abortedSeen {
		w.exception(s).abortedSeen = true
	}
}

// recognise finds the send of a record in the log.
func (a *Auditor) recognise(r *evidence.LogRecord) (sent, bool) {
	if r.Foreign {
		return sent{}, false
	}
	return a.sends.find(r.Send)
}

// phantom counts as a logical record of its own: nobody can say whether two of
// them are the same.
func (w *walk) phantom(r *evidence.LogRecord) {
	w.log.unique++
	cause := PhantomUnknown
	if r.Foreign {
		cause = PhantomForeign
	}
	w.found.add(evidence.Phantom, cause, 1, 0, func() string { return w.at(r.Offset) })
}

// about counts an anomaly of a send.
func (a *Auditor) about(s sent, kind evidence.AnomalyKind, cause string) {
	a.aboutMany(s, 1, kind, cause)
}

// aboutMany counts an anomaly of several sends, of which s is the first.
func (a *Auditor) aboutMany(s sent, n int64, kind evidence.AnomalyKind, cause string) {
	a.found.add(kind, cause, n, s.position(), func() string { return a.sends.name(s) })
}

// checkContent knows of a send in bulk no more than what stands with the record.
func (w *walk) checkContent(s sent, r *evidence.LogRecord) {
	sum := r.Send.Sum
	if p := s.position(); p < len(w.sends.given) {
		sum = w.sends.given[p].Send.Sum
	}
	if r.Sum != sum || r.Send.Sum != sum || r.ID != s.id() {
		w.about(s, evidence.Corrupted, CorruptedLog)
	}
}

// checkPlace names one thing that is wrong with a copy's partition: what the
// client told weighs more than what it should have chosen.
func (w *walk) checkPlace(s sent, r *evidence.LogRecord) {
	switch {
	case s.topic != w.topic:
		w.about(s, evidence.WrongPartition, WrongTopic)
	case s.partition != evidence.AnyPartition && s.partition != w.partition:
		w.about(s, evidence.WrongPartition, WrongTold)
	case !w.rightlyKeyed(r.Key):
		w.about(s, evidence.WrongPartition, WrongKeyed)
	}
}

func (w *walk) rightlyKeyed(key string) bool {
	if w.keyed.choose == nil || key == "" {
		return true
	}
	w.key = append(w.key[:0], key...)
	return w.keyed.choose(w.key, w.keyed.partitions) == w.partition
}

func (w *walk) checkCopy(s sent, o *origin, offset int64, sequence int32) {
	rec := s.record()
	if w.copies.has(s.position()) {
		w.furtherCopy(s, o, offset, sequence)
	} else {
		w.firstCopy(s, rec, o, offset, sequence)
	}
	if rec != nil {
		rec.meet(s.instance, o.fate)
	}
}

func (w *walk) firstCopy(s sent, rec *record, o *origin, offset int64, sequence int32) {
	if rec != nil && rec.met {
		w.about(s, evidence.Duplicate, rec.sentAgain(s.instance))
	} else {
		w.log.unique++
	}
	w.copies.set(s.position())
	p := w.passage(s.by)
	ordinal := s.ordinal + s.i
	p.trail.add(o, ordinal, offset, sequence)
	for _, ahead := range p.order.add(ordinal) {
		w.reordered(s, ahead)
	}
	if w.remarkable(s, offset, o.fate) {
		w.exception(s)
	}
	if o.fate == evidence.FateVisible {
		w.becameVisible(s)
	}
}

func (w *walk) passage(in *instance) *passage {
	if w.here != nil && w.here.instance == in {
		return w.here
	}
	w.here = w.passages[in]
	if w.here == nil {
		own := &trail{place: w.place, number: w.number}
		in.trails = append(in.trails, own)
		w.here = &passage{instance: in, trail: own}
		w.passages[in] = w.here
	}
	return w.here
}

// reordered counts sends of the instance that sent later.
func (w *walk) reordered(later sent, ahead span) {
	if s, known := w.sends.find(evidence.SendID{Instance: later.instance, Ordinal: ahead.from}); known {
		w.aboutMany(s, int64(ahead.count()), evidence.Reordered, ReorderedLater)
	}
}

// remarkable says whether the first copy leaves something to settle.
func (w *walk) remarkable(s sent, offset int64, fate evidence.Fate) bool {
	told, isTold := s.told()
	switch {
	case s.outcome == evidence.OutcomeFailed:
		return true
	case isTold && told != offset && s.topic == w.topic && s.partition == w.partition:
		return true
	case s.parts == nil:
		return false
	}
	return fate == evidence.FateAborted && s.committed() || fate == evidence.FateVisible && s.aborted()
}

// furtherCopy is a duplicate by itself. Why there is one that has no producer id, or
// another number, is settled later, by the trace.
func (w *walk) furtherCopy(s sent, o *origin, offset int64, sequence int32) {
	e := w.exception(s)
	switch {
	case o.producer < 0:
		e.unnumbered++
	case w.sameAgain(s, e, identity{o.producer, w.number, sequence, o.epoch}):
		w.about(s, evidence.Duplicate, DuplicateBroker)
	default:
		e.renumberings++
	}
	if o.fate == evidence.FateVisible && !e.visible {
		w.becameVisible(s)
	}
	e.note(w.place, offset, o.fate)
}

// sameAgain says whether a copy of the send with this identity stands in the log already,
// so that the broker wrote it twice.
func (w *walk) sameAgain(s sent, e *exception, id identity) bool {
	switch key := (copyOf{s.position(), id}); {
	case s.firstCopy().identity() == id, e.renumbered && e.second == id, w.copies.again[key]:
		return true
	case e.renumbered:
		w.copies.again[key] = true
	default:
		e.renumbered, e.second = true, id
	}
	return false
}

// keyed is a declared partitioner of a topic.
type keyed struct {
	choose     partition.Func
	partitions int32
}

// declared is the partitioners by topic, and what is wrong with the others.
func declared(topics []evidence.KeyedTopic) (known map[string]keyed, notes []string) {
	known = map[string]keyed{}
	for _, t := range topics {
		choose, err := partition.ByName(t.Partitioner)
		switch {
		case err != nil:
			notes = append(notes, fmt.Sprintf("partitions of %s: %v", t.Topic, err))
		case t.Partitions <= 0:
			notes = append(notes, fmt.Sprintf("partitions of %s: %d declared, expected at least 1", t.Topic, t.Partitions))
		default:
			known[t.Topic] = keyed{choose, t.Partitions}
		}
	}
	return known, notes
}
