package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

// What ListOffsets is asked for instead of a timestamp.
const (
	latestOffset   int64 = -1
	earliestOffset int64 = -2
)

// EndOffsets is the end offset (the offset of the next record) of every
// partition of topics, control records and open transactions included. A trial
// asks before it begins.
func (r *Reader) EndOffsets(ctx context.Context, topics []string) (map[TopicPartition]int64, error) {
	partitions, err := r.partitions(ctx, topics)
	if err != nil {
		return nil, fmt.Errorf("end offsets: %w", err)
	}
	ends, err := r.offsetsAt(ctx, partitions, latestOffset, false)
	if err != nil {
		return nil, fmt.Errorf("end offsets: %w", err)
	}
	return ends, nil
}

// AwaitEnds waits until each partition has reached its end offset. The error names
// one that has not.
func (r *Reader) AwaitEnds(ctx context.Context, ends map[TopicPartition]int64) error {
	partitions := slices.SortedFunc(maps.Keys(ends), TopicPartition.Compare)
	var last error // that an answer told, not the end of ctx
	for {
		now, err := r.listOffsets(ctx, partitions, latestOffset)
		if err == nil {
			if err = behind(partitions, now, ends); err == nil {
				return nil
			}
			last = err
		}
		if err := again(ctx, err); err != nil {
			return fmt.Errorf("await end offsets: %w", cmp.Or(last, err))
		}
	}
}

// AwaitDecided waits until no transaction is open in the topics: each partition's last
// stable offset is its end offset. The error names those that are not.
func (r *Reader) AwaitDecided(ctx context.Context, topics []string) error {
	none := func(standing []evidence.Standing) bool { return len(standing) == 0 }
	if _, err := r.AwaitStanding(ctx, topics, none); err != nil {
		return fmt.Errorf("await the end of transactions: %w", err)
	}
	return nil
}

// AwaitStanding waits until the partitions of the topics whose last stable offset an
// open transaction holds meet the condition, and returns them, sorted. The error says
// which there are when ctx ends.
func (r *Reader) AwaitStanding(ctx context.Context, topics []string, meets func([]evidence.Standing) bool) ([]evidence.Standing, error) {
	partitions, err := r.partitions(ctx, topics)
	if err != nil {
		return nil, err
	}
	var last error // that an answer told, not the end of ctx
	for {
		standing, err := r.standing(ctx, partitions)
		if err == nil {
			if meets(standing) {
				return standing, nil
			}
			err = stands(standing)
		}
		if ctx.Err() == nil {
			last = err
		}
		if err := again(ctx, err); err != nil {
			return nil, cmp.Or(last, err)
		}
	}
}

// standing asks for the end offsets first: what comes in between moves the last stable
// offset, and is no open transaction.
func (r *Reader) standing(ctx context.Context, partitions []TopicPartition) ([]evidence.Standing, error) {
	ends, err := r.offsetsAt(ctx, partitions, latestOffset, false)
	if err != nil {
		return nil, err
	}
	stable, err := r.offsetsAt(ctx, partitions, latestOffset, true)
	if err != nil {
		return nil, err
	}
	var standing []evidence.Standing
	for _, tp := range partitions {
		if stable[tp] < ends[tp] {
			standing = append(standing, evidence.Standing{Topic: tp.Topic, Partition: tp.Partition, Stable: stable[tp], End: ends[tp]})
		}
	}
	return standing, nil
}

// stands says it in words.
func stands(standing []evidence.Standing) error {
	if len(standing) == 0 {
		return errors.New("no partition has an open transaction")
	}
	var all []string
	for _, s := range standing {
		all = append(all, fmt.Sprintf("%s-%d has an open transaction at offset %d, it ends at %d", s.Topic, s.Partition, s.Stable, s.End))
	}
	return errors.New(strings.Join(all, "; "))
}

func behind(partitions []TopicPartition, now, ends map[TopicPartition]int64) error {
	for _, tp := range partitions {
		if now[tp] < ends[tp] {
			return fmt.Errorf("%s ends at offset %d, expected %d", tp, now[tp], ends[tp])
		}
	}
	return nil
}

// partitions lists every partition of topics, sorted.
func (r *Reader) partitions(ctx context.Context, topics []string) ([]TopicPartition, error) {
	if len(topics) == 0 {
		return nil, nil
	}
	resp, err := r.metadata(ctx, topics)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	var partitions []TopicPartition
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return nil, fmt.Errorf("metadata of %s: %w", *t.Topic, err)
		}
		for _, p := range t.Partitions {
			partitions = append(partitions, TopicPartition{Topic: *t.Topic, Partition: p.Partition})
		}
	}
	slices.SortFunc(partitions, TopicPartition.Compare)
	return partitions, nil
}

// listOffsets asks the leaders. kgo finds them, and asks again after a move.
func (r *Reader) listOffsets(ctx context.Context, partitions []TopicPartition, at int64) (map[TopicPartition]int64, error) {
	if len(partitions) == 0 {
		return map[TopicPartition]int64{}, nil
	}
	return r.askOffsets(ctx, listOffsetsRequest(partitions, at))
}

// askOffsets asks once. The error is that of a connection, or of the first partition
// that has one.
func (r *Reader) askOffsets(ctx context.Context, req *kmsg.ListOffsetsRequest) (map[TopicPartition]int64, error) {
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return nil, err
	}
	offsets := map[TopicPartition]int64{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			tp := TopicPartition{Topic: t.Topic, Partition: p.Partition}
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, fmt.Errorf("%s: %w", tp, err)
			}
			offsets[tp] = p.Offset
		}
	}
	return offsets, nil
}

// listOffsetsRequest expects partitions of a topic side by side.
func listOffsetsRequest(partitions []TopicPartition, at int64) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	for _, tp := range partitions {
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != tp.Topic {
			topic := kmsg.NewListOffsetsRequestTopic()
			topic.Topic = tp.Topic
			req.Topics = append(req.Topics, topic)
		}
		part := kmsg.NewListOffsetsRequestTopicPartition()
		part.Partition, part.Timestamp = tp.Partition, at
		topic := &req.Topics[len(req.Topics)-1]
		topic.Partitions = append(topic.Partitions, part)
	}
	return req
}
