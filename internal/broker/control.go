package broker

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// What both clusters that are ours share when they are changed: which node comes
// next, and which must not go.

// nextLeader is the replica of a partition that leads it after the one that does:
// the next id, and after the greatest the smallest. Only replicas in sync that are
// fit come into question.
func nextLeader(p kmsg.MetadataResponseTopicPartition, fit func(node int32) bool) (int32, error) {
	candidates := slices.DeleteFunc(slices.Clone(p.ISR), func(node int32) bool { return node == p.Leader || !fit(node) })
	if len(candidates) == 0 {
		return 0, fmt.Errorf("node %d leads, replicas on %v, in sync %v: expected another one in sync whose node runs", p.Leader, p.Replicas, p.ISR)
	}
	slices.Sort(candidates)
	for _, node := range candidates {
		if node > p.Leader {
			return node, nil
		}
	}
	return candidates[0], nil
}

// needQuorum is an error unless a majority of nodes runs after one more is gone:
// without a majority of controllers a Kafka elects no leader any more. The embedded
// broker could, but a trial on it is to show what Kafka does.
func needQuorum(nodes int, dead []int32) error {
	if left := nodes - len(dead) - 1; left <= nodes/2 {
		return fmt.Errorf("%d of %d nodes would run, %v are dead already: expected a majority, which elects leaders", left, nodes, dead)
	}
	return nil
}

// everyPartition is all partitions of all topics, in the answer of whoever answers.
func (r *Reader) everyPartition(ctx context.Context) (map[TopicPartition]kmsg.MetadataResponseTopicPartition, error) {
	resp, err := r.metadata(ctx, nil)
	if err != nil {
		return nil, err
	}
	return partitionsOf(resp), nil
}

func partitionsOf(resp *kmsg.MetadataResponse) map[TopicPartition]kmsg.MetadataResponseTopicPartition {
	all := map[TopicPartition]kmsg.MetadataResponseTopicPartition{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			all[TopicPartition{Topic: *t.Topic, Partition: p.Partition}] = p
		}
	}
	return all
}

// partition is one of them.
func (r *Reader) partition(ctx context.Context, tp TopicPartition) (kmsg.MetadataResponseTopicPartition, error) {
	resp, err := r.metadata(ctx, []string{tp.Topic})
	if err != nil {
		return kmsg.MetadataResponseTopicPartition{}, err
	}
	p, ok := partitionsOf(resp)[tp]
	if !ok {
		return p, fmt.Errorf("look it up: %w", kerr.UnknownTopicOrPartition)
	}
	return p, partitionError(p)
}

// coordinatorTopic is where the brokers keep what they know of a group (kind 0) or
// a transactional id (kind 1). The leader of a partition coordinates what is in it.
func coordinatorTopic(kind int8) (string, error) {
	switch kind {
	case 0:
		return "__consumer_offsets", nil
	case 1:
		return "__transaction_state", nil
	}
	return "", fmt.Errorf("kind %d: expected 0, a group, or 1, a transactional id", kind)
}
