//go:build cgo

package librdkafka

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers"
)

const (
	// pollInterval is how soon Poll sees that its context has ended, or that
	// the consumer is being closed.
	pollInterval = 100 * time.Millisecond

	// pollLimit bounds what one Poll returns.
	pollLimit = 1000
)

// informational are errors that librdkafka goes on after by itself; it tells
// them so that a program can log them.
var informational = []kafka.ErrorCode{
	kafka.ErrTransport, kafka.ErrAllBrokersDown, kafka.ErrResolve, kafka.ErrSsl, kafka.ErrTimedOut, kafka.ErrMsgTimedOut,
}

// consumer drives one rd_kafka_t. The library calls that can block for long go
// through calls.run.
type consumer struct {
	lib   *kafka.Consumer
	group string // empty: the settings name none
	calls *calls
	logs  *logs
	late  error // of an event that stood behind records; the next Poll returns it

	mu       sync.Mutex
	sought   map[drivers.TopicPartition]int64 // since then nothing was returned
	returned int64                            // records so far
	changes  []drivers.Rebalance              // that nobody has asked for yet
}

func newConsumer(s drivers.Settings) (*consumer, error) {
	logs := startLogs(s.Log)
	conf, err := consumerConfig(s, logs.lines)
	if err != nil {
		logs.stop()
		return nil, err
	}
	lib, err := kafka.NewConsumer(&conf)
	if err != nil {
		logs.stop()
		return nil, callError("new client", err)
	}
	c := &consumer{lib: lib, calls: newCalls(), logs: logs, sought: map[drivers.TopicPartition]int64{}}
	if group := conf["group.id"].(string); group != placeholderGroup {
		c.group = group
	}
	return c, nil
}

// do makes a call that does not block for long.
func (c *consumer) do(call string, f func() error) error {
	err := c.calls.enter()
	if err == nil {
		defer c.calls.leave()
		err = f()
	}
	return callError(call, err)
}

// Subscribe joins the group; see drivers.Consumer.
func (c *consumer) Subscribe(_ context.Context, topics []string) error {
	if c.group == "" {
		return noGroup("subscribe")
	}
	return c.do("subscribe", func() error { return c.lib.SubscribeTopics(topics, c.rebalanced) })
}

func noGroup(call string) error {
	return callError(call, kafka.NewError(kafka.ErrUnknownGroup, "the settings have no group.id", false))
}

// rebalanced notes the change, and forgets where revoked partitions were sought to.
// It leaves the assignment itself to the binding. It runs inside Poll and Close, so
// that the order of changes and records is known.
func (c *consumer) rebalanced(lib *kafka.Consumer, event kafka.Event) error {
	c.logs.event(event)
	switch e := event.(type) {
	case kafka.AssignedPartitions:
		c.changed(drivers.Assigned, e.Partitions)
	case kafka.RevokedPartitions:
		change := drivers.Revoked
		if lib.AssignmentLost() {
			change = drivers.Lost
		}
		for _, tp := range c.changed(change, e.Partitions) {
			c.forget(tp)
		}
	}
	return nil
}

// changed notes what is to be told, unless there is nothing.
func (c *consumer) changed(change drivers.Change, parts []kafka.TopicPartition) []drivers.TopicPartition {
	if len(parts) == 0 {
		return nil
	}
	r := drivers.Rebalance{Change: change}
	for _, tp := range parts {
		r.Partitions = append(r.Partitions, drivers.TopicPartition{Topic: *tp.Topic, Partition: tp.Partition})
	}
	slices.SortFunc(r.Partitions, drivers.TopicPartition.Compare)
	c.mu.Lock()
	defer c.mu.Unlock()
	r.After = c.returned
	c.changes = append(c.changes, r)
	return r.Partitions
}

// Rebalances is drivers.Rebalancing.
func (c *consumer) Rebalances() []drivers.Rebalance {
	c.mu.Lock()
	defer c.mu.Unlock()
	changes := c.changes
	c.changes = nil
	return changes
}

// Store is StoreOffsets, which refuses unless enable.auto.offset.store=false.
func (c *consumer) Store(next []drivers.Position) error {
	return c.do("store", func() error { return firstError(c.lib.StoreOffsets(toLibrary(next))) })
}

// Assign reads exactly these partitions; see drivers.Consumer. OffsetStart and
// OffsetEnd are librdkafka's own numbers.
func (c *consumer) Assign(_ context.Context, from []drivers.Position) error {
	c.mu.Lock()
	clear(c.sought)
	c.mu.Unlock()
	return c.do("assign", func() error { return c.lib.Assign(toLibrary(from)) })
}

// Poll returns what is there; see drivers.Consumer.
func (c *consumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	return c.PollAtMost(ctx, pollLimit)
}

// PollAtMost is drivers.LimitedPoller.
func (c *consumer) PollAtMost(ctx context.Context, most int) ([]drivers.Record, error) {
	if err := c.late; err != nil {
		c.late = nil
		return nil, err
	}
	for wait := time.Duration(0); ; wait = pollInterval {
		if err := c.calls.enter(); err != nil {
			return nil, callError("poll", err)
		}
		records, err := c.take(wait, most)
		c.calls.leave()
		if len(records) > 0 {
			c.late = err
			return records, nil
		}
		if err != nil || ctx.Err() != nil {
			return nil, err
		}
	}
}

// take waits for one event, and then for none.
func (c *consumer) take(wait time.Duration, most int) ([]drivers.Record, error) {
	var records []drivers.Record
	for len(records) < most {
		event := c.lib.Poll(int(wait.Milliseconds()))
		wait = 0
		switch e := event.(type) {
		case nil:
			return records, nil
		case *kafka.Message:
			if e.TopicPartition.Error != nil {
				return records, callError("poll", e.TopicPartition.Error)
			}
			records = append(records, c.record(e))
		case kafka.Error:
			if e.IsFatal() || !slices.Contains(informational, e.Code()) {
				return records, callError("poll", e)
			}
			c.logs.event(e)
		default:
			c.logs.event(e)
		}
	}
	return records, nil
}

func (c *consumer) record(m *kafka.Message) drivers.Record {
	r := drivers.Record{
		Topic: *m.TopicPartition.Topic, Partition: m.TopicPartition.Partition, Offset: int64(m.TopicPartition.Offset),
		Key: m.Key, Value: m.Value,
	}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, drivers.Header{Key: h.Key, Value: h.Value})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned++
	delete(c.sought, drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition})
	return r
}

func (c *consumer) forget(tp drivers.TopicPartition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sought, tp)
}

// Seek is SeekPartitions: once it has returned, Poll gives nothing older. The
// partition must be assigned, and its fetching begun; before that librdkafka
// answers _STATE.
func (c *consumer) Seek(ctx context.Context, to drivers.Position) error {
	err := c.calls.run(ctx, "seek", func() error {
		return firstError(c.lib.SeekPartitions(toLibrary([]drivers.Position{to})))
	})
	if err != nil {
		return err
	}
	if to.Offset < 0 {
		c.forget(to.TopicPartition)
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sought[to.TopicPartition] = to.Offset
	return nil
}

// Positions asks the library, which forgets its position at a seek until the
// next record is returned.
func (c *consumer) Positions() ([]drivers.Position, error) {
	var all []kafka.TopicPartition
	err := c.do("positions", func() error {
		assigned, err := c.lib.Assignment()
		if err == nil {
			all, err = c.lib.Position(assigned)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	known := told(all)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tp := range all {
		key := drivers.TopicPartition{Topic: *tp.Topic, Partition: tp.Partition}
		if offset, ok := c.sought[key]; ok {
			known[key] = offset
		}
	}
	return sorted(known), nil
}

// Commit is CommitOffsets, which knows no timeout; see Close for how long it can
// take.
func (c *consumer) Commit(ctx context.Context, offsets []drivers.Position) error {
	if c.group == "" {
		return noGroup("commit")
	}
	if len(offsets) == 0 {
		return nil
	}
	return c.calls.run(ctx, "commit", func() error {
		return firstError(c.lib.CommitOffsets(toLibrary(offsets)))
	})
}

// Committed asks the coordinator; see drivers.Consumer. librdkafka asks again
// while a transaction is undecided, if isolation.level is read_committed.
func (c *consumer) Committed(ctx context.Context, partitions []drivers.TopicPartition) ([]drivers.Position, error) {
	if c.group == "" {
		return nil, noGroup("committed")
	}
	wanted := make([]drivers.Position, len(partitions))
	for i, tp := range partitions {
		wanted[i].TopicPartition = tp
	}
	answer := make(chan []kafka.TopicPartition, 1)
	err := c.calls.run(ctx, "committed", func() error {
		stored, err := c.lib.Committed(toLibrary(wanted), timeoutOf(ctx))
		answer <- stored
		return firstError(stored, err)
	})
	switch {
	case hasCode(err, kafka.ErrGroupIDNotFound): // kfake's answer for a group that has stored nothing
		return nil, nil
	case err != nil:
		return nil, err
	}
	return sorted(told(<-answer)), nil
}

// timeoutOf is ctx's deadline in librdkafka's milliseconds; -1 waits for ever.
func timeoutOf(ctx context.Context) int {
	deadline, ok := ctx.Deadline()
	if !ok {
		return -1
	}
	return int(max(0, time.Until(deadline).Milliseconds()))
}

// GroupMetadata is the library's handle. The binding does not show generation
// and member, which are inside.
func (c *consumer) GroupMetadata() (drivers.GroupMetadata, error) {
	if c.group == "" {
		return drivers.GroupMetadata{}, nil
	}
	var handle *kafka.ConsumerGroupMetadata
	err := c.do("group metadata", func() (err error) {
		handle, err = c.lib.GetConsumerGroupMetadata()
		return err
	})
	if err != nil {
		return drivers.GroupMetadata{}, err
	}
	return drivers.GroupMetadata{Group: c.group, Library: handle}, nil
}

// Close leaves the group; see drivers.Consumer. librdkafka first waits for
// commits that are under way, also the one that enable.auto.commit makes at the
// end. Without a coordinator that takes session.timeout.ms (45 s; rdkafka_cgrp.c,
// rd_kafka_cgrp_defer_offset_commit), and for ever if the connection breaks
// before the answer: the request is then queued for a coordinator that has no
// address (librdkafka issue 3740). So Close does not wait to the end; its error says so.
func (c *consumer) Close() error {
	if !c.calls.close() {
		return nil
	}
	return c.calls.teardown(func() {
		if err := c.lib.Close(); err != nil {
			c.logs.sink("close: " + err.Error())
		}
		c.logs.stop()
	})
}

func toLibrary(positions []drivers.Position) []kafka.TopicPartition {
	tps := make([]kafka.TopicPartition, len(positions))
	for i, p := range positions {
		tps[i] = kafka.TopicPartition{Topic: &p.Topic, Partition: p.Partition, Offset: kafka.Offset(p.Offset)}
	}
	return tps
}

// firstError is the error of the call, or of the first partition that has one.
func firstError(tps []kafka.TopicPartition, err error) error {
	for _, tp := range tps {
		if err == nil {
			err = tp.Error
		}
	}
	return err
}

// told leaves out the partitions of which the library told no offset.
func told(tps []kafka.TopicPartition) map[drivers.TopicPartition]int64 {
	offsets := map[drivers.TopicPartition]int64{}
	for _, tp := range tps {
		if tp.Offset >= 0 {
			offsets[drivers.TopicPartition{Topic: *tp.Topic, Partition: tp.Partition}] = int64(tp.Offset)
		}
	}
	return offsets
}

func sorted(offsets map[drivers.TopicPartition]int64) []drivers.Position {
	var positions []drivers.Position
	for _, tp := range slices.SortedFunc(maps.Keys(offsets), drivers.TopicPartition.Compare) {
		positions = append(positions, drivers.Position{TopicPartition: tp, Offset: offsets[tp]})
	}
	return positions
}
