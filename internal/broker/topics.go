package broker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CreateTopics makes topics with the broker's own default of replicas, and
// waits until every node knows a leader for every partition: a client that
// starts on a node which lags behind would measure that lag. It returns the
// topic ids. Topics that exist already are a TakenError; others of the same call
// may have been made then. The error is ErrAssignment where leaders were chosen and
// the cluster refused that; nothing was made of such a topic.
func (r *Reader) CreateTopics(ctx context.Context, topics []Topic) (map[string][16]byte, error) {
	if len(topics) == 0 {
		return nil, nil
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 10_000
	for _, t := range topics {
		topic := kmsg.NewCreateTopicsRequestTopic()
		topic.Topic, topic.NumPartitions, topic.ReplicationFactor = t.Name, t.Partitions, replicasOf(t)
		if t.Leaders != nil {
			topic.NumPartitions, topic.ReplicaAssignment = -1, r.assignment(t)
		}
		for _, key := range slices.Sorted(maps.Keys(t.Config)) {
			config := kmsg.NewCreateTopicsRequestTopicConfig()
			config.Name, config.Value = key, kmsg.StringPtr(t.Config[key])
			topic.Configs = append(topic.Configs, config)
		}
		req.Topics = append(req.Topics, topic)
	}
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return nil, fmt.Errorf("create topics: %w", err)
	}
	if err := createErrors(resp, topics[0].Leaders != nil); err != nil {
		return nil, fmt.Errorf("create topics: %w", err)
	}
	ids, err := r.awaitLeaders(ctx, topics)
	if err != nil {
		return nil, fmt.Errorf("create topics: wait for leaders: %w", err)
	}
	return ids, nil
}

// Existing lists those of names that are topics already, sorted. It creates none,
// whatever the broker is set to.
func (r *Reader) Existing(ctx context.Context, names []string) ([]string, error) {
	resp, err := r.metadata(ctx, names)
	if err != nil {
		return nil, err
	}
	var there []string
	for _, t := range resp.Topics {
		switch err := kerr.ErrorForCode(t.ErrorCode); {
		case errors.Is(err, kerr.UnknownTopicOrPartition):
		case errors.Is(err, kerr.TopicAuthorizationFailed):
			return nil, fmt.Errorf("%s: this user may not describe it; a run creates, describes, writes, reads and deletes such topics: %w", *t.Topic, err)
		default: // one that is there, whatever is wrong with it
			there = append(there, *t.Topic)
		}
	}
	slices.Sort(there)
	return there, nil
}

// replicasOf is -1 for the broker's default.
func replicasOf(t Topic) int16 {
	if t.Replicas == 0 {
		return -1
	}
	return t.Replicas
}

// assignment puts the replicas of each partition on its leader and the nodes after
// it, and around again. The first of them leads.
func (r *Reader) assignment(t Topic) []kmsg.CreateTopicsRequestTopicReplicaAssignment {
	replicas := int(t.Replicas)
	if replicas == 0 {
		replicas = len(r.nodes)
	}
	var all []kmsg.CreateTopicsRequestTopicReplicaAssignment
	for p, leader := range t.Leaders {
		one := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		one.Partition = int32(p)
		first := slices.Index(r.nodes, leader)
		for i := range replicas {
			one.Replicas = append(one.Replicas, r.nodes[(first+i)%len(r.nodes)])
		}
		all = append(all, one)
	}
	return all
}

// ErrAssignment says that a cluster refuses topics whose leaders somebody chose: kfake
// does (INVALID_REQUEST), and so do policies of managed clusters.
var ErrAssignment = errors.New("the cluster does not take a choice of leaders")

// refusesAssignment are the codes with which brokers do so.
var refusesAssignment = []int16{kerr.InvalidRequest.Code, kerr.InvalidReplicaAssignment.Code, kerr.PolicyViolation.Code}

// TakenError names the topics that CreateTopics was asked to make and that were there
// already, sorted. Whoever removes what it made has to leave them alone.
type TakenError struct{ Topics []string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s: %v", strings.Join(e.Topics, " and "), e.Unwrap())
}

// Unwrap is the code that the broker gave.
func (e *TakenError) Unwrap() error { return kerr.TopicAlreadyExists }

func createErrors(resp *kmsg.CreateTopicsResponse, assigned bool) error {
	var errs []error
	var taken TakenError
	for _, t := range resp.Topics {
		err := kerr.ErrorForCode(t.ErrorCode)
		if err == nil {
			continue
		}
		if t.ErrorMessage != nil { // which setting is wrong stands there alone
			err = fmt.Errorf("%w: %s", err, *t.ErrorMessage)
		}
		if errors.Is(err, kerr.TopicAlreadyExists) {
			taken.Topics = append(taken.Topics, t.Topic)
			continue
		}
		if assigned && slices.Contains(refusesAssignment, t.ErrorCode) {
			err = fmt.Errorf("%w: %w", ErrAssignment, err)
		}
		errs = append(errs, fmt.Errorf("%s: %w", t.Topic, err))
	}
	if slices.Sort(taken.Topics); taken.Topics != nil {
		errs = append(errs, &taken)
	}
	return joined(errs)
}

// awaitLeaders asks node after node until it knows every partition's leader.
func (r *Reader) awaitLeaders(ctx context.Context, topics []Topic) (map[string][16]byte, error) {
	var ids map[string][16]byte
	for _, node := range r.nodes {
		for {
			var err error
			if ids, err = r.leadersKnown(ctx, node, topics); err == nil {
				break
			}
			if err := again(ctx, err); err != nil {
				return nil, fmt.Errorf("node %d: %w", node, err)
			}
		}
	}
	return ids, nil
}

// leadersKnown is the ids of topics if node knows a leader for all of them.
func (r *Reader) leadersKnown(ctx context.Context, node int32, topics []Topic) (map[string][16]byte, error) {
	partitions := map[string]int32{}
	var names []string
	for _, t := range topics {
		partitions[t.Name] = t.Partitions
		names = append(names, t.Name)
	}
	resp, err := metadataRequest(names).RequestWith(ctx, r.client.Broker(int(node)))
	if err != nil {
		return nil, err
	}
	ids := map[string][16]byte{}
	for _, t := range resp.Topics {
		if err := topicReady(t, partitions[*t.Topic]); err != nil {
			return nil, fmt.Errorf("%s: %w", *t.Topic, err)
		}
		ids[*t.Topic] = t.TopicID
	}
	return ids, nil
}

func topicReady(t kmsg.MetadataResponseTopic, partitions int32) error {
	if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
		return err
	}
	for _, p := range t.Partitions {
		if err := partitionError(p); err != nil {
			return fmt.Errorf("partition %d: %w", p.Partition, err)
		}
	}
	if have := len(t.Partitions); have != int(partitions) {
		return fmt.Errorf("%d partitions, expected %d", have, partitions)
	}
	return nil
}

// DeleteTopics removes topics; those that are not there are no error. The error
// names every topic that is left behind.
func (r *Reader) DeleteTopics(ctx context.Context, names []string) error {
	refused, err := r.deleteTopics(ctx, names)
	if err != nil {
		return fmt.Errorf("delete topics %v: %w", names, err)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		if err := refused[name]; !errors.Is(err, kerr.UnknownTopicOrPartition) {
			errs = append(errs, fmt.Errorf("delete topic %s: %w", name, err))
		}
	}
	return joined(errs)
}

// RemoveTopics deletes topics and waits until no node knows of them any more. For
// each topic that is left behind it says why.
func (r *Reader) RemoveTopics(ctx context.Context, names []string) (left map[string]error, err error) {
	left, err = r.deleteTopics(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("delete topics %v: %w", names, err)
	}
	gone := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return left[name] != nil })
	if err := r.awaitGone(ctx, gone); err != nil {
		return left, fmt.Errorf("delete topics: wait until every node has forgotten them: %w", err)
	}
	return left, nil
}

// deleteTopics asks the controller once. The result has the topics that it refused.
func (r *Reader) deleteTopics(ctx context.Context, names []string) (map[string]error, error) {
	refused := map[string]error{}
	if len(names) == 0 {
		return refused, nil
	}
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.TimeoutMillis = 10_000
	req.TopicNames = names // up to version 5
	for _, name := range names {
		topic := kmsg.NewDeleteTopicsRequestTopic()
		topic.Topic = &name
		req.Topics = append(req.Topics, topic)
	}
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return nil, err
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			refused[*t.Topic] = err
		}
	}
	return refused, nil
}

// awaitGone asks node after node until it knows none of the topics.
func (r *Reader) awaitGone(ctx context.Context, names []string) error {
	known, err := r.metadata(ctx, nil)
	if err != nil {
		return err
	}
	for _, node := range known.Brokers {
		for {
			resp, err := metadataRequest(nil).RequestWith(ctx, r.client.Broker(int(node.NodeID)))
			if err == nil {
				err = stillThere(resp, names)
			}
			if err == nil {
				break
			}
			if err := again(ctx, err); err != nil {
				return fmt.Errorf("node %d: %w", node.NodeID, err)
			}
		}
	}
	return nil
}

func stillThere(resp *kmsg.MetadataResponse, names []string) error {
	for _, t := range resp.Topics {
		if slices.Contains(names, *t.Topic) {
			return fmt.Errorf("%s is still there", *t.Topic)
		}
	}
	return nil
}

// DeleteGroups removes consumer groups; those that are not there are no error.
// The error names every group that is left behind, such as one that still has
// members.
func (r *Reader) DeleteGroups(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	req := kmsg.NewPtrDeleteGroupsRequest()
	req.Groups = names
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return fmt.Errorf("delete groups %v: %w", names, err)
	}
	var errs []error
	for _, g := range resp.Groups {
		err := kerr.ErrorForCode(g.ErrorCode)
		if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			errs = append(errs, fmt.Errorf("delete group %s: %w", g.Group, err))
		}
	}
	return joined(errs)
}
