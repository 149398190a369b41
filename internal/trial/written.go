package trial

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// awaitWritten waits until a reader can get what the broker has taken. With acks=0
// it says nothing when it is done with a record; with acks=1 the leader answers
// before its followers have it, and nobody gets it until they do (high watermark).
// A log that is read before that lacks records which are only on their way.
func (r *run) awaitWritten(ctx context.Context, h *house) error {
	acks := r.settings.Config["acks"]
	if acks != "0" && acks != "1" {
		return nil
	}
	if err := h.proxy.Drained(ctx); err != nil {
		return fmt.Errorf("wait for what was sent with acks=%s: %w", acks, err)
	}
	ends := maps.Clone(h.before)
	for tp, n := range taken(h.proxy.Observed().Trace, acks == "0") {
		ends[tp] += n
	}
	if err := h.reader.AwaitEnds(ctx, ends); err != nil {
		return fmt.Errorf("wait for what was sent with acks=%s: %w", acks, err)
	}
	return nil
}

// givenUpTime bounds the wait for records that a client gave up in flight. Some answers
// never come, because a fault has them.
const givenUpTime = 3 * time.Second

// awaitGivenUp waits, while their connections still stand, for the broker to be done with
// records that a client reported as failed: franz-go fails all that it holds for a
// partition with the one that was refused, those included that are on their way. A log
// that is read before they are written is not the last word.
func (r *run) awaitGivenUp(ctx context.Context, h *house) {
	gaveUp := func(s evidence.Send) bool { return s.Outcome == evidence.OutcomeFailed && !s.NoAck }
	if !slices.ContainsFunc(r.ledger.Sends(), gaveUp) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, givenUpTime)
	defer cancel()
	_ = h.exchanges.quiet(ctx, func() []evidence.Exchange { return h.proxy.Observed().Trace.Exchanges })
}

// taken counts the records that the broker said it wrote, by partition, or all that
// it got where it does not say. Without idempotence each of them is one in the log; a
// batch that has a sequence number is one however often it was sent.
func taken(t evidence.Trace, unanswered bool) map[drivers.TopicPartition]int64 {
	n := map[drivers.TopicPartition]int64{}
	repeated := map[numbered]bool{}
	for _, e := range t.Exchanges {
		for _, b := range e.Batches {
			tp := drivers.TopicPartition{Topic: b.Topic, Partition: b.Partition}
			id := numbered{tp, b.ProducerID, b.ProducerEpoch, b.BaseSequence}
			if !e.Forwarded || b.Code != "ok" && !unanswered || repeated[id] {
				continue
			}
			repeated[id] = b.ProducerID >= 0
			n[tp] += int64(b.Records)
		}
	}
	return n
}

// numbered is what a broker knows a batch by.
type numbered struct {
	drivers.TopicPartition
	producer int64
	epoch    int16
	sequence int32
}
