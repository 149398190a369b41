package leaktest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
)

// realKafka is a cluster of Apache Kafka, changed by an administrator who does not go
// through the proxy.
type realKafka struct {
	*broker.Kafka
	client *kgo.Client
	admin  *kadm.Client
}

func startKafka(t *testing.T) *realKafka {
	t.Helper()
	brokertest.NeedKafka(t)
	k, err := broker.StartKafka(t.Context(), broker.KafkaOptions{
		Nodes: 3, Dir: t.TempDir(), Env: append(os.Environ(), "KAFKA_HOME="),

		// A member of a share group is given partitions at its second heartbeat.
		Settings: map[string]string{"group.share.min.heartbeat.interval.ms": "200", "group.share.heartbeat.interval.ms": "200"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	var seeds []string
	for _, addr := range k.Addrs() {
		seeds = append(seeds, addr)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &realKafka{Kafka: k, client: client, admin: kadm.NewClient(client)}
}

func (k *realKafka) addrs() map[int32]string { return k.Addrs() }

func (k *realKafka) createTopic(t *testing.T, topic string) {
	t.Helper()
	if _, err := k.admin.CreateTopic(within(t), 1, 3, nil, topic); err != nil {
		t.Fatal(err)
	}
	eventually(t, "every node knows the topic", func() bool { return k.allKnow(t, topic, func(p *partition) bool { return p.Leader >= 0 }) })
}

func (k *realKafka) leader(t *testing.T, topic string) int32 {
	t.Helper()
	return k.ask(t, 0, topic)[0].Leader
}

func (k *realKafka) moveLeader(t *testing.T, topic string, node int32) {
	t.Helper()
	k.reassign(t, topic, func(p *partition) []int32 { return first(node, p.Replicas) })
}

// movePartition leaves the node as the only replica.
func (k *realKafka) movePartition(t *testing.T, topic string, node int32) {
	t.Helper()
	k.reassign(t, topic, func(*partition) []int32 { return []int32{node} })
}

// moveCoordinators moves all of them: each partition of their topics to the next
// node.
func (k *realKafka) moveCoordinators(t *testing.T, _, _ string) {
	t.Helper()
	for _, topic := range []string{"__consumer_offsets", "__transaction_state"} {
		k.reassign(t, topic, func(p *partition) []int32 { return first((p.Leader+1)%3, p.Replicas) })
	}
}

// restart stops a node in an orderly way, so that it hands over what it leads, and
// starts it again on another port.
func (k *realKafka) restart(t *testing.T, node int32) {
	t.Helper()
	if err := k.RestartNode(within(t), node); err != nil {
		t.Fatal(err)
	}
	eventually(t, fmt.Sprintf("node %d is found where it is now", node), func() bool {
		k.client.ForceMetadataRefresh() // it asks for the old address until then
		_, err := kmsg.NewPtrMetadataRequest().RequestWith(within(t), k.client.Broker(int(node)))
		return err == nil
	})
}

// first is the same replicas, beginning with this node.
func first(node int32, replicas []int32) []int32 {
	rest := slices.DeleteFunc(slices.Clone(replicas), func(r int32) bool { return r == node })
	return append([]int32{node}, rest...)
}

func (k *realKafka) readShareGroupFromStart(t *testing.T, group string) {
	t.Helper()
	earliest := "earliest"
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = []kmsg.IncrementalAlterConfigsRequestResource{{
		ResourceType: kmsg.ConfigResourceTypeGroupConfig, ResourceName: group,
		Configs: []kmsg.IncrementalAlterConfigsRequestResourceConfig{{Name: "share.auto.offset.reset", Op: kmsg.IncrementalAlterConfigOpSet, Value: &earliest}},
	}}
	resp, err := req.RequestWith(within(t), k.client)
	if err != nil {
		t.Fatal(err)
	}
	if err := kerr.ErrorForCode(resp.Resources[0].ErrorCode); err != nil {
		t.Fatalf("set share.auto.offset.reset of group %s: %v", group, err)
	}
}

// strangers is nobody: Kafka does not say who connects.
func (*realKafka) strangers([]string) []string { return nil }

// partition is what a node knows of one.
type partition = kmsg.MetadataResponseTopicPartition

// reassign gives each partition of a topic new replicas, has the first of them
// elected, and waits until every node knows.
func (k *realKafka) reassign(t *testing.T, topic string, replicas func(*partition) []int32) {
	t.Helper()
	var assign kadm.AlterPartitionAssignmentsReq
	var elect kadm.TopicsSet
	want := map[int32][]int32{}
	for _, p := range k.ask(t, 0, topic) {
		want[p.Partition] = replicas(&p)
		assign.Assign(topic, p.Partition, want[p.Partition])
		elect.Add(topic, p.Partition)
	}
	answers, err := k.admin.AlterPartitionAssignments(within(t), assign)
	if err := errors.Join(err, answers.Error()); err != nil {
		t.Fatalf("reassign %s: %v", topic, err)
	}
	eventually(t, fmt.Sprintf("%s has the replicas %v, the first of each leads", topic, want), func() bool {
		if _, err := k.admin.ElectLeaders(within(t), kadm.ElectPreferredReplica, elect); err != nil {
			t.Fatalf("elect leaders of %s: %v", topic, err)
		}
		return k.allKnow(t, topic, func(p *partition) bool {
			return p.Leader == want[p.Partition][0] && slices.Equal(p.Replicas, want[p.Partition])
		})
	})
}

// allKnow says whether it is true of every partition of a topic, as each node
// knows it.
func (k *realKafka) allKnow(t *testing.T, topic string, is func(*partition) bool) bool {
	t.Helper()
	for node := range k.Addrs() {
		known := k.ask(t, node, topic)
		if len(known) == 0 || slices.ContainsFunc(known, func(p partition) bool { return !is(&p) }) {
			return false
		}
	}
	return true
}

// ask asks one node about the partitions of a topic.
func (k *realKafka) ask(t *testing.T, node int32, topic string) []partition {
	t.Helper()
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{{Topic: &topic}}
	resp, err := req.RequestWith(within(t), k.client.Broker(int(node)))
	if err != nil {
		t.Fatalf("ask node %d about %s: %v", node, topic, err)
	}
	return resp.Topics[0].Partitions
}
