package audit

import (
	"kcompare/internal/evidence"
	"kcompare/internal/partition"
)

// walk goes through one partition of the log, batch by batch.
type walk struct {
	*auditor
	place
	number int32 // of the place
	next   int64 // the offset that has to come next
	order  order
	reads  *reading
	key    []byte // reused
}

func (a *auditor) partitionLog(p evidence.PartitionLog) {
	at := place{p.Topic, p.Partition}
	w := &walk{
		auditor: a, place: at, number: a.wire.place(at), next: p.Before,
		order: order{}, reads: a.takeReading(at),
	}
	a.log.delta += p.After - p.Before
	fates := p.Fates()
	for i := range p.Batches {
		if p.Batches[i].LastOffset >= p.Before { // others stood there before the trial
			w.batch(&p.Batches[i], fates[i])
		}
	}
	w.upTo(p.After)
	w.strayReads(w.reads.at)
}

// batch takes a batch; a marker has no records and explains its offset. Trial
// topics are never compacted, so nothing else explains a missing one.
func (w *walk) batch(b *evidence.Batch, fate evidence.Fate) {
	if b.Control != "" {
		w.upTo(b.BaseOffset)
		w.next = max(w.next, b.LastOffset+1)
		return
	}
	if !w.passed(b, w.number) {
		if w.wire.leaks == 0 {
			w.wire.firstLeak = w.at(b.BaseOffset)
		}
		w.wire.leaks++
	}
	for i := range b.Records {
		w.record(b, &b.Records[i], fate)
	}
}

// upTo is called with the offset that comes next; those before it that did not
// come are missing.
func (w *walk) upTo(offset int64) {
	if missing := offset - w.next; missing > 0 {
		w.found.add(evidence.OffsetGap, OffsetsMissing, missing, 0, w.at(w.next))
		w.next = offset
	}
}

func (w *walk) record(b *evidence.Batch, r *evidence.LogRecord, fate evidence.Fate) {
	w.upTo(r.Offset)
	w.next = max(w.next, r.Offset+1)
	w.log.records++
	if fate == evidence.FateVisible {
		w.log.visible++
	}
	w.compareRead(r, fate)
	send, known := w.recognise(r)
	if !known {
		w.phantom(r)
		return
	}
	w.checkContent(send, r)
	w.checkPlace(send, r.Offset)
	w.checkCopy(send, identity{
		producer: b.ProducerID, partition: w.number,
		sequence: sequence(b.BaseSequence, r.Offset-b.BaseOffset), epoch: b.ProducerEpoch,
	})
}

// recognise finds the send of a record in the log.
func (a *auditor) recognise(r *evidence.LogRecord) (int32, bool) {
	if r.Foreign {
		return 0, false
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
	w.found.add(evidence.Phantom, cause, 1, 0, w.at(r.Offset))
}

// about counts an anomaly of a send.
func (a *auditor) about(send int32, kind evidence.AnomalyKind, cause string) {
	a.found.add(kind, cause, 1, int(send), a.sends.name(send))
}

func (w *walk) checkContent(send int32, r *evidence.LogRecord) {
	s := &w.o.Sends[send]
	if r.ID != s.ID || r.Send.Sum != s.Send.Sum || r.Sum != s.Send.Sum {
		w.about(send, evidence.Corrupted, CorruptedLog)
	}
}

// checkPlace names one thing that is wrong with a copy's partition: what the
// client told weighs more than what it should have chosen.
func (w *walk) checkPlace(send int32, offset int64) {
	s, state := &w.o.Sends[send], &w.sends.states[send]
	if s.Topic == w.topic && s.Partition == w.partition {
		state.inTold = true
		state.atTold = state.atTold || s.Offset == offset
	}
	switch {
	case s.Topic != w.topic:
		w.about(send, evidence.WrongPartition, WrongTopic)
	case s.Outcome == evidence.OutcomeAcked && s.Partition != evidence.AnyPartition && s.Partition != w.partition:
		w.about(send, evidence.WrongPartition, WrongTold)
	case !w.rightlyKeyed(s.Key):
		w.about(send, evidence.WrongPartition, WrongKeyed)
	}
}

func (w *walk) rightlyKeyed(key string) bool {
	k, declared := w.keyed[w.topic]
	if !declared || key == "" {
		return true
	}
	w.key = append(w.key[:0], key...)
	return k.choose(w.key, k.partitions) == w.partition
}

func (w *walk) checkCopy(send int32, id identity) {
	firstCopy, duplicate := w.sends.meet(send, id)
	if duplicate != "" {
		w.about(send, evidence.Duplicate, duplicate)
	} else {
		w.log.unique++
	}
	if !firstCopy {
		return
	}
	s := w.o.Sends[send].Send
	for _, ahead := range w.order.add(s.Instance, sent{s.Ordinal, send}) {
		w.about(ahead.send, evidence.Reordered, ReorderedLater)
	}
}

// keyed is a declared partitioner of a topic.
type keyed struct {
	choose     partition.Func
	partitions int32
}

func (a *auditor) declared(topics []evidence.KeyedTopic) map[string]keyed {
	known := map[string]keyed{}
	for _, t := range topics {
		choose, err := partition.ByName(t.Partitioner)
		switch {
		case err != nil:
			a.unchecked("partitions of %s: %v", t.Topic, err)
		case t.Partitions <= 0:
			a.unchecked("partitions of %s: %d declared, expected at least 1", t.Topic, t.Partitions)
		default:
			known[t.Topic] = keyed{choose, t.Partitions}
		}
	}
	return known
}
