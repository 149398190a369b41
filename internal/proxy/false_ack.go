package proxy

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// FalseAck: the broker never gets the request, and the client is told that its
// records were written. The offset told is the one that they would have got, as far
// as the proxy has seen the partition grow. What the broker answers then has the same
// offset for the next batch, if it takes that at all: an idempotent one leaves a gap
// in its sequence.

// makeFalseAck makes an answer without an error. Its offsets are not known yet: the
// answers to the requests before it may still be on their way.
func (c *conn) makeFalseAck(e *entry) error {
	if e.message == nil {
		return errUndecoded
	}
	resp, err := c.p.refusal(e.request, 0)
	if err != nil {
		return err
	}
	e.falseAck, e.own = resp.(*kmsg.ProduceResponse), frameOf(e.request, resp)
	return nil
}

// placeFalseAck chooses the offsets, when the turn of the answer has come.
func (c *conn) placeFalseAck(e *entry) {
	ends := c.p.record.endsOf(e.exchange)
	for i := range e.falseAck.Topics {
		t := &e.falseAck.Topics[i]
		topic, _ := c.p.topics.name(t.Topic, t.TopicID)
		for j := range t.Partitions {
			p := &t.Partitions[j]
			p.BaseOffset, p.LogStartOffset = ends[place{topic, p.Partition}], 0
		}
	}
	e.own = frameOf(e.request, e.falseAck)
}

// newEnds is where ends of partitions are noted: nil, for nowhere, where the plan needs
// none. A proxy that lives long would remember every partition that there ever was.
func newEnds(plan fault.Plan) map[place]int64 {
	if !slices.ContainsFunc(plan, func(r fault.Rule) bool { return r.Action == fault.FalseAck }) {
		return nil
	}
	return map[place]int64{}
}

// wrote notes that a partition has grown. A repetition is answered with the offset of
// its first copy, and grows nothing. The caller holds the mutex.
func (r *recorder) wrote(b evidence.TraceBatch) {
	if r.ends == nil || b.Code != codeName(0) {
		return
	}
	at := place{b.Topic, b.Partition}
	r.ends[at] = max(r.ends[at], b.BaseOffset+int64(b.Records))
}

// endsOf is where the partitions of a Produce request end, as far as answers told.
func (r *recorder) endsOf(e *evidence.Exchange) map[place]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	ends := map[place]int64{}
	for _, b := range e.Batches {
		at := place{b.Topic, b.Partition}
		ends[at] = r.ends[at]
	}
	return ends
}
