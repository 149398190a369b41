package sarama

import (
	"context"
	"errors"
	"time"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

// Commit asks the coordinator itself (Broker.CommitOffset): Commit of a session says
// neither whether it succeeded nor why not, and leaves out what was committed before.
// Like that one it tries once.
func (c *consumer) Commit(ctx context.Context, offsets []drivers.Position) error {
	if c.group == "" {
		return errorOf("commit", errNoGroup)
	}
	if len(offsets) == 0 {
		return nil
	}
	return asError("commit", c.calls.run(ctx, func() error { return c.commit(offsets) }))
}

func (c *consumer) commit(offsets []drivers.Position) error {
	coordinator, err := c.coordinator()
	if err != nil {
		return err
	}
	answer, err := coordinator.CommitOffset(c.offsetCommit(offsets))
	if err != nil {
		return err
	}
	for _, partitions := range answer.Errors {
		for _, code := range partitions {
			if code != sarama.ErrNoError {
				return c.moved(code)
			}
		}
	}
	return nil
}

// offsetCommit proves to the coordinator that the member is of this generation; a
// consumer with assigned partitions proves nothing, which only a group without members
// accepts. Version 8 is what sarama's own offset manager sends.
func (c *consumer) offsetCommit(offsets []drivers.Position) *sarama.OffsetCommitRequest {
	member, _ := c.GroupMetadata()
	req := &sarama.OffsetCommitRequest{
		Version: 8, ConsumerGroup: c.group, ConsumerID: member.Member, ConsumerGroupGeneration: member.Generation,
	}
	if c.instance != "" {
		req.GroupInstanceId = &c.instance
	}
	for _, o := range offsets {
		req.AddBlockWithLeaderEpoch(o.Topic, o.Partition, o.Offset, -1, 0, "")
	}
	return req
}

func (c *consumer) coordinator() (*sarama.Broker, error) {
	cluster, err := c.client()
	if err != nil {
		return nil, err
	}
	return cluster.Coordinator(c.group)
}

// moved makes sarama look for another coordinator the next time.
func (c *consumer) moved(code sarama.KError) error {
	if code == sarama.ErrNotCoordinatorForConsumer || code == sarama.ErrConsumerCoordinatorNotAvailable {
		_ = c.cluster.RefreshCoordinator(c.group) // what it does not find now the next call misses
	}
	return code
}

// Committed asks until no transaction is open over the partitions: the coordinator
// answers UNSTABLE_OFFSET_COMMIT as long as one is.
func (c *consumer) Committed(ctx context.Context, partitions []drivers.TopicPartition) ([]drivers.Position, error) {
	if c.group == "" {
		return nil, errorOf("committed", errNoGroup)
	}
	if len(partitions) == 0 { // a request without partitions would ask for all of them
		return nil, nil
	}
	const pause = 20 * time.Millisecond
	for {
		answer := make(chan []drivers.Position, 1)
		err := c.calls.run(ctx, func() error {
			stored, err := c.stable(partitions)
			answer <- stored
			return err
		})
		if err == nil {
			return <-answer, nil
		}
		if !errors.Is(err, sarama.ErrUnstableOffsetCommit) {
			return nil, errorOf("committed", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, errorOf("committed", err)
		}
	}
}

func (c *consumer) stable(partitions []drivers.TopicPartition) ([]drivers.Position, error) {
	coordinator, err := c.coordinator()
	if err != nil {
		return nil, err
	}
	wanted := map[string][]int32{}
	for _, tp := range partitions {
		wanted[tp.Topic] = append(wanted[tp.Topic], tp.Partition)
	}
	req := sarama.NewOffsetFetchRequest(c.settings.conf.Version, c.group, wanted)
	req.RequireStable = true
	answer, err := coordinator.FetchOffset(req)
	switch {
	case err != nil:
		return nil, err
	case answer.Err == sarama.ErrGroupIDNotFound: // kfake's answer for a group that never stored anything
		return nil, nil
	case answer.Err != sarama.ErrNoError:
		return nil, c.moved(answer.Err)
	}
	return c.storedIn(answer, partitions)
}

func (c *consumer) storedIn(answer *sarama.OffsetFetchResponse, partitions []drivers.TopicPartition) ([]drivers.Position, error) {
	var stored []drivers.Position
	for _, tp := range partitions {
		block := answer.GetBlock(tp.Topic, tp.Partition)
		switch {
		case block == nil:
			return nil, sarama.ErrIncompleteResponse
		case block.Err != sarama.ErrNoError:
			return nil, c.moved(block.Err)
		case block.Offset >= 0:
			stored = append(stored, drivers.Position{TopicPartition: tp, Offset: block.Offset})
		}
	}
	return sortedByPartition(stored), nil
}
