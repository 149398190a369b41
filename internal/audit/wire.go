package audit

import (
	"math"

	"kcompare/internal/evidence"
)

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
)

// wire is the Produce requests that a broker got, as a stock from which each
// batch in the log takes its own. It counts: a batch that stands in the log
// twice needs two requests.
type wire struct {
	places  map[place]int32 // partitions by number
	batches map[identity]int32
	records map[sentTo]int32 // of batches without producer id
	unnamed map[int32]int32  // by partition: records of such batches whose sends are not known

	undecoded bool // some batches do not say which records they hold
	leaks     int64
	firstLeak string
}

type sentTo struct{ send, partition int32 }

func newWire() wire {
	return wire{
		places: map[place]int32{}, batches: map[identity]int32{},
		records: map[sentTo]int32{}, unnamed: map[int32]int32{},
	}
}

// place numbers a partition, so that identities stay small.
func (w *wire) place(p place) int32 {
	n, ok := w.places[p]
	if !ok {
		n = int32(len(w.places))
		w.places[p] = n
	}
	return n
}

// exchange folds in one request and its answer. Only Produce has batches.
func (a *auditor) exchange(e *evidence.Exchange) {
	for i := range e.Batches {
		b := &e.Batches[i]
		if a.o.OneRecordPerBatch && b.Records > 1 {
			a.cond.SharedBatches++
		}
		if int(b.Records) > len(b.Sends) {
			a.wire.undecoded = true
		}
		for _, id := range b.Sends {
			if send, known := a.sends.find(id); known {
				a.sends.states[send].travelled(e, wayOf(e, b))
			}
		}
		if e.Forwarded {
			a.stock(b)
		}
	}
}

// travelled notes one request with the send. Requests come in the order in which
// they reached the proxy; the answer to an earlier one counts only if it had gone
// to the client before this one arrived.
func (s *sendState) travelled(e *evidence.Exchange, w way) {
	s.way |= w
	if w&reached != 0 && s.answeredAt > 0 && s.answeredAt < e.At {
		s.needless++
	}
	if w&told != 0 && s.answeredAt == 0 {
		s.answeredAt = e.AnsweredAt
	}
}

func wayOf(e *evidence.Exchange, b *evidence.TraceBatch) way {
	w := carried
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

// stock puts a batch that the broker got aside for the log.
func (a *auditor) stock(b *evidence.TraceBatch) {
	partition := a.wire.place(place{b.Topic, b.Partition})
	if b.ProducerID >= 0 {
		a.wire.batches[identity{b.ProducerID, partition, b.BaseSequence, b.ProducerEpoch}]++
		return
	}
	a.wire.unnamed[partition] += max(0, b.Records-int32(len(b.Sends)))
	for _, id := range b.Sends {
		if send, known := a.sends.find(id); known {
			a.wire.records[sentTo{send, partition}]++
		} else {
			a.wire.unnamed[partition]++
		}
	}
}

// passed takes a batch of the log from the stock. False means that no Produce
// request in the trace brought it.
func (a *auditor) passed(b *evidence.Batch, partition int32) bool {
	if b.ProducerID >= 0 {
		return take(a.wire.batches, identity{b.ProducerID, partition, b.BaseSequence, b.ProducerEpoch})
	}
	all := true
	for i := range b.Records {
		send, known := a.recognise(&b.Records[i])
		found := known && take(a.wire.records, sentTo{send, partition}) || take(a.wire.unnamed, partition)
		all = all && found
	}
	return all
}

func take[K comparable](stock map[K]int32, key K) bool {
	if stock[key] <= 0 {
		return false
	}
	stock[key]--
	return true
}

// reportLeaks says which batches came past the proxy, unless their requests may
// be among those that the trace did not keep.
func (a *auditor) reportLeaks() {
	switch {
	case a.wire.leaks == 0:
	case a.o.Trace.Cut > 0:
		a.unchecked("%d batches in the log, the first at %s, have no Produce request in the trace, of which %d exchanges were cut",
			a.wire.leaks, a.wire.firstLeak, a.o.Trace.Cut)
	default:
		a.cond.Leaks, a.cond.FirstLeak = a.wire.leaks, a.wire.firstLeak
	}
}

// sequence is that of the record at index i of a batch; sequences wrap to 0
// after the highest int32 (KIP-98).
func sequence(base int32, i int64) int32 {
	if base < 0 {
		return base
	}
	return int32((int64(base) + i) & math.MaxInt32)
}
