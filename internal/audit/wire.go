package audit

import (
	"fmt"
	"math"

	"kcompare/internal/evidence"
)

// wire is the Produce requests that a broker got, as a stock from which each
// batch in the log takes its own. It counts: a batch that stands in the log
// twice needs two requests.
type wire struct {
	places   map[place]int32 // partitions by number
	batches  map[identity]int32
	contents map[content]int32 // of batches without producer id

	undecoded bool  // some batches do not say which records they hold
	shared    int64 // batches with several records where one each was asked for
	leaks     int64
	firstLeak string
}

// content is what a batch without producer id is known by: a broker appends the
// records of a batch as they came, all of them in one piece.
type content struct {
	place, records int32
	sends          uint64 // a hash of them; unnamed where some are not known
}

func newWire(o *evidence.Observed) *wire {
	w := &wire{places: map[place]int32{}, batches: map[identity]int32{}, contents: map[content]int32{}}
	for i := range o.Trace.Exchanges {
		e := &o.Trace.Exchanges[i]
		for j := range e.Batches { // only Produce has any
			b := &e.Batches[j]
			if o.OneRecordPerBatch && b.Records > 1 {
				w.shared++
			}
			if int(b.Records) > len(b.Sends) {
				w.undecoded = true
			}
			if e.Forwarded {
				w.stock(b)
			}
		}
	}
	return w
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

// stock puts a batch that the broker got aside for the log.
func (w *wire) stock(b *evidence.TraceBatch) {
	at := w.place(place{b.Topic, b.Partition})
	if b.ProducerID >= 0 {
		w.batches[identity{b.ProducerID, at, b.BaseSequence, b.ProducerEpoch}]++
		return
	}
	sends := unnamed
	if int(b.Records) == len(b.Sends) {
		for _, id := range b.Sends {
			sends = sends.with(id)
		}
	}
	w.contents[content{at, b.Records, uint64(sends)}]++
}

// checkLeak takes a batch of the log from the stock. Without a stock for it, no
// Produce request in the trace brought it.
func (w *walk) checkLeak(b *evidence.Batch) {
	if w.wire.passed(b, w.number) {
		return
	}
	if w.wire.leaks == 0 {
		w.wire.firstLeak = w.at(b.BaseOffset)
	}
	w.wire.leaks++
}

func (w *wire) passed(b *evidence.Batch, at int32) bool {
	if b.ProducerID >= 0 {
		return take(w.batches, identity{b.ProducerID, at, b.BaseSequence, b.ProducerEpoch})
	}
	sends := unnamed
	for i := range b.Records {
		if !b.Records[i].Foreign {
			sends = sends.with(b.Records[i].Send)
		}
	}
	records := int32(len(b.Records))
	return take(w.contents, content{at, records, uint64(sends)}) || take(w.contents, content{at, records, uint64(unnamed)})
}

func take[K comparable](stock map[K]int32, key K) bool {
	if stock[key] <= 0 {
		return false
	}
	stock[key]--
	return true
}

// sendsHash is FNV-1a over the words of send identities, in their order.
type sendsHash uint64

const unnamed sendsHash = 14695981039346656037

func (h sendsHash) with(id evidence.SendID) sendsHash {
	const prime = 1099511628211
	h = (h ^ sendsHash(id.Instance)) * prime
	h = (h ^ sendsHash(id.Ordinal)) * prime
	return h ^ h>>32
}

// reportLeaks says which batches came past the proxy, unless their requests may
// be among those that the trace did not keep.
func (a *Auditor) reportLeaks(c *evidence.Conditions) {
	switch {
	case a.wire.leaks == 0:
	case a.o.Trace.Cut > 0:
		a.notes = append(a.notes, fmt.Sprintf(
			"%d batches in the log, the first at %s, have no Produce request in the trace, of which %d exchanges were cut",
			a.wire.leaks, a.wire.firstLeak, a.o.Trace.Cut))
	default:
		c.Leaks, c.FirstLeak = a.wire.leaks, a.wire.firstLeak
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
