package audit

import (
	"cmp"
	"slices"

	"kcompare/internal/evidence"
)

// settle holds what the client said of the sends against what was met in the
// log, after all of the log has been seen.
func (a *Auditor) settle() {
	open := a.unsettled()
	journeys := a.journeys(open)
	reused := a.reusedSequences(journeys)
	for _, s := range open.lost {
		a.about(s, evidence.Lost, a.lostCause(s, journeys.of(s).way, reused[s.position()]))
	}
	for _, m := range open.mistold {
		cause := m.cause
		if reused[m.position()] {
			cause = OffsetReused
		}
		a.about(m.sent, evidence.OffsetMismatch, cause)
	}
	for e := range a.copies.exceptions.all() {
		a.settleException(e, journeys.of(e.sent))
	}
	a.settleTorn()
	a.settleProcessing()
}

// unsettled is the acknowledged sends that are not as the client said: lost are those of
// which the log has nothing, or nothing that was committed, mistold those that stand at
// another offset.
type unsettled struct {
	lost    []sent
	mistold []mistold
	at      map[int]bool // positions of those
}

// mistold has the cause that the log alone gives.
type mistold struct {
	sent
	cause string
}

func (u *unsettled) isMistold(s sent) bool { return len(u.at) > 0 && u.at[s.position()] }

func (a *Auditor) unsettled() *unsettled {
	u := &unsettled{at: map[int]bool{}}
	maybe := a.absent()
	for e := range a.copies.exceptions.all() {
		switch {
		case e.outcome != evidence.OutcomeAcked:
		case e.live:
			a.checkOffset(u, e.sent)
		default:
			maybe = append(maybe, e.sent)
		}
	}
	slices.SortFunc(maybe, func(s, t sent) int { return cmp.Compare(s.position(), t.position()) })
	for _, s := range maybe {
		if a.isLost(s) {
			u.lost = append(u.lost, s)
		} else {
			a.checkOffset(u, s)
		}
	}
	return u
}

// absent is the acknowledged sends of which no copy was met.
func (a *Auditor) absent() (absent []sent) {
	for i := range a.sends.runs {
		r := &a.sends.runs[i]
		if r.outcome != evidence.OutcomeAcked {
			continue
		}
		for i := 0; i < r.count; i++ {
			switch p := r.first + i; {
			case p%64 == 0 && a.copies.allSeen(p):
				i += 63
			case !a.copies.has(p):
				absent = append(absent, sent{r, i})
			}
		}
	}
	return absent
}

// isLost is asked of acknowledged sends without a copy outside of aborted
// transactions. It is true once for each logical record, of which another send may
// have been met. What stands in aborted transactions is lost only to a client
// that was told of a commit.
func (a *Auditor) isLost(s sent) bool {
	rec := s.record()
	if rec == nil {
		return !a.copies.has(s.position()) || s.committed()
	}
	if rec.live || rec.lost || rec.met && !s.committed() {
		return false
	}
	rec.lost = true
	return true
}

// checkOffset looks at the offset told of an acknowledged record that is in the
// log. With several copies it may be any of them: after a lost answer a client
// without idempotence knows of the later copy only. A record in another
// partition than told has no right offset; that is a wrong-partition already.
func (a *Auditor) checkOffset(u *unsettled, s sent) {
	if _, told := s.told(); !told {
		return
	}
	if e := a.copies.exceptions.get(s.position()); e != nil {
		if e.inTold && !e.atTold {
			u.tell(s, OffsetNotThere)
		}
		return
	}
	if rec := s.record(); rec != nil && rec.met {
		u.tell(s, OffsetOfNothing)
	}
}

func (u *unsettled) tell(s sent, cause string) {
	u.mistold = append(u.mistold, mistold{s, cause})
	u.at[s.position()] = true
}

// settleException is for what the trace has to explain, and for what the end of a
// transaction turned out to be.
func (a *Auditor) settleException(e *exception, j journey) {
	if e.outcome == evidence.OutcomeFailed {
		a.about(e.sent, evidence.FailedButPresent, a.failedCause(j.way))
	}
	if e.unnumbered > 0 {
		a.settleUnnumbered(e, j)
	}
	if e.renumberings > 0 {
		cause := DuplicateRenumbered
		if e.reused {
			cause = DuplicateReused
		}
		a.aboutMany(e.sent, int64(e.renumberings), evidence.Duplicate, cause)
	}
	if e.visible && e.aborted() && !e.abortedSeen {
		a.about(e.sent, evidence.AbortedVisible, a.abortedCause(e.sent))
	}
}

// settleUnnumbered tells retries that nobody can avoid from those after the
// answer. Which of the copies came by which request is not known without a
// sequence, so as many copies as there were needless requests are put down to
// them.
func (a *Auditor) settleUnnumbered(e *exception, j journey) {
	needless := min(j.needless, e.unnumbered)
	if needless > 0 {
		a.aboutMany(e.sent, int64(needless), evidence.Duplicate, DuplicateAnswered)
	}
	if needless < e.unnumbered {
		a.aboutMany(e.sent, int64(e.unnumbered-needless), evidence.Duplicate, DuplicateNoProducer)
	}
}

func (a *Auditor) failedCause(w way) string {
	switch {
	case w&told != 0:
		return FailedAnswered
	case w&deceived != 0:
		return FailedReplaced
	case w&reached != 0 && a.traceWhole():
		return FailedSilent
	}
	return TraceSilent
}

func (a *Auditor) lostCause(s sent, w way, reused bool) string {
	switch {
	case a.copies.has(s.position()) && a.lateEnd(s.parts) == evidence.Abort:
		return LateAbort
	case a.copies.has(s.position()):
		return LostAborted
	case reused:
		return LostReused
	case w&written != 0:
		return LostByBroker
	case w&forged != 0:
		return LostForged
	case !a.traceWhole():
		return TraceSilent
	case w&carried == 0:
		return LostNeverSent
	case w&reached == 0:
		return LostOnTheWay
	case w&refused != 0:
		return LostRefused
	}
	return LostNoAnswer
}

// traceWhole says whether what the trace does not show did not happen.
func (a *Auditor) traceWhole() bool { return a.o.Trace.Cut == 0 && !a.wire.undecoded }
