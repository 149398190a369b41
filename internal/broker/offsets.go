package broker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
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
	for {
		now, err := r.listOffsets(ctx, partitions, latestOffset)
		if err == nil {
			if err = behind(partitions, now, ends); err == nil {
				return nil
			}
		}
		if err := again(ctx, err); err != nil {
			return fmt.Errorf("await end offsets: %w", err)
		}
	}
}

// AwaitDecided waits until no transaction is open in the topics: each partition's last
// stable offset is its end offset. The error names one that is not.
func (r *Reader) AwaitDecided(ctx context.Context, topics []string) error {
	partitions, err := r.partitions(ctx, topics)
	if err != nil {
		return fmt.Errorf("await the end of transactions: %w", err)
	}
	var last error // that an answer told, not the end of ctx
	for {
		err := r.undecided(ctx, partitions)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			last = err
		}
		if err := again(ctx, err); err != nil {
			return fmt.Errorf("await the end of transactions: %w", cmp.Or(last, err))
		}
	}
}

func (r *Reader) undecided(ctx context.Context, partitions []TopicPartition) error {
	ends, err := r.offsetsAt(ctx, partitions, latestOffset, false)
	if err != nil {
		return err
	}
	stable, err := r.offsetsAt(ctx, partitions, latestOffset, true)
	if err != nil {
		return err
	}
	for _, tp := range partitions {
		if stable[tp] < ends[tp] {
			return fmt.Errorf("%s has an open transaction at offset %d, it ends at %d", tp, stable[tp], ends[tp])
		}
	}
	return nil
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
