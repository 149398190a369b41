package drivertest

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"kcompare/drivers"
)

// pairs is settings that a check adds to those of the cluster.
type pairs = map[string]string

// settings is how a check builds a client.
func (s Subject) settings(extra pairs) drivers.Settings {
	config := maps.Clone(s.Cluster.Config())
	maps.Copy(config, extra)
	return drivers.Settings{Config: config}
}

// withProducer closes the producer after use, exactly once.
func (s Subject) withProducer(settings drivers.Settings, use func(drivers.Producer) error) error {
	p, err := s.Driver.NewProducer(settings)
	if err != nil {
		return fmt.Errorf("make a producer: %w", err)
	}
	return errors.Join(use(p), p.Close())
}

// deliver sends records with a producer of their own, and reads their topic.
func (s Subject) deliver(ctx context.Context, settings drivers.Settings, records []drivers.Record) (*ledger, []LogRecord, error) {
	var l ledger
	err := s.withProducer(settings, func(p drivers.Producer) error {
		return l.send(ctx, p, records...)
	})
	if err != nil {
		return nil, nil, err
	}
	log, err := s.Cluster.Log(ctx, records[0].Topic)
	return &l, log, err
}

// fill writes records that a check wants to read. What the producer says of
// them is judged by other checks.
func (s Subject) fill(ctx context.Context, records []drivers.Record) error {
	l, _, err := s.deliver(ctx, s.settings(nil), records)
	if err != nil {
		return err
	}
	return l.eachAcked()
}

// transactional is the settings of a producer that belongs to a topic's check.
func (s Subject) transactional(topic string) drivers.Settings {
	return s.settings(pairs{"transactional.id": transactionalID(topic)})
}

func transactionalID(topic string) string { return topic + "-transactions" }

// withTransactions makes a producer that is ready for Begin, and closes it
// after use.
func (s Subject) withTransactions(ctx context.Context, topic string, use func(drivers.TransactionalProducer) error) error {
	p, err := s.Driver.NewTransactionalProducer(s.transactional(topic))
	if err != nil {
		return fmt.Errorf("make a transactional producer: %w", err)
	}
	if err := p.Init(ctx); err != nil {
		return errors.Join(fmt.Errorf("init: %w", err), p.Close())
	}
	return errors.Join(use(p), p.Close())
}

// withConsumer makes a consumer whose group starts at the first record and
// commits nothing by itself, and closes it after use.
func (s Subject) withConsumer(topic string, extra pairs, use func(drivers.Consumer) error) error {
	config := pairs{
		"group.id": groupID(topic), "enable.auto.commit": "false", "auto.offset.reset": "earliest",
		"isolation.level": "read_committed", "session.timeout.ms": "45000", "fetch.wait.max.ms": "50",
	}
	maps.Copy(config, extra)
	c, err := s.Driver.NewConsumer(s.settings(config))
	if err != nil {
		return fmt.Errorf("make a consumer: %w", err)
	}
	return errors.Join(use(c), c.Close())
}

func groupID(topic string) string { return topic + "-group" }

// withSubscriber makes a consumer that subscribed to the topic.
func (s Subject) withSubscriber(ctx context.Context, topic string, use func(drivers.Consumer) error) error {
	return s.withConsumer(topic, nil, func(c drivers.Consumer) error {
		if err := c.Subscribe(ctx, []string{topic}); err != nil {
			return fmt.Errorf("subscribe to %s: %w", topic, err)
		}
		return use(c)
	})
}

// withAssigned makes a consumer that reads these partitions.
func (s Subject) withAssigned(ctx context.Context, from []drivers.Position, extra pairs, use func(drivers.Consumer) error) error {
	return s.withConsumer(from[0].Topic, extra, func(c drivers.Consumer) error {
		if err := c.Assign(ctx, from); err != nil {
			return fmt.Errorf("assign %s: %w", places(from), err)
		}
		return use(c)
	})
}

// poll collects records until there are n of them.
func poll(ctx context.Context, c drivers.Consumer, n int) ([]drivers.Record, error) {
	var got []drivers.Record
	for len(got) < n {
		records, err := c.Poll(ctx)
		if err != nil {
			return got, fmt.Errorf("poll after %d of %d records: %w", len(got), n, err)
		}
		got = append(got, records...)
		if len(got) < n && ctx.Err() != nil {
			return got, fmt.Errorf("poll: expected %d records, only %d came: %w", n, len(got), ctx.Err())
		}
	}
	return got, nil
}
