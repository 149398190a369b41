package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// Copies is what became of records that a broker wrote, and whose acknowledgement the
// client never got: a client that sends them again, without idempotence, has them in the
// log twice.
type Copies struct {
	Records    int // in batches that were written, the answer to which was lost
	Duplicates int // of those: an equal record (key, value, headers) stands in the partition a second time
}

// openPatience is how long the reader waits for transactions that nobody may end.
const openPatience = 200 * time.Millisecond

// copies reads the log back where an acknowledgement was lost.
func (s *session) copies(ctx context.Context, exchanges []evidence.Exchange) (*Copies, error) {
	lost := lostAcks(exchanges)
	if len(lost) == 0 {
		return nil, nil
	}
	var topics []string
	for _, b := range lost {
		if !slices.Contains(topics, b.Topic) {
			topics = append(topics, b.Topic)
		}
	}
	log, err := s.reader.ReadOpenLog(ctx, topics, nil, openPatience)
	var open *broker.OpenError
	if err != nil && !errors.As(err, &open) {
		return nil, fmt.Errorf("look for duplicates: %w", err)
	}
	return countCopies(lost, log), nil
}

// countCopies is about each record that stands in a lost batch once, however often that
// batch was lost.
func countCopies(lost []evidence.TraceBatch, log evidence.Log) *Copies {
	c := &Copies{}
	for _, p := range log.Partitions {
		stands := map[string]int{}
		var affected []string
		for _, b := range p.Batches {
			for _, r := range b.Records {
				name := fmt.Sprintf("%q %08x", r.Key, r.Sum)
				stands[name]++
				if within(lost, p, r.Offset) && !slices.Contains(affected, name) {
					affected = append(affected, name)
				}
			}
		}
		for _, name := range affected {
			c.Records++
			if stands[name] > 1 {
				c.Duplicates++
			}
		}
	}
	return c
}

// within says whether a lost batch wrote this offset.
func within(lost []evidence.TraceBatch, p evidence.PartitionLog, offset int64) bool {
	return slices.ContainsFunc(lost, func(b evidence.TraceBatch) bool {
		return b.Topic == p.Topic && b.Partition == p.Partition && offset >= b.BaseOffset && offset < b.BaseOffset+int64(b.Records)
	})
}
