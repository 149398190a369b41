package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kcompare/drivers"
)

// filled is a topic of two partitions with ten records each, and its log.
func (s Subject) filled(ctx context.Context) (string, []LogRecord, error) {
	topic, err := s.Cluster.CreateTopic(ctx, 2)
	if err != nil {
		return "", nil, err
	}
	if err := s.fill(ctx, numbered(topic, "orders", 20, 2)); err != nil {
		return "", nil, err
	}
	log, err := s.Cluster.Log(ctx, topic)
	return topic, log, err
}

// polls expects exactly these records, and their order in each partition.
func polls(ctx context.Context, c drivers.Consumer, want []drivers.Record) error {
	got, err := poll(ctx, c, len(want))
	return errors.Join(err, sameRecords(got, want))
}

// subscribeReadsAll reads a topic as a member of a group.
func subscribeReadsAll(ctx context.Context, s Subject) error {
	topic, log, err := s.filled(ctx)
	if err != nil {
		return err
	}
	return s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		return polls(ctx, c, recordsOf(log))
	})
}

// assignReads starts at the beginning of one partition and in the middle of the
// other.
func assignReads(ctx context.Context, s Subject) error {
	topic, log, err := s.filled(ctx)
	if err != nil {
		return err
	}
	from := []drivers.Position{position(topic, 0, drivers.OffsetStart), position(topic, 1, 4)}
	return s.withAssigned(ctx, from, nil, func(c drivers.Consumer) error {
		return polls(ctx, c, append(visible(log, 0, 0), visible(log, 1, 4)...))
	})
}

// assignAtEnd writes a record, and another, until one is read: a library finds
// the end some time after Assign, and nothing says when.
func assignAtEnd(ctx context.Context, s Subject) error {
	topic, log, err := s.filled(ctx)
	if err != nil {
		return err
	}
	end := int64(len(visible(log, 0, 0)))
	return s.withAssigned(ctx, []drivers.Position{position(topic, 0, drivers.OffsetEnd)}, nil, func(c drivers.Consumer) error {
		got, err := s.firstAfterWriting(ctx, c, topic)
		if err != nil {
			return err
		}
		if got.Offset < end {
			return fmt.Errorf("first record after assignment at the end: expected offset %d or more, got %s", end, describe(got))
		}
		return nil
	})
}

func (s Subject) firstAfterWriting(ctx context.Context, c drivers.Consumer, topic string) (drivers.Record, error) {
	for ctx.Err() == nil {
		got, err := pollFor(ctx, c, 100*time.Millisecond)
		if err != nil {
			return drivers.Record{}, err
		}
		if len(got) > 0 {
			return got[0], nil
		}
		if err := s.fill(ctx, numbered(topic, "late", 1, 1)); err != nil {
			return drivers.Record{}, err
		}
	}
	return drivers.Record{}, fmt.Errorf("poll at the end of %s: a record written later never came: %w", topic, ctx.Err())
}

// pollFor polls once, for a while.
func pollFor(ctx context.Context, c drivers.Consumer, d time.Duration) ([]drivers.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return c.Poll(ctx)
}

// pollEndsWithContext polls where nothing will come.
func pollEndsWithContext(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	return s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		start := time.Now()
		got, err := pollFor(ctx, c, 300*time.Millisecond)
		if err != nil || len(got) > 0 {
			return fmt.Errorf("poll until the end of its context: expected neither records nor an error, got %d records: %v", len(got), err)
		}
		return took("poll after the end of its context", start)
	})
}

// seeks goes back, and then forward, in one of two partitions.
func seeks(ctx context.Context, s Subject) error {
	topic, log, err := s.filled(ctx)
	if err != nil {
		return err
	}
	from := []drivers.Position{position(topic, 0, drivers.OffsetStart)}
	return s.withAssigned(ctx, from, nil, func(c drivers.Consumer) error {
		if err := polls(ctx, c, visible(log, 0, 0)); err != nil {
			return err
		}
		for _, offset := range []int64{2, 8} {
			to := position(topic, 0, offset)
			if err := c.Seek(ctx, to); err != nil {
				return fmt.Errorf("seek to %s: %w", places([]drivers.Position{to}), err)
			}
			at, err := c.Positions()
			err = errors.Join(err, samePositions("positions after a seek", at, []drivers.Position{to}))
			if err := errors.Join(err, polls(ctx, c, visible(log, 0, offset))); err != nil {
				return fmt.Errorf("after a seek to %d: %w", offset, err)
			}
		}
		return nil
	})
}

// tellsPositions asks before anything was read, and at the end.
func tellsPositions(ctx context.Context, s Subject) error {
	topic, _, err := s.filled(ctx)
	if err != nil {
		return err
	}
	from := []drivers.Position{position(topic, 1, drivers.OffsetStart), position(topic, 0, drivers.OffsetStart)}
	return s.withAssigned(ctx, from, nil, func(c drivers.Consumer) error {
		before, err1 := c.Positions()
		_, err2 := poll(ctx, c, 20)
		after, err3 := c.Positions()
		return errors.Join(err1, err2, err3,
			samePositions("positions before the first poll", before, nil),
			samePositions("positions at the end", after, []drivers.Position{position(topic, 0, 10), position(topic, 1, 10)}))
	})
}

// commits stores an offset for one of two partitions, and starts there again.
func commits(ctx context.Context, s Subject) error {
	topic, log, err := s.filled(ctx)
	if err != nil {
		return err
	}
	done := []drivers.Position{position(topic, 0, 4)}
	err = s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		if _, err := poll(ctx, c, 20); err != nil {
			return err
		}
		if err := c.Commit(ctx, done); err != nil {
			return fmt.Errorf("commit %s: %w", places(done), err)
		}
		return s.stored(ctx, c, topic, done)
	})
	if err != nil {
		return err
	}
	return s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		return polls(ctx, c, append(visible(log, 0, 4), visible(log, 1, 0)...))
	})
}

// commitsNothingUnasked polls everything and closes.
func commitsNothingUnasked(ctx context.Context, s Subject) error {
	topic, _, err := s.filled(ctx)
	if err != nil {
		return err
	}
	err = s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		_, err := poll(ctx, c, 20)
		return err
	})
	stored, storedErr := s.Cluster.Offsets(ctx, groupID(topic))
	return errors.Join(err, storedErr, samePositions("offsets of a group that never committed", stored, nil))
}

// isolates reads a topic with an aborted transaction in its middle at both
// isolation levels. The record at the end says that everything before it came.
func isolates(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	err = s.withTransactions(ctx, topic, func(p drivers.TransactionalProducer) error {
		var l ledger
		return errors.Join(
			transact(ctx, p, &l, commit, numbered(topic, "committed", 3, 1)...),
			transact(ctx, p, &l, abort, numbered(topic, "aborted", 3, 1)...))
	})
	if err := errors.Join(err, s.fill(ctx, numbered(topic, "end", 1, 1))); err != nil {
		return err
	}
	log, err := s.decided(ctx, topic)
	if err != nil {
		return err
	}
	return errors.Join(
		s.readsAt(ctx, "read_committed", visible(log, 0, 0)),
		s.readsAt(ctx, "read_uncommitted", recordsOf(log)))
}

func (s Subject) readsAt(ctx context.Context, level string, want []drivers.Record) error {
	from := []drivers.Position{position(want[0].Topic, 0, drivers.OffsetStart)}
	err := s.withAssigned(ctx, from, pairs{"isolation.level": level}, func(c drivers.Consumer) error {
		return polls(ctx, c, want)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", level, err)
	}
	return nil
}

// tellsGroup asks a consumer that has its assignment. Member and generation are
// not looked at: librdkafka's Go binding keeps them to itself.
func tellsGroup(ctx context.Context, s Subject) error {
	topic, _, err := s.filled(ctx)
	if err != nil {
		return err
	}
	return s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		if _, err := poll(ctx, c, 1); err != nil {
			return err
		}
		metadata, err := c.GroupMetadata()
		if err == nil && metadata.Group != groupID(topic) {
			return fmt.Errorf("group metadata: expected group %q, got %+v", groupID(topic), metadata)
		}
		return err
	})
}

// tellsAssignment looks at what a member was told before its first record.
func tellsAssignment(ctx context.Context, s Subject) error {
	topic, _, err := s.filled(ctx)
	if err != nil {
		return err
	}
	return s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		telling, tells := c.(drivers.Rebalancing)
		if !tells {
			return fmt.Errorf("a consumer: expected a drivers.Rebalancing, got a %T", c)
		}
		if _, err := poll(ctx, c, 20); err != nil {
			return err
		}
		var told []drivers.Position
		for _, r := range telling.Rebalances() {
			for _, tp := range r.Partitions {
				if r.Change == drivers.Assigned && r.After == 0 {
					told = append(told, drivers.Position{TopicPartition: tp})
				}
			}
		}
		slices.SortFunc(told, func(a, b drivers.Position) int { return a.Compare(b.TopicPartition) })
		if want := []drivers.Position{position(topic, 0, 0), position(topic, 1, 0)}; !slices.Equal(want, told) {
			return fmt.Errorf("rebalances: expected to be told of %s before the first record, got %s", partitionsOf(want), partitionsOf(told))
		}
		return nil
	})
}

// partitionsOf is "none" or the partitions.
func partitionsOf(all []drivers.Position) string {
	if len(all) == 0 {
		return "none"
	}
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.TopicPartition.String()
	}
	return strings.Join(names, " ")
}

// stores notes an offset of one of two partitions for the automatic commit, and leaves
// the group: that is what must be committed, not what was polled.
func stores(ctx context.Context, s Subject) error {
	topic, _, err := s.filled(ctx)
	if err != nil {
		return err
	}
	settings := s.settings(pairs{
		"group.id": groupID(topic), "auto.offset.reset": "earliest",
		"enable.auto.commit": "true", "enable.auto.offset.store": "false",
	})
	c, err := s.Driver.NewConsumer(settings)
	if err != nil {
		return fmt.Errorf("make a consumer: %w", err)
	}
	storing, able := c.(drivers.Storing)
	if !able {
		return errors.Join(fmt.Errorf("a consumer: expected a drivers.Storing, got a %T", c), c.Close())
	}
	done := []drivers.Position{position(topic, 0, 4)}
	err = c.Subscribe(ctx, []string{topic})
	if err == nil {
		_, err = poll(ctx, c, 20)
	}
	if err == nil {
		err = storing.Store(done)
	}
	if err := errors.Join(err, c.Close()); err != nil {
		return err
	}
	stored, err := s.Cluster.Offsets(ctx, groupID(topic))
	return errors.Join(err, samePositions("in the cluster", stored, done))
}

// closeLeaves lets a second consumer take over long before the session of the
// first, 45 seconds, would have ended.
func closeLeaves(ctx context.Context, s Subject) error {
	topic, log, err := s.filled(ctx)
	if err != nil {
		return err
	}
	for range 2 {
		err := s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
			return polls(ctx, c, recordsOf(log))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// closeEndsPoll closes a consumer that waits. What Poll then returns is the
// library's choice.
func closeEndsPoll(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	polled := make(chan struct{})
	var start time.Time
	err = s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		if _, err := pollFor(ctx, c, 100*time.Millisecond); err != nil {
			return err
		}
		start = time.Now()
		go func() {
			defer close(polled)
			_, _ = c.Poll(ctx) // of interest is only that it returns
		}()
		return nil
	})
	if start.IsZero() {
		return err
	}
	<-polled
	return errors.Join(err, took("poll of a consumer that was closed", start))
}
