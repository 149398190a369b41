package audit

import "kcompare/internal/evidence"

// journey is how the wire carried one send.
type journey struct {
	way        way
	answeredAt int64      // microseconds, when an answer without an error was passed on; 0 if none was
	needless   int32      // requests with it that the broker got after that
	numbers    []identity // what the broker knew it by, request by request
}

// way is how far the wire carried a send, one bit for each thing that happened
// to any of the Produce requests it was in.
type way uint8

const (
	carried  way = 1 << iota // the client put it on the wire
	reached                  // the broker got it
	written                  // the broker answered without an error
	refused                  // the broker answered with an error
	told                     // the answer without an error reached the client
	deceived                 // an error reached the client in place of that answer
	forged                   // an answer without an error reached the client, and no broker had given it
)

// journeys are those of the sends whose fate the trace has to explain: those that
// were lost, those that failed and are there, those with another offset than told, and
// copies without a producer id.
type journeys map[int]*journey

func (j journeys) of(s sent) journey {
	if known := j[s.position()]; known != nil {
		return *known
	}
	return journey{}
}

// journeys reads the trace a second time, only when there is anything to explain.
func (a *Auditor) journeys(open *unsettled) journeys {
	f := &following{a, open, nil, journeys{}}
	if len(open.lost)+len(open.mistold) == 0 && a.copies.exceptions.count == 0 {
		return f.journeys
	}
	for i := range a.o.Trace.Exchanges {
		e := &a.o.Trace.Exchanges[i]
		for j := range e.Batches {
			f.follow(e, &e.Batches[j])
		}
	}
	return f.journeys
}

// following is one reading of the trace.
type following struct {
	*Auditor
	open       *unsettled
	renumbered numbers // nil until a request names its records: a trace of batch headers has none that does
	journeys   journeys
}

func (f *following) numbers() numbers {
	if f.renumbered == nil {
		f.renumbered = f.numbersOfRenumbered()
	}
	return f.renumbered
}

func (f *following) follow(e *evidence.Exchange, b *evidence.TraceBatch) {
	// Where some records are not named, the position of the others is not known.
	numbered := e.Forwarded && b.ProducerID >= 0 && int(b.Records) == len(b.Sends)
	partition := f.wire.place(place{b.Topic, b.Partition})
	for i, id := range b.Sends {
		s, known := f.sends.find(id)
		if !known {
			continue
		}
		number := identity{b.ProducerID, partition, sequence(b.BaseSequence, int64(i)), b.ProducerEpoch}
		if numbered {
			f.numbers().usedBy(s, number)
		}
		if !f.unexplained(s) && !f.open.isMistold(s) {
			continue
		}
		j := f.journeys[s.position()]
		if j == nil {
			j = &journey{}
			f.journeys[s.position()] = j
		}
		j.travelled(e, wayOf(e, b))
		if numbered {
			j.numbers = append(j.numbers, number)
		}
	}
}

func (a *Auditor) unexplained(s sent) bool {
	if !a.copies.has(s.position()) {
		return s.outcome == evidence.OutcomeAcked
	}
	e := a.copies.exceptions.get(s.position())
	return e != nil && (e.outcome == evidence.OutcomeFailed || e.unnumbered > 0)
}

// travelled notes one request with the send. Requests come in the order in which
// they reached the proxy; the answer to an earlier one counts only if it had gone
// to the client before this one arrived.
func (j *journey) travelled(e *evidence.Exchange, w way) {
	j.way |= w
	if w&reached != 0 && j.answeredAt > 0 && j.answeredAt < e.At {
		j.needless++
	}
	if w&told != 0 && j.answeredAt == 0 {
		j.answeredAt = e.AnsweredAt
	}
}

func wayOf(e *evidence.Exchange, b *evidence.TraceBatch) way {
	w := carried
	if !e.Forwarded && e.Delivered && e.Fault == falseAck {
		w |= forged
	}
	if !e.Forwarded {
		return w
	}
	w |= reached
	switch {
	case !e.Answered || b.Code == "":
	case b.Code != noError:
		w |= refused
	case !e.Delivered:
		w |= written
	case e.Fault == replaceResponse:
		w |= written | deceived
	default:
		w |= written | told
	}
	return w
}

// noError is the name of error code 0 in a trace.
const noError = "ok"

// replaceResponse is fault.ReplaceResponse as a trace spells it: the only fault
// under which the client gets another answer than the broker gave.
const replaceResponse = "replace-response"

// falseAck is fault.FalseAck as a trace spells it: the only fault under which the
// client is told of a success that no broker knows of.
const falseAck = "false-ack"
