package franz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// consumer makes its kgo client in Subscribe or Assign, because kgo takes the
// topics of a group and the partitions of a reader as options that exclude each
// other. A second call replaces the client.
type consumer struct {
	translation
	group      string
	instance   string
	ownCommits bool // automatic ones are kgo's affair

	positions *positions
	member    bool  // subscribed, as against assigned
	failure   error // came beside records, for the next Poll

	mu     sync.Mutex // Close may come while Poll waits
	closed bool
	cl     *kgo.Client // nil until something needs it
	cancel context.CancelFunc
}

func newConsumer(s drivers.Settings) (drivers.Consumer, error) {
	t, err := translate(drivers.RoleConsumer, s)
	if err != nil {
		return nil, err
	}
	opts := t.opts
	group := s.Config["group.id"]
	if group != "" {
		opts = slices.Concat(t.opts, t.group)
	}
	if err := validate(opts); err != nil {
		return nil, err
	}
	return &consumer{
		translation: t, group: group, instance: s.Config["group.instance.id"], ownCommits: ownCommits(s), positions: newPositions(),
	}, nil
}

// ownCommits says whether automatic commits are as kgo makes them by default.
func ownCommits(s drivers.Settings) bool {
	_, set := s.Config["enable.auto.commit"]
	return s.Bare && !set
}

func (c *consumer) Subscribe(ctx context.Context, topics []string) error {
	if c.group == "" {
		return errorOf("subscribe", errNoGroup)
	}
	c.member, c.positions = true, newPositions()
	opts := []kgo.Opt{
		kgo.ConsumeTopics(topics...),
		kgo.OnPartitionsAssigned(c.positions.onAssigned),
		kgo.OnPartitionsLost(c.positions.onLost),
	}
	if !c.ownCommits { // else kgo's own callback commits, and nobody is told
		opts = append(opts, kgo.OnPartitionsRevoked(c.positions.onRevoked))
	}
	return c.replace(ctx, "subscribe", slices.Concat(c.translation.group, opts))
}

var errNoGroup = errors.New("expected a group.id in the settings of the consumer")

func (c *consumer) Assign(ctx context.Context, from []drivers.Position) error {
	c.member, c.positions = false, newPositions()
	for _, p := range from {
		c.positions.assign(p.TopicPartition)
	}
	return c.replace(ctx, "assign", []kgo.Opt{kgo.ConsumePartitions(offsetsOf(from))})
}

func offsetsOf(from []drivers.Position) map[string]map[int32]kgo.Offset {
	all := map[string]map[int32]kgo.Offset{}
	for _, p := range from {
		if all[p.Topic] == nil {
			all[p.Topic] = map[int32]kgo.Offset{}
		}
		all[p.Topic][p.Partition] = offsetOf(p.Offset)
	}
	return all
}

func offsetOf(offset int64) kgo.Offset {
	switch offset {
	case drivers.OffsetStart:
		return kgo.NewOffset().AtStart()
	case drivers.OffsetEnd:
		return kgo.NewOffset().AtEnd()
	}
	return kgo.NewOffset().At(offset)
}

// replace leaves what the consumer did before and starts anew.
func (c *consumer) replace(ctx context.Context, call string, opts []kgo.Opt) error {
	c.failure = nil
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errorOf(call, kgo.ErrClientClosed)
	}
	if err := c.shut(ctx); err != nil {
		return errorOf(call, err)
	}
	return c.open(opts)
}

func (c *consumer) open(opts []kgo.Opt) error {
	cl, cancel, err := open(slices.Concat(c.opts, opts))
	if err != nil {
		return err
	}
	c.cl, c.cancel = cl, cancel
	return nil
}

// shut leaves the group, if the client is in one, and frees it. Without the
// cancellation kgo would also wait to say farewell to each broker.
func (c *consumer) shut(ctx context.Context) error {
	if c.cl == nil {
		return nil
	}
	err := c.cl.LeaveGroupContext(ctx)
	c.cancel()
	c.cl.Close()
	c.cl = nil
	return err
}

// client is the one of Subscribe or Assign, or one that reads nothing.
func (c *consumer) client() (*kgo.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, kgo.ErrClientClosed
	}
	if c.cl == nil {
		if err := c.open(nil); err != nil {
			return nil, err
		}
	}
	return c.cl, nil
}

func (c *consumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	return c.PollAtMost(ctx, 0)
}

// PollAtMost is drivers.LimitedPoller; 0 is as many as kgo has.
func (c *consumer) PollAtMost(ctx context.Context, most int) ([]drivers.Record, error) {
	cl, err := c.client()
	if err != nil {
		return nil, errorOf("poll", err)
	}
	for {
		if err := c.failure; err != nil {
			c.failure = nil
			return nil, err
		}
		untold := c.positions.untold()
		fetches := cl.PollRecords(ctx, most)
		records := c.take(fetches)
		c.positions.polled(len(records), untold)
		c.failure = failureIn(ctx, fetches)
		if len(records) > 0 || c.failure == nil && ctx.Err() != nil {
			return records, nil
		}
	}
}

// take converts the records, and notes where each partition stands.
func (c *consumer) take(fetches kgo.Fetches) []drivers.Record {
	var all []drivers.Record
	if n := fetches.NumRecords(); n > 0 {
		all = make([]drivers.Record, 0, n)
	}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		for _, r := range p.Records {
			all = append(all, fromKgo(r))
		}
		if last := len(p.Records) - 1; last >= 0 {
			tp := drivers.TopicPartition{Topic: p.Topic, Partition: p.Partition}
			c.positions.set(drivers.Position{TopicPartition: tp, Offset: p.Records[last].Offset + 1})
		}
	})
	return all
}

func fromKgo(r *kgo.Record) drivers.Record {
	out := drivers.Record{Topic: r.Topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Offset: r.Offset}
	for _, h := range r.Headers {
		out.Headers = append(out.Headers, drivers.Header{Key: h.Key, Value: h.Value})
	}
	return out
}

// failureIn is the first error that kgo does not overcome by itself.
func failureIn(ctx context.Context, fetches kgo.Fetches) error {
	for _, f := range fetches.Errors() {
		if ctx.Err() != nil && errors.Is(f.Err, ctx.Err()) || informational(f.Err) {
			continue
		}
		return errorOf("poll", f.Err)
	}
	return nil
}

func (c *consumer) Seek(_ context.Context, to drivers.Position) error {
	cl, err := c.client()
	switch {
	case err != nil:
		return errorOf("seek", err)
	case !c.positions.isAssigned(to.TopicPartition):
		return errorOf("seek", fmt.Errorf("%s is not assigned to this consumer", to.TopicPartition))
	case to.Offset < 0:
		return errorOf("seek", fmt.Errorf("offset %d of %s: expected 0 or more", to.Offset, to.TopicPartition))
	}
	if !c.member && !c.positions.has(to.TopicPartition) {
		// kgo may not have begun with the partition, and then SetOffsets passes
		// over it.
		cl.AddConsumePartitions(offsetsOf([]drivers.Position{to}))
	}
	cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{
		to.Topic: {to.Partition: {Epoch: -1, Offset: to.Offset}},
	})
	c.positions.set(to)
	return nil
}

func (c *consumer) Positions() ([]drivers.Position, error) {
	return c.positions.sorted(), nil
}

// Rebalances is drivers.Rebalancing.
func (c *consumer) Rebalances() []drivers.Rebalance { return c.positions.take() }

// Store is drivers.Storing, by kgo's marks.
func (c *consumer) Store(next []drivers.Position) error {
	cl, err := c.client()
	if err != nil {
		return errorOf("store", err)
	}
	if cl.OptValue(kgo.AutoCommitMarks) != true {
		return errorOf("store", errors.New("expected enable.auto.commit=true and enable.auto.offset.store=false"))
	}
	cl.MarkCommitOffsets(epochOffsetsOf(next))
	return nil
}

func (c *consumer) GroupMetadata() (drivers.GroupMetadata, error) {
	if c.group == "" {
		return drivers.GroupMetadata{}, nil
	}
	m := drivers.GroupMetadata{Group: c.group, Generation: -1, Instance: c.instance}
	cl, err := c.client()
	if err != nil {
		return drivers.GroupMetadata{}, errorOf("group metadata", err)
	}
	if c.member {
		m.Member, m.Generation = cl.GroupMetadata()
	}
	return m, nil
}

func (c *consumer) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	const leaving = time.Second // a broker that does not answer by then finds out by the session timeout
	ctx, stop := context.WithTimeout(context.Background(), leaving)
	defer stop()
	if err := c.shut(ctx); err != nil {
		return fmt.Errorf("close: leave group %s: %w", c.group, err)
	}
	return nil
}
