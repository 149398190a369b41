package audit

import (
	"slices"

	"kcompare/internal/evidence"
)

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
// were lost, those that failed and are there, and copies without a producer id.
type journeys map[int]*journey

func (j journeys) of(s sent) journey {
	if known := j[s.position()]; known != nil {
		return *known
	}
	return journey{}
}

// journeys reads the trace a second time, only when there is anything to explain.
func (a *Auditor) journeys(lost []sent) journeys {
	all := journeys{}
	if len(lost) == 0 && a.copies.exceptions.count == 0 {
		return all
	}
	for i := range a.o.Trace.Exchanges {
		e := &a.o.Trace.Exchanges[i]
		for j := range e.Batches {
			a.follow(all, e, &e.Batches[j])
		}
	}
	return all
}

func (a *Auditor) follow(all journeys, e *evidence.Exchange, b *evidence.TraceBatch) {
	// Where some records are not named, the position of the others is not known.
	numbered := e.Forwarded && b.ProducerID >= 0 && int(b.Records) == len(b.Sends)
	partition := a.wire.place(place{b.Topic, b.Partition})
	for i, id := range b.Sends {
		s, known := a.sends.find(id)
		if !known || !a.unexplained(s) {
			continue
		}
		j := all[s.position()]
		if j == nil {
			j = &journey{}
			all[s.position()] = j
		}
		j.travelled(e, wayOf(e, b))
		if numbered {
			j.numbers = append(j.numbers, identity{b.ProducerID, partition, sequence(b.BaseSequence, int64(i)), b.ProducerEpoch})
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

// reusedSequences finds those of the sends that went to the broker under a
// sequence number under which the first copy of a send stands in the log.
func (a *Auditor) reusedSequences(all journeys) map[int]bool {
	asked := map[producer][]int32{} // sequences
	for _, j := range all {
		for _, id := range j.numbers {
			asked[id.by()] = append(asked[id.by()], id.sequence)
		}
	}
	for _, sequences := range asked {
		slices.Sort(sequences)
	}
	taken := map[identity]bool{}
	for _, in := range a.sends.instances {
		for _, t := range in.trails {
			t.taken(asked, taken)
		}
	}
	reused := map[int]bool{}
	for position, j := range all {
		reused[position] = slices.ContainsFunc(j.numbers, func(id identity) bool { return taken[id] })
	}
	return reused
}

// producer is whose sequences count up in a partition.
type producer struct {
	id        int64
	partition int32
	epoch     int16
}

func (id identity) by() producer { return producer{id.producer, id.partition, id.epoch} }

// taken notes the sequences that were asked for and under which something stands.
func (t *trail) taken(asked map[producer][]int32, taken map[identity]bool) {
	for i := range t.stretches {
		s := &t.stretches[i]
		by := producer{s.producer, t.number, s.epoch}
		sequences := asked[by]
		at, _ := slices.BinarySearch(sequences, s.sequence)
		for ; at < len(sequences) && sequences[at] <= sequence(s.sequence, int64(s.count()-1)); at++ {
			taken[identity{by.id, by.partition, sequences[at], by.epoch}] = true
		}
	}
}
