package broker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// views is each node's own view of the cluster, by node.
type views map[int32]view

// view is a reader that knows the address of one node. What it asks itself is
// answered by that node and nobody else.
type view struct {
	*Reader
	addr string
}

func (v views) close() {
	for _, r := range v {
		r.Close()
	}
}

func (v views) has(node int32) bool {
	_, ok := v[node]
	return ok
}

// any is that of the node with the smallest id.
func (v views) any() view { return v[slices.Min(slices.Collect(maps.Keys(v)))] }

// itself is the node whose view it is. In KRaft every node passes on what is the
// controller's to do.
func (v view) itself() *kgo.Broker { return v.client.SeedBrokers()[0] }

// each asks every node about topics, nil for all, and hands on what it says.
func (v views) each(ctx context.Context, topics []string, check func(*kmsg.MetadataResponse) error) error {
	for _, id := range slices.Sorted(maps.Keys(v)) {
		resp, err := metadataRequest(topics).RequestWith(ctx, v[id].itself())
		if err == nil {
			err = check(resp)
		}
		if err != nil {
			return fmt.Errorf("node %d: %w", id, err)
		}
	}
	return nil
}

// leads says whether every node says that a node leads a partition.
func (v views) leads(ctx context.Context, tp TopicPartition, leader int32) error {
	return v.each(ctx, []string{tp.Topic}, func(resp *kmsg.MetadataResponse) error {
		if now := partitionsOf(resp)[tp]; now.Leader != leader {
			return fmt.Errorf("says that node %d leads %s", now.Leader, tp)
		}
		return nil
	})
}

// known says whether every node knows where every other listens.
func (v views) known(ctx context.Context) error {
	return v.each(ctx, []string{}, func(resp *kmsg.MetadataResponse) error {
		addrs := map[int32]string{}
		for _, b := range resp.Brokers {
			addrs[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
		}
		for id, other := range v {
			if addrs[id] != other.addr {
				return fmt.Errorf("knows node %d at %q, expected %s", id, addrs[id], other.addr)
			}
		}
		return nil
	})
}

// inSync says whether every replica is in sync, in everybody's view.
func (v views) inSync(ctx context.Context) error {
	return v.eachPartition(ctx, func(p kmsg.MetadataResponseTopicPartition) error {
		if len(p.ISR) < len(p.Replicas) {
			return fmt.Errorf("replicas on %v, in sync %v", p.Replicas, p.ISR)
		}
		return nil
	})
}

// preferredLead says whether the first replicas lead, in everybody's view.
func (v views) preferredLead(ctx context.Context) error {
	return v.eachPartition(ctx, func(p kmsg.MetadataResponseTopicPartition) error {
		if len(p.Replicas) > 0 && p.Leader != p.Replicas[0] {
			return fmt.Errorf("node %d leads, replicas on %v", p.Leader, p.Replicas)
		}
		return nil
	})
}

func (v views) eachPartition(ctx context.Context, check func(kmsg.MetadataResponseTopicPartition) error) error {
	return v.each(ctx, nil, func(resp *kmsg.MetadataResponse) error {
		for tp, p := range partitionsOf(resp) {
			if err := check(p); err != nil {
				return fmt.Errorf("%s: %w", tp, err)
			}
		}
		return nil
	})
}

// coordinates says whether every node names a node as the coordinator of a group or
// transactional id, and that one answers for it.
func (v views) coordinates(ctx context.Context, kind int8, key string, node int32) error {
	for _, id := range slices.Sorted(maps.Keys(v)) {
		named, err := findCoordinator(ctx, v[id].itself(), kind, key)
		if err == nil && named != node {
			err = fmt.Errorf("names node %d", named)
		}
		if err != nil {
			return fmt.Errorf("node %d: %w", id, err)
		}
	}
	return describe(ctx, v[node].itself(), kind, key)
}

func findCoordinator(ctx context.Context, b kmsg.Requestor, kind int8, key string) (int32, error) {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType, req.CoordinatorKey, req.CoordinatorKeys = kind, key, []string{key}
	resp, err := req.RequestWith(ctx, b)
	if err != nil {
		return 0, err
	}
	if len(resp.Coordinators) != 1 {
		return 0, fmt.Errorf("names %d coordinators, expected one", len(resp.Coordinators))
	}
	c := resp.Coordinators[0]
	return c.NodeID, kerr.ErrorForCode(c.ErrorCode)
}

// describe asks a coordinator for what it coordinates. That there is no such group or
// transactional id is an answer too.
func describe(ctx context.Context, b kmsg.Requestor, kind int8, key string) error {
	var code int16
	if kind == 0 {
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = []string{key}
		resp, err := req.RequestWith(ctx, b)
		if err != nil {
			return err
		}
		code = resp.Groups[0].ErrorCode
	} else {
		req := kmsg.NewPtrDescribeTransactionsRequest()
		req.TransactionalIDs = []string{key}
		resp, err := req.RequestWith(ctx, b)
		if err != nil {
			return err
		}
		code = resp.TransactionStates[0].ErrorCode
	}
	err := kerr.ErrorForCode(code)
	if errors.Is(err, kerr.GroupIDNotFound) || errors.Is(err, kerr.TransactionalIDNotFound) {
		return nil
	}
	return err
}

// prefer makes a replica the first of its partition. The set of replicas stays, so
// that nothing is copied.
func (v view) prefer(ctx context.Context, tp TopicPartition, first int32, replicas []int32) error {
	part := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	part.Partition = tp.Partition
	part.Replicas = append([]int32{first}, slices.DeleteFunc(slices.Clone(replicas), func(node int32) bool { return node == first })...)
	topic := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	topic.Topic = tp.Topic
	topic.Partitions = append(topic.Partitions, part)
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = 10_000
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, v.itself())
	if err != nil {
		return fmt.Errorf("reorder its replicas: %w", err)
	}
	errs := []error{kerr.ErrorForCode(resp.ErrorCode)}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			errs = append(errs, kerr.ErrorForCode(p.ErrorCode))
		}
	}
	if err := joined(errs); err != nil {
		return fmt.Errorf("reorder its replicas to %v: %w", part.Replicas, err)
	}
	return nil
}

// electPreferred has the first replicas of a partition, nil for all, elected. That
// they lead already is what is wanted.
func (v view) electPreferred(ctx context.Context, tp *TopicPartition) error {
	req := kmsg.NewPtrElectLeadersRequest()
	req.TimeoutMillis = 10_000
	if tp != nil {
		topic := kmsg.NewElectLeadersRequestTopic()
		topic.Topic, topic.Partitions = tp.Topic, []int32{tp.Partition}
		req.Topics = append(req.Topics, topic)
	}
	resp, err := req.RequestWith(ctx, v.itself())
	if err != nil {
		return fmt.Errorf("elect preferred leaders: %w", err)
	}
	errs := []error{kerr.ErrorForCode(resp.ErrorCode)}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil && !errors.Is(err, kerr.ElectionNotNeeded) {
				errs = append(errs, fmt.Errorf("elect the preferred leader of %s-%d: %w", t.Topic, p.Partition, err))
			}
		}
	}
	return joined(errs)
}

// javaPartition is the partition of a coordinators' topic that keeps a key:
// Utils.abs(key.hashCode()) % partitions, where hashCode is Java's over UTF-16 and
// abs of the smallest integer is 0 (org.apache.kafka.common.utils.Utils).
func javaPartition(key string, partitions int32) int32 {
	var hash int32
	for _, unit := range utf16.Encode([]rune(key)) {
		hash = 31*hash + int32(unit)
	}
	switch {
	case hash == -1<<31:
		return 0
	case hash < 0:
		return -hash % partitions
	}
	return hash % partitions
}
