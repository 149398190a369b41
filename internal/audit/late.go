package audit

import (
	"cmp"
	"slices"

	"kcompare/internal/evidence"
)

// lateEnds are the requests to end a transaction that a network held back until the
// producer was at work on a later one, and which transactions they ended:
//
//	EndTxn of 1 ──────────── held ───────────┐
//	EndTxn of 1, again ─> ok                 │
//	Produce of 2 ─────────────────> ok       │
//	                                         └─> ok: it has ended 2
//
// Before KIP-890 an EndTxn names the producer id and its epoch, which are those of the
// next transaction too. The trace proves it: the request came to the proxy before the
// first record of the transaction did, the broker did it after one was written, and
// nothing else had ended the transaction by then.
type lateEnds struct {
	overtaken []ending // by requests of the same producer and epoch that came later
	all       map[session][]ending
	written   map[*parts]*writing
	strays    map[int]bool // sends, by position, that were written after the end of their transaction
}

// session is what an EndTxn before KIP-890 is known by.
type session struct {
	producer int64
	epoch    int16
}

// ending is an EndTxn that the broker answered without an error.
type ending struct {
	session
	n, at  int64 // its place in the trace, and when it was answered
	commit bool
}

// writing is the records of one transaction on the wire.
type writing struct {
	session       // of those that were written
	begun   bool  // one was written
	at      int64 // when the first of them was
	first   int64 // the first request with one of them, by its place in the trace
}

// lateEnd is how a request that came late ended the transaction, as a marker says it;
// "" where the trace shows none such.
func (a *Auditor) lateEnd(p *parts) string {
	l := a.lateEnds()
	w := l.written[p]
	if w == nil || !w.begun {
		return ""
	}
	for _, late := range l.overtaken {
		if late.session == w.session && late.n < w.first && late.at >= w.at && !l.ended(w, late.at) {
			return late.marker()
		}
	}
	return ""
}

// lateEnds reads the trace when somebody asks for the first time.
func (a *Auditor) lateEnds() *lateEnds {
	if a.late == nil {
		a.late = a.findLateEnds()
	}
	return a.late
}

// stray says whether a send was written after the end of its transaction.
func (a *Auditor) stray(s sent) bool { return a.lateEnds().strays[s.position()] }

func (e ending) marker() string {
	if e.commit {
		return evidence.Commit
	}
	return evidence.Abort
}

// ended says whether the producer itself had ended the transaction by then.
func (l *lateEnds) ended(w *writing, by int64) bool {
	return slices.ContainsFunc(l.all[w.session], func(e ending) bool { return e.n > w.first && e.at < by })
}

// findLateEnds reads the trace from its end, so that of each EndTxn it is known when
// the requests behind it were answered.
func (a *Auditor) findLateEnds() *lateEnds {
	l := &lateEnds{all: map[session][]ending{}, written: map[*parts]*writing{}, strays: map[int]bool{}}
	answered := map[session]int64{} // the earliest of the Produce requests behind
	ended := map[session]int64{}    // ... and of the EndTxn
	for _, e := range slices.Backward(a.o.Trace.Exchanges) {
		for i := range e.Batches {
			b := &e.Batches[i]
			a.noteWriting(l, &e, b)
			if by := (session{b.ProducerID, b.ProducerEpoch}); didWrite(&e, b) {
				answered[by] = earliest(answered[by], e.AnsweredAt)
				if at, behind := ended[by]; behind && at < e.AnsweredAt {
					a.noteStrays(l, b)
				}
			}
		}
		if end := e.End; end != nil && end.Code == noError {
			by := session{end.ProducerID, end.ProducerEpoch}
			l.note(ending{by, e.N, e.AnsweredAt, end.Commit}, answered)
			ended[by] = earliest(ended[by], e.AnsweredAt)
		}
	}
	slices.SortFunc(l.overtaken, func(x, y ending) int { return cmp.Compare(x.at, y.at) })
	return l
}

// didWrite says whether the broker wrote the batch, or had it already.
func didWrite(e *evidence.Exchange, b *evidence.TraceBatch) bool {
	return e.Answered && b.Code == noError && b.ProducerID >= 0
}

// earliest is the lower of two times; 0 is none.
func earliest(x, y int64) int64 {
	if x == 0 {
		return y
	}
	return min(x, y)
}

func (a *Auditor) noteWriting(l *lateEnds, e *evidence.Exchange, b *evidence.TraceBatch) {
	for _, id := range b.Sends {
		s, known := a.sends.find(id)
		if !known || s.parts == nil {
			continue
		}
		w := l.written[s.parts]
		if w == nil {
			w = &writing{}
			l.written[s.parts] = w
		}
		w.first = e.N
		if didWrite(e, b) {
			w.session, w.begun, w.at = session{b.ProducerID, b.ProducerEpoch}, true, earliest(w.at, e.AnsweredAt)
		}
	}
}

// noteStrays notes records that came before an EndTxn and were written after it was
// done: not in the transaction that it ended.
func (a *Auditor) noteStrays(l *lateEnds, b *evidence.TraceBatch) {
	for _, id := range b.Sends {
		if s, known := a.sends.find(id); known {
			l.strays[s.position()] = true
		}
	}
}

func (l *lateEnds) note(e ending, answered map[session]int64) {
	l.all[e.session] = append(l.all[e.session], e)
	if at, behind := answered[e.session]; behind && at <= e.at {
		l.overtaken = append(l.overtaken, e)
	}
}
