package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// Consumer reads a topic of the trial in a group, and notes in the ledger what it was
// assigned and what it returned. Its methods are called from one goroutine.
type Consumer struct {
	stage    *Stage
	who      string
	client   drivers.Consumer
	close    func() error
	clientID string
	cut      bool // its process has ended
	held     bool // nothing comes from it, or reaches it

	telling  drivers.Rebalancing // nil where the library does not tell
	number   int                 // in the ledger
	returned int64               // records so far
}

// Subscribe joins the group of the settings for the topic of a role.
func (c *Consumer) Subscribe(ctx context.Context, role string) error {
	return c.noted("subscribe", c.client.Subscribe(ctx, []string{c.stage.Topics[role]}))
}

// Poll waits for at least one record, or returns the error of ctx.
func (c *Consumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.poll(ctx)
	if err == nil && len(records) == 0 {
		err = ctx.Err()
	}
	return records, c.noted("poll", err)
}

// PollFor waits for records no longer than that; that none came is no error. It is for
// stories in which several members have to be polled for a rebalance to go on.
func (c *Consumer) PollFor(ctx context.Context, d time.Duration) ([]drivers.Record, error) {
	short, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	records, err := c.poll(short)
	if err == nil && len(records) == 0 {
		err = ctx.Err()
	}
	return records, c.noted("poll", err)
}

func (c *Consumer) poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.client.Poll(ctx)
	c.tell(records)
	return records, err
}

// tell puts records and changes of the assignment into the order in which they came.
func (c *Consumer) tell(records []drivers.Record) {
	if c.telling == nil {
		return
	}
	before := c.returned
	c.returned += int64(len(records))
	for _, change := range c.telling.Rebalances() {
		n := min(max(change.After-before, 0), int64(len(records)))
		c.tellRecords(records[:n])
		records, before = records[n:], before+n
		c.tellChange(change)
	}
	c.tellRecords(records)
}

func (c *Consumer) tellRecords(records []drivers.Record) {
	for _, r := range records {
		c.stage.Ledger.step(c.number, evidence.Step{
			Kind: evidence.StepReturned, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Count: 1,
		})
	}
}

func (c *Consumer) tellChange(change drivers.Rebalance) {
	kind := evidence.StepRevoked
	if change.Change == drivers.Assigned {
		kind = evidence.StepAssigned
	}
	for _, tp := range change.Partitions {
		c.stage.Ledger.step(c.number, evidence.Step{Kind: kind, Topic: tp.Topic, Partition: tp.Partition})
	}
}

// Holding is the partitions that the consumer was told it has, and of which it was
// not told that they were taken away. It is empty where the library does not tell.
func (c *Consumer) Holding() map[drivers.TopicPartition]bool {
	holding := map[drivers.TopicPartition]bool{}
	for _, s := range c.history() {
		tp := drivers.TopicPartition{Topic: s.Topic, Partition: s.Partition}
		switch s.Kind {
		case evidence.StepAssigned:
			holding[tp] = true
		case evidence.StepRevoked:
			delete(holding, tp)
		}
	}
	return holding
}

// TakenAway is how often it was told of a partition that it is taken away.
func (c *Consumer) TakenAway() (n int) {
	for _, s := range c.history() {
		if s.Kind == evidence.StepRevoked {
			n++
		}
	}
	return n
}

// history is what happened so far, what the library told since the last Poll included.
func (c *Consumer) history() []evidence.Step {
	if c.telling == nil {
		return nil
	}
	c.tell(nil)
	return c.stage.Ledger.steps(c.number)
}

// Commit stores the position for the group.
func (c *Consumer) Commit(ctx context.Context, next drivers.Position) error {
	return c.noted("commit offsets", c.client.Commit(ctx, []drivers.Position{next}))
}

// Store notes the position for the next automatic commit.
func (c *Consumer) Store(next drivers.Position) error {
	storing, stores := c.client.(drivers.Storing)
	if !stores {
		return fmt.Errorf("store an offset: %s has no way to", c.stage.Driver.Client())
	}
	return c.noted("store an offset", storing.Store([]drivers.Position{next}))
}

// Stored is the group's committed offset of a partition, -1 if there is none.
func (c *Consumer) Stored(ctx context.Context, tp drivers.TopicPartition) (int64, error) {
	stored, err := c.client.Committed(ctx, []drivers.TopicPartition{tp})
	if err != nil {
		return 0, c.noted("read the committed offsets", err)
	}
	for _, p := range stored {
		return p.Offset, nil
	}
	return -1, nil
}

// Rewind seeks to the group's committed position of a partition, to the start if
// there is none, and returns its offset.
func (c *Consumer) Rewind(ctx context.Context, tp drivers.TopicPartition) (int64, error) {
	to, err := c.Stored(ctx, tp)
	if err != nil {
		return 0, err
	}
	to = max(to, 0)
	if err := c.client.Seek(ctx, drivers.Position{TopicPartition: tp, Offset: to}); err != nil {
		return to, c.noted("seek", err)
	}
	if c.telling != nil {
		c.tell(nil)
		c.stage.Ledger.step(c.number, evidence.Step{Kind: evidence.StepSought, Topic: tp.Topic, Partition: tp.Partition, Offset: to})
	}
	return to, nil
}

// GroupMetadata is what a transaction needs to know of the consumer (KIP-447), as its
// library has it now.
func (c *Consumer) GroupMetadata() (drivers.GroupMetadata, error) {
	group, err := c.client.GroupMetadata()
	return group, c.noted("ask for the group metadata", err)
}

// errNoConnections says that a story did something to nobody.
var errNoConnections = errors.New("the client has no connections")

// Crash is the end of the process around the consumer: its connections break, and
// nothing that it still says reaches anybody. The group finds out by the session
// timeout. rule is that of Variant.Staged. The consumer needs a client.id of its own.
func (c *Consumer) Crash(rule string) error {
	if c.stage.Wire.Cut(c.clientID) == 0 {
		return fmt.Errorf("crash %s: %w", c.who, errNoConnections)
	}
	c.cut = true
	c.stage.Ledger.stage(rule)
	return nil
}

// Freeze lets the process around the consumer stand still, as far as the cluster can
// tell: its connections are up and nothing comes from it. Thaw ends that.
func (c *Consumer) Freeze(rule string) error {
	if c.stage.Wire.Hold(c.clientID) == 0 {
		return fmt.Errorf("freeze %s: %w", c.who, errNoConnections)
	}
	c.held = true
	c.stage.Ledger.stage(rule)
	return nil
}

// Thaw lets the process go on, and what it sent meanwhile reach its brokers.
func (c *Consumer) Thaw() {
	c.stage.Wire.Lift(c.clientID)
	c.held = false
}

// Close leaves the group.
func (c *Consumer) Close() error { return c.close() }

// shut closes the client. One that has crashed gets its connections back for that, or
// librdkafka would look for its coordinator until its session has timed out; the group
// does not know it any more, and what it says of that is nobody's concern.
func (c *Consumer) shut() error {
	if c.cut || c.held {
		c.stage.Wire.Lift(c.clientID)
	}
	err := c.client.Close()
	c.tell(nil)
	if c.cut {
		return nil
	}
	return err
}

func (c *Consumer) noted(doing string, err error) error {
	if err != nil {
		return c.stage.failed(c.who, doing, err)
	}
	return nil
}
