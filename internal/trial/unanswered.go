package trial

import (
	"context"
	"fmt"
	"maps"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// awaitUnanswered waits until the broker has written what it got with acks=0. It
// says nothing when it is done with a record, so a log that is read too early lacks
// records that are only on their way.
func (r *run) awaitUnanswered(ctx context.Context, h *house) error {
	if r.settings.Config["acks"] != "0" {
		return nil
	}
	if err := h.proxy.Drained(ctx); err != nil {
		return fmt.Errorf("wait for what was sent with acks=0: %w", err)
	}
	ends := maps.Clone(h.before)
	for tp, n := range forwarded(h.proxy.Observed().Trace) {
		ends[tp] += n
	}
	if err := h.reader.AwaitEnds(ctx, ends); err != nil {
		return fmt.Errorf("wait for what was sent with acks=0: %w", err)
	}
	return nil
}

// forwarded counts the records that the broker got, by partition.
func forwarded(t evidence.Trace) map[drivers.TopicPartition]int64 {
	n := map[drivers.TopicPartition]int64{}
	for _, e := range t.Exchanges {
		for _, b := range e.Batches {
			if e.Forwarded {
				n[drivers.TopicPartition{Topic: b.Topic, Partition: b.Partition}] += int64(b.Records)
			}
		}
	}
	return n
}
