package franz

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// room tells, without asking kgo, whether its buffer takes another record at once. Only
// a record that may have to wait needs a context that ends, which costs more than all
// else that the driver does with it.
type room struct {
	records int64 // MaxBufferedRecords
	bytes   int64 // MaxBufferedBytes, 0 for no limit

	mu      sync.Mutex
	largest int64 // record so far, as kgo counts its bytes
}

func (r *room) of(cl *kgo.Client) {
	r.records, _ = cl.OptValue(kgo.MaxBufferedRecords).(int64)
	r.bytes, _ = cl.OptValue(kgo.MaxBufferedBytes).(int64)
}

// hand counts a record as pending, and hands it over if there surely is room. The lock
// keeps others from taking that room in between: whoever waits for room is counted, and
// whoever comes later is kept out.
func (r *room) hand(pending *drivers.Outstanding, cl *kgo.Client, rec *kgo.Record, promise func(*kgo.Record, error)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !pending.AddUpTo(r.limit(rec)) {
		return false
	}
	cl.Produce(context.Background(), rec, promise)
	return true
}

// reserve counts as pending as many of so many records, none of which is longer, as there
// surely is room for. Whoever calls it has the lock until these are handed over.
func (r *room) reserve(pending *drivers.Outstanding, records, longest int64) int64 {
	limit := r.records
	if r.bytes > 0 {
		r.largest = max(r.largest, longest, 1)
		limit = min(limit, r.bytes/r.largest)
	}
	fit := max(0, min(records, limit-int64(pending.Count())))
	pending.AddAll(fit)
	return fit
}

// limit is how many records kgo takes for certain if none is larger than those so far.
func (r *room) limit(rec *kgo.Record) int64 {
	if r.bytes == 0 {
		return r.records
	}
	size := int64(len(rec.Key) + len(rec.Value)) // kgo.Record.userSize
	for _, h := range rec.Headers {
		size += int64(len(h.Key) + len(h.Value))
	}
	r.largest = max(r.largest, size, 1)
	return min(r.records, r.bytes/r.largest)
}
