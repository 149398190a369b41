package broker

import (
	"context"
	"fmt"

	"kcompare/internal/evidence"
)

// RecordCount is what stands in a partition between two offsets. Data plus Control
// is End minus Begin, unless compaction has left gaps.
type RecordCount struct {
	TopicPartition
	Begin, End int64
	Data       int64 // data records, those below included
	Aborted    int64 // of transactions that were aborted
	Open       int64 // of transactions that had not ended before End
	Control    int64 // markers that end a transaction
}

// CountRecords reads every partition of the topic from its first offset to the end
// that the description has, and counts. It waits for no transaction.
func (r *Reader) CountRecords(ctx context.Context, topic TopicInfo) ([]RecordCount, error) {
	var counts []RecordCount
	for _, p := range topic.Partitions {
		tp := TopicPartition{Topic: topic.Name, Partition: p.Partition}
		if p.End == Unknown {
			return nil, fmt.Errorf("count %s: it has no leader", tp)
		}
		t := tally{RecordCount: RecordCount{TopicPartition: tp, Begin: p.Begin, End: p.End}, open: map[int64]int64{}}
		enough := func(c *cursor) bool { return c.offset >= p.End }
		if err := r.advance(ctx, newCursor(tp, p.Begin), enough, parsing(t.add)); err != nil {
			return nil, fmt.Errorf("count: %w", err)
		}
		counts = append(counts, t.sum())
	}
	return counts, nil
}

// tally counts batch by batch.
type tally struct {
	RecordCount
	open map[int64]int64 // by producer id: records whose transaction has not ended
}

// add counts one batch. What a broker appended after the description was made is
// not counted.
func (t *tally) add(b evidence.Batch) error {
	switch {
	case b.BaseOffset >= t.End:
	case b.Control != "":
		t.Control++
		if b.Control == evidence.Abort {
			t.Aborted += t.open[b.ProducerID]
		}
		delete(t.open, b.ProducerID)
	default:
		n := int64(len(b.Records))
		t.Data += n
		if b.Transactional {
			t.open[b.ProducerID] += n
		}
	}
	return nil
}

func (t *tally) sum() RecordCount {
	for _, n := range t.open {
		t.Open += n
	}
	return t.RecordCount
}
