package broker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Unknown stands for an offset that nobody can tell, as of a partition without a
// leader.
const Unknown int64 = -1

// TopicInfo is a topic as its brokers describe it.
type TopicInfo struct {
	Name       string
	Internal   bool
	Partitions []PartitionInfo // by number
}

// PartitionInfo is one partition. Offsets are Unknown until LookUpOffsets has asked for
// them, and where it has no leader.
type PartitionInfo struct {
	Partition int32
	Leader    int32 // -1: none
	Replicas  []int32
	InSync    []int32
	Begin     int64 // the first offset in the log
	End       int64 // the offset of the next record
	Stable    int64 // the last stable offset: what stands behind it belongs to transactions that nobody has ended
}

// Topics describes every topic of the cluster, by name, without its offsets.
func (r *Reader) Topics(ctx context.Context) ([]TopicInfo, error) {
	resp, err := r.metadata(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("list topics: %w", err)
	}
	var topics []TopicInfo
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return nil, fmt.Errorf("list topics: %s: %w", *t.Topic, err)
		}
		topics = append(topics, topicInfo(t))
	}
	slices.SortFunc(topics, func(a, b TopicInfo) int { return strings.Compare(a.Name, b.Name) })
	return topics, nil
}

func topicInfo(t kmsg.MetadataResponseTopic) TopicInfo {
	info := TopicInfo{Name: *t.Topic, Internal: t.IsInternal}
	for _, p := range t.Partitions {
		info.Partitions = append(info.Partitions, PartitionInfo{
			Partition: p.Partition, Leader: p.Leader, Replicas: p.Replicas, InSync: p.ISR,
			Begin: Unknown, End: Unknown, Stable: Unknown,
		})
	}
	slices.SortFunc(info.Partitions, func(a, b PartitionInfo) int { return cmp.Compare(a.Partition, b.Partition) })
	return info
}

// LookUpOffsets fills in the offsets of all partitions of topics that have a leader.
// Last stable offsets come after end offsets: asked before them, one would be behind
// its end only because somebody wrote in between.
func (r *Reader) LookUpOffsets(ctx context.Context, topics []TopicInfo) error {
	led := ledPartitions(topics)
	for _, wanted := range []struct {
		at        int64
		committed bool
		into      func(*PartitionInfo) *int64
	}{
		{earliestOffset, false, func(p *PartitionInfo) *int64 { return &p.Begin }},
		{latestOffset, false, func(p *PartitionInfo) *int64 { return &p.End }},
		{latestOffset, true, func(p *PartitionInfo) *int64 { return &p.Stable }},
	} {
		offsets, err := r.offsetsAt(ctx, led, wanted.at, wanted.committed)
		if err != nil {
			return fmt.Errorf("look up offsets: %w", err)
		}
		for _, t := range topics {
			for i := range t.Partitions {
				if at, known := offsets[TopicPartition{Topic: t.Name, Partition: t.Partitions[i].Partition}]; known {
					*wanted.into(&t.Partitions[i]) = at
				}
			}
		}
	}
	for _, t := range topics {
		for i := range t.Partitions {
			t.Partitions[i].Stable = min(t.Partitions[i].Stable, t.Partitions[i].End)
		}
	}
	return nil
}

func ledPartitions(topics []TopicInfo) []TopicPartition {
	var led []TopicPartition
	for _, t := range topics {
		for _, p := range t.Partitions {
			if p.Leader >= 0 {
				led = append(led, TopicPartition{Topic: t.Name, Partition: p.Partition})
			}
		}
	}
	return led
}

// offsetsAt asks until all partitions have answered, or ctx ends. With committed
// the latest offset is the last stable one.
func (r *Reader) offsetsAt(ctx context.Context, partitions []TopicPartition, at int64, committed bool) (map[TopicPartition]int64, error) {
	if len(partitions) == 0 {
		return map[TopicPartition]int64{}, nil
	}
	for {
		req := listOffsetsRequest(partitions, at)
		if committed {
			req.IsolationLevel = 1
		}
		offsets, err := r.askOffsets(ctx, req)
		if err == nil {
			return offsets, nil
		}
		if err := again(ctx, err); err != nil {
			return nil, err
		}
	}
}

// TopicConfig is a setting of a topic that is not Kafka's default.
type TopicConfig struct {
	Name   string
	Value  string // empty where it is secret
	Source string // who set it: topic, broker
}

// TopicConfigs lists what is not Kafka's default, by name.
func (r *Reader) TopicConfigs(ctx context.Context, topic string) ([]TopicConfig, error) {
	req := kmsg.NewPtrDescribeConfigsRequest()
	resource := kmsg.NewDescribeConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeTopic, topic
	req.Resources = append(req.Resources, resource)
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return nil, fmt.Errorf("configs of %s: %w", topic, err)
	}
	var configs []TopicConfig
	for _, res := range resp.Resources {
		if err := kerr.ErrorForCode(res.ErrorCode); err != nil {
			return nil, fmt.Errorf("configs of %s: %w", topic, err)
		}
		for _, c := range res.Configs {
			if source := configSource(c.Source); source != "" {
				configs = append(configs, TopicConfig{Name: c.Name, Value: deref(c.Value), Source: source})
			}
		}
	}
	slices.SortFunc(configs, func(a, b TopicConfig) int { return strings.Compare(a.Name, b.Name) })
	return configs, nil
}

// configSource is who set a value, empty for Kafka's default.
func configSource(s kmsg.ConfigSource) string {
	switch s {
	case kmsg.ConfigSourceDynamicTopicConfig:
		return "topic"
	case kmsg.ConfigSourceDynamicBrokerConfig, kmsg.ConfigSourceDynamicDefaultBrokerConfig, kmsg.ConfigSourceStaticBrokerConfig:
		return "broker"
	}
	return ""
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// OpenTransaction is a transaction that has written to a partition, and has not
// ended. It holds the last stable offset at First.
type OpenTransaction struct {
	TopicPartition
	ProducerID      int64
	ProducerEpoch   int32
	TransactionalID string // empty where no coordinator knows it any more
	First           int64  // offset of its first record
}

// OpenTransactions asks the leaders of the topic's partitions (KIP-664), and then
// the coordinators whose transactions these are.
func (r *Reader) OpenTransactions(ctx context.Context, topic TopicInfo) ([]OpenTransaction, error) {
	led := ledPartitions([]TopicInfo{topic})
	if len(led) == 0 {
		return nil, nil
	}
	open, err := r.openTransactions(ctx, led)
	if err != nil {
		return nil, fmt.Errorf("producers of %s: %w", topic.Name, err)
	}
	if err := r.nameTransactions(ctx, open); err != nil {
		return nil, fmt.Errorf("producers of %s: %w", topic.Name, err)
	}
	return open, nil
}

func (r *Reader) openTransactions(ctx context.Context, partitions []TopicPartition) ([]OpenTransaction, error) {
	req := kmsg.NewPtrDescribeProducersRequest()
	topic := kmsg.NewDescribeProducersRequestTopic()
	topic.Topic = partitions[0].Topic
	for _, tp := range partitions {
		topic.Partitions = append(topic.Partitions, tp.Partition)
	}
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return nil, err
	}
	var open []OpenTransaction
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			tp := TopicPartition{Topic: t.Topic, Partition: p.Partition}
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, fmt.Errorf("%s: %w", tp, err)
			}
			for _, a := range p.ActiveProducers {
				if a.CurrentTxnStartOffset >= 0 {
					open = append(open, OpenTransaction{
						TopicPartition: tp, ProducerID: a.ProducerID, ProducerEpoch: a.ProducerEpoch, First: a.CurrentTxnStartOffset,
					})
				}
			}
		}
	}
	slices.SortFunc(open, func(a, b OpenTransaction) int {
		return cmp.Or(a.Compare(b.TopicPartition), cmp.Compare(a.First, b.First))
	})
	return open, nil
}

// nameTransactions fills in transactional ids, as far as coordinators know them.
func (r *Reader) nameTransactions(ctx context.Context, open []OpenTransaction) error {
	if len(open) == 0 {
		return nil
	}
	req := kmsg.NewPtrListTransactionsRequest()
	for _, o := range open {
		if !slices.Contains(req.ProducerIDFilters, o.ProducerID) {
			req.ProducerIDFilters = append(req.ProducerIDFilters, o.ProducerID)
		}
	}
	resp, err := req.RequestWith(ctx, r.client)
	if err != nil {
		return fmt.Errorf("list transactions: %w", err)
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return fmt.Errorf("list transactions: %w", err)
	}
	names := map[int64]string{}
	for _, t := range resp.TransactionStates {
		names[t.ProducerID] = t.TransactionalID
	}
	for i := range open {
		open[i].TransactionalID = names[open[i].ProducerID]
	}
	return nil
}
