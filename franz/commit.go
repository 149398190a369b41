package franz

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

func (c *consumer) Commit(ctx context.Context, offsets []drivers.Position) error {
	cl, err := c.client()
	if err == nil && c.group == "" {
		err = errNoGroup
	}
	if err == nil && c.member {
		err = commitAsMember(ctx, cl, offsets)
	} else if err == nil {
		err = commitAsStranger(ctx, cl, c.group, offsets)
	}
	return asError("commit", err)
}

// commitAsMember proves to the coordinator that the member is of this
// generation.
func commitAsMember(ctx context.Context, cl *kgo.Client, offsets []drivers.Position) error {
	var failure error
	cl.CommitOffsetsSync(ctx, epochOffsetsOf(offsets), func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		failure = err
		if err != nil {
			return
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				failure = cmp.Or(failure, kerr.ErrorForCode(p.ErrorCode))
			}
		}
	})
	return failure
}

// epochOffsetsOf are positions of which no leader epoch is known.
func epochOffsetsOf(offsets []drivers.Position) map[string]map[int32]kgo.EpochOffset {
	at := map[string]map[int32]kgo.EpochOffset{}
	for _, o := range offsets {
		if at[o.Topic] == nil {
			at[o.Topic] = map[int32]kgo.EpochOffset{}
		}
		at[o.Topic][o.Partition] = kgo.EpochOffset{Epoch: -1, Offset: o.Offset}
	}
	return at
}

// commitAsStranger is for a consumer with assigned partitions, which only a
// group without members accepts.
func commitAsStranger(ctx context.Context, cl *kgo.Client, group string, offsets []drivers.Position) error {
	var at kadm.Offsets
	for _, o := range offsets {
		at.AddOffset(o.Topic, o.Partition, o.Offset, -1)
	}
	resp, err := kadm.NewClient(cl).CommitOffsets(ctx, group, at)
	return cmp.Or(err, resp.Error())
}

// Committed asks until no transaction is open over the partitions: the
// coordinator answers UNSTABLE_OFFSET_COMMIT as long as one is.
func (c *consumer) Committed(ctx context.Context, partitions []drivers.TopicPartition) ([]drivers.Position, error) {
	cl, err := c.client()
	if err == nil && c.group == "" {
		err = errNoGroup
	}
	if err != nil || len(partitions) == 0 { // a request without partitions would ask for all of them
		return nil, asError("committed", err)
	}
	for {
		stored, err := stable(ctx, cl, c.group, partitions)
		if err == nil {
			return stored, nil
		}
		if !errors.Is(err, kerr.UnstableOffsetCommit) {
			return nil, errorOf("committed", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, errorOf("committed", err)
		}
	}
}

// stable names its partitions in the request. Asked for all of a group, brokers
// leave out a partition whose only offset is still in an open transaction.
func stable(ctx context.Context, cl *kgo.Client, group string, partitions []drivers.TopicPartition) ([]drivers.Position, error) {
	resp, err := offsetFetch(group, partitions).RequestWith(ctx, cl)
	if err != nil {
		return nil, err
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		if errors.Is(err, kerr.GroupIDNotFound) {
			return nil, nil // it never stored anything
		}
		return nil, err
	}
	var stored []drivers.Position
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, err
			}
			if p.Offset >= 0 {
				tp := drivers.TopicPartition{Topic: t.Topic, Partition: p.Partition}
				stored = append(stored, drivers.Position{TopicPartition: tp, Offset: p.Offset})
			}
		}
	}
	slices.SortFunc(stored, func(a, b drivers.Position) int { return a.Compare(b.TopicPartition) })
	return stored, nil
}

func offsetFetch(group string, partitions []drivers.TopicPartition) *kmsg.OffsetFetchRequest {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group, req.RequireStable = group, true
	for _, tp := range slices.SortedFunc(slices.Values(partitions), drivers.TopicPartition.Compare) {
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != tp.Topic {
			topic := kmsg.NewOffsetFetchRequestTopic()
			topic.Topic = tp.Topic
			req.Topics = append(req.Topics, topic)
		}
		topic := &req.Topics[len(req.Topics)-1]
		topic.Partitions = append(topic.Partitions, tp.Partition)
	}
	return req
}
