// Package kfaketest gives drivertest a kfake cluster to run on, and reads it
// back batch by batch.
package kfaketest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
)

// New starts a cluster of three nodes that lives until the test ends:
//
//	drivertest.Run(t, kfaketest.New(t), franz.New())
func New(t testing.TB) drivertest.Cluster {
	t.Helper()
	cluster, stop, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return cluster
}

// Start starts one outside of a test, which lives until stop is called.
func Start() (c drivertest.Cluster, stop func(), err error) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(3))
	if err != nil {
		return nil, nil, fmt.Errorf("start kfake: %w", err)
	}
	reader, err := newReader(fake.ListenAddrs())
	if err != nil {
		fake.Close()
		return nil, nil, fmt.Errorf("make a reader for kfake: %w", err)
	}
	stop = func() {
		reader.Close()
		fake.Close()
	}
	return &cluster{fake: fake, reader: reader}, stop, nil
}

// newReader makes a client that speaks the protocol of Kafka 2.8, the last that
// names topics instead of giving their ids in Fetch (KIP-516). It is used for
// single requests only, never as a consumer.
func newReader(addrs []string) (*kgo.Client, error) {
	return kgo.NewClient(
		kgo.SeedBrokers(addrs...), kgo.ClientID("kcompare-reader"), kgo.MaxVersions(kversion.V2_8_0()))
}

type cluster struct {
	fake   *kfake.Cluster
	reader *kgo.Client
	topics atomic.Int64
}

// Config has the addresses only: a healthy cluster needs no faster retries.
func (c *cluster) Config() map[string]string {
	return map[string]string{"bootstrap.servers": strings.Join(c.fake.ListenAddrs(), ",")}
}

// CreateTopic gives kfake's answer, which comes when the leaders are chosen.
func (c *cluster) CreateTopic(ctx context.Context, partitions int32) (string, error) {
	name := fmt.Sprintf("kcompare-drivertest-%d", c.topics.Add(1))
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, partitions, 1
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, c.reader)
	if err != nil {
		return "", fmt.Errorf("create topic %s: %w", name, err)
	}
	if err := kerr.ErrorForCode(resp.Topics[0].ErrorCode); err != nil {
		return "", fmt.Errorf("create topic %s: %w", name, err)
	}
	return name, nil
}

// Offsets asks the group's coordinator. kfake answers GROUP_ID_NOT_FOUND for a
// group that never stored anything.
func (c *cluster) Offsets(ctx context.Context, group string) ([]drivers.Position, error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group, req.Topics = group, nil
	resp, err := req.RequestWith(ctx, c.reader)
	if err != nil {
		return nil, fmt.Errorf("fetch offsets of group %s: %w", group, err)
	}
	err = kerr.ErrorForCode(resp.ErrorCode)
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		return nil, fmt.Errorf("fetch offsets of group %s: %w", group, err)
	}
	var stored []drivers.Position
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			tp := drivers.TopicPartition{Topic: t.Topic, Partition: p.Partition}
			stored = append(stored, drivers.Position{TopicPartition: tp, Offset: p.Offset})
		}
	}
	slices.SortFunc(stored, func(a, b drivers.Position) int { return a.Compare(b.TopicPartition) })
	return stored, nil
}

// Undecided asks for a stable offset, which the coordinator refuses as long as a
// transaction has one (KIP-447). Asked for all of a group it would leave it out.
func (c *cluster) Undecided(ctx context.Context, group string, partition drivers.TopicPartition) (bool, error) {
	topic := kmsg.NewOffsetFetchRequestTopic()
	topic.Topic, topic.Partitions = partition.Topic, []int32{partition.Partition}
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group, req.RequireStable, req.Topics = group, true, []kmsg.OffsetFetchRequestTopic{topic}
	resp, err := req.RequestWith(ctx, c.reader)
	if err != nil {
		return false, fmt.Errorf("fetch the stable offset of %s in group %s: %w", partition, group, err)
	}
	codes := []int16{resp.ErrorCode}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			codes = append(codes, p.ErrorCode)
		}
	}
	return slices.Contains(codes, kerr.UnstableOffsetCommit.Code), nil
}

// LoseEndTxn closes the connection on which the request comes.
func (c *cluster) LoseEndTxn(transactionalID string) {
	c.fake.ControlKey(kmsg.EndTxn.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.fake.KeepControl()
		lose := req.(*kmsg.EndTxnRequest).TransactionalID == transactionalID
		return nil, errors.New("EndTxn lost by the test"), lose
	})
}
