package audit

import "kcompare/internal/evidence"

// settle holds what the client said of each send against what was met in the
// log, after all of the log has been seen.
func (a *auditor) settle() {
	var lost []int32
	for i := range a.o.Sends {
		send := int32(i)
		switch s, state := &a.o.Sends[i], &a.sends.states[i]; {
		case s.Outcome == evidence.OutcomeFailed && state.present:
			a.about(send, evidence.FailedButPresent, a.failedCause(state.way))
		case s.Outcome != evidence.OutcomeAcked:
		case a.isLost(state):
			lost = append(lost, send)
		default:
			a.checkOffset(send)
		}
	}
	reused := a.reusedSequences(lost)
	for _, send := range lost {
		a.about(send, evidence.Lost, a.lostCause(a.sends.states[send].way, reused[send]))
	}
}

// isLost is true once for each logical record: when the first of its
// acknowledged sends asks.
func (a *auditor) isLost(state *sendState) bool {
	record := &a.sends.states[state.logical]
	if record.met || record.lost {
		return false
	}
	record.lost = true
	return true
}

// checkOffset looks at the offset told of an acknowledged record that is in the
// log. With several copies it may be any of them: after a lost answer a client
// without idempotence knows of the later copy only. A record in another
// partition than told has no right offset; that is a wrong-partition already.
func (a *auditor) checkOffset(send int32) {
	s, state := &a.o.Sends[send], &a.sends.states[send]
	switch {
	case s.NoAck || s.Offset == evidence.NoOffset:
	case !state.present && a.sends.states[state.logical].met:
		a.about(send, evidence.OffsetMismatch, OffsetOfNothing)
	case state.inTold && !state.atTold:
		a.about(send, evidence.OffsetMismatch, OffsetNotThere)
	}
}

func (a *auditor) failedCause(w way) string {
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

func (a *auditor) lostCause(w way, reused bool) string {
	switch {
	case reused:
		return LostReused
	case w&written != 0:
		return LostByBroker
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
func (a *auditor) traceWhole() bool { return a.o.Trace.Cut == 0 && !a.wire.undecoded }

// reusedSequences finds those of the lost sends that went to the broker under a
// sequence number under which another send stands in the log. The trace is read
// a second time, and only when something was lost.
func (a *auditor) reusedSequences(lost []int32) map[int32]bool {
	reused := map[int32]bool{}
	if len(lost) == 0 {
		return reused
	}
	numbers := a.numbersOf(lost)
	taken := map[identity]bool{}
	for _, n := range numbers {
		taken[n.identity] = false
	}
	for i := range a.sends.states {
		state := &a.sends.states[i]
		if _, asked := taken[state.first]; asked && state.present {
			taken[state.first] = true
		}
	}
	for _, n := range numbers {
		reused[n.send] = reused[n.send] || taken[n.identity]
	}
	return reused
}

// numbersOf is what the broker knew some sends by, request by request.
func (a *auditor) numbersOf(sends []int32) []copyOf {
	wanted := map[int32]bool{}
	for _, send := range sends {
		wanted[send] = true
	}
	var numbers []copyOf
	for i := range a.o.Trace.Exchanges {
		e := &a.o.Trace.Exchanges[i]
		for j := range e.Batches {
			// Where some records are not named, the position of the others is not known.
			if b := &e.Batches[j]; e.Forwarded && b.ProducerID >= 0 && int(b.Records) == len(b.Sends) {
				numbers = a.appendNumbers(numbers, b, wanted)
			}
		}
	}
	return numbers
}

func (a *auditor) appendNumbers(numbers []copyOf, b *evidence.TraceBatch, wanted map[int32]bool) []copyOf {
	partition := a.wire.place(place{b.Topic, b.Partition})
	for i, id := range b.Sends {
		if send, known := a.sends.find(id); known && wanted[send] {
			numbers = append(numbers, copyOf{send, identity{
				b.ProducerID, partition, sequence(b.BaseSequence, int64(i)), b.ProducerEpoch,
			}})
		}
	}
	return numbers
}
