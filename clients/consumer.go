package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"kcompare/drivers"
)

// consumer reads through the program. A poll that we gave up is answered nevertheless,
// and its records are kept for the next Poll.
type consumer struct {
	*handle
	given *call            // a poll that was given up; nil if there is none
	kept  []drivers.Record // of it

	mu      sync.Mutex
	changes []drivers.Rebalance // that nobody has asked for yet
}

func (c *consumer) attach(h *handle) { c.handle = h }

// reported never makes sense.
func (c *consumer) reported(*said) error { return errors.New("it is a consumer") }

// Subscribe joins the group; see drivers.Consumer.
func (c *consumer) Subscribe(ctx context.Context, topics []string) error {
	return c.askFor(ctx, &request{Verb: "subscribe", Topics: append([]string{}, topics...)}, c.patience, nil)
}

// Assign reads exactly these partitions; see drivers.Consumer.
func (c *consumer) Assign(ctx context.Context, from []drivers.Position) error {
	err := c.askFor(ctx, &request{Verb: "assign", From: toPositions(from)}, c.patience, nil)
	if err == nil {
		c.settle()
		c.kept = nil
	}
	return err
}

// Poll asks again and again until there is a record; see drivers.Consumer.
func (c *consumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	for {
		records, err := c.pollOnce(ctx)
		if errors.Is(err, errGivenUp) {
			return nil, nil
		}
		if len(records) > 0 || err != nil || ctx.Err() != nil {
			return records, err
		}
	}
}

func (c *consumer) pollOnce(ctx context.Context) ([]drivers.Record, error) {
	if records := c.kept; len(records) > 0 {
		c.kept = nil
		return records, nil
	}
	if c.closed.Load() {
		return nil, closedError("poll")
	}
	poll := c.given
	if poll == nil {
		limit := min(turnTime, timeLeft(ctx))
		var err error
		if poll, err = c.begin(ctx, &request{Verb: "poll", TimeoutMS: millis(limit)}, limit+c.patience); err != nil {
			return nil, c.callError("poll", err)
		}
	}
	a, err := c.wait(ctx, poll, lastWord)
	c.given = nil
	if errors.Is(err, errGivenUp) {
		c.given = poll
	}
	if err != nil {
		return nil, c.callError("poll", err)
	}
	return c.records(poll, a)
}

// settle takes the answer to a poll that was given up. The program answers in order, so
// that it is there once a later call was answered.
func (c *consumer) settle() {
	if c.given == nil {
		return
	}
	select {
	case a := <-c.given.answer:
		records, _ := c.records(c.given, a) // an error of a poll that nobody waits for
		c.kept = append(c.kept, records...)
		c.given = nil
	default:
	}
}

func (c *consumer) records(poll *call, a answer) ([]drivers.Record, error) {
	var body polled
	if err := c.members(poll, a, &body); err != nil {
		return nil, err
	}
	if err := c.note(body.Rebalances); err != nil {
		return nil, c.nonsense(poll, a, err)
	}
	var records []drivers.Record
	for _, r := range body.Records {
		records = append(records, drivers.Record{
			Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: r.Key, Value: r.Value, Headers: fromHeaders(r.Headers),
		})
	}
	return records, c.read(poll, a, nil)
}

// note keeps changes of the assignment for whoever asks.
func (c *consumer) note(changes []rebalance) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range changes {
		if !slices.Contains([]drivers.Change{drivers.Assigned, drivers.Revoked, drivers.Lost}, r.Change) {
			return fmt.Errorf("%q is no change of an assignment", r.Change)
		}
		c.changes = append(c.changes, drivers.Rebalance{Change: r.Change, Partitions: fromPlaces(r.Partitions), After: r.After})
	}
	return nil
}

// Seek makes the next Poll start there; see drivers.Consumer.
func (c *consumer) Seek(ctx context.Context, to drivers.Position) error {
	at := position(to)
	err := c.askFor(ctx, &request{Verb: "seek", To: &at}, c.patience, nil)
	if err == nil {
		c.settle()
		c.kept = slices.DeleteFunc(c.kept, func(r drivers.Record) bool { return placeOf(r) == to.TopicPartition })
	}
	return err
}

func placeOf(r drivers.Record) drivers.TopicPartition {
	return drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition}
}

// Positions asks the program, and stands before what is kept; see drivers.Consumer.
func (c *consumer) Positions() ([]drivers.Position, error) {
	var body struct{ Positions []position }
	if err := c.ask(&request{Verb: "positions"}, &body); err != nil {
		return nil, err
	}
	c.settle()
	next := map[drivers.TopicPartition]int64{}
	for _, p := range body.Positions {
		next[p.TopicPartition] = p.Offset
	}
	for _, r := range slices.Backward(c.kept) {
		next[placeOf(r)] = r.Offset
	}
	var positions []drivers.Position
	for _, tp := range slices.SortedFunc(maps.Keys(next), drivers.TopicPartition.Compare) {
		positions = append(positions, drivers.Position{TopicPartition: tp, Offset: next[tp]})
	}
	return positions, nil
}

// Commit stores offsets; see drivers.Consumer.
func (c *consumer) Commit(ctx context.Context, offsets []drivers.Position) error {
	return c.askTimed(ctx, &request{Verb: "commit-offsets", Offsets: toPositions(offsets)}, nil)
}

// Committed reads them; see drivers.Consumer.
func (c *consumer) Committed(ctx context.Context, partitions []drivers.TopicPartition) ([]drivers.Position, error) {
	var body struct{ Positions []position }
	if err := c.askBroker(ctx, &request{Verb: "committed", Partitions: toPlaces(partitions)}, &body); err != nil {
		return nil, err
	}
	return fromPositions(body.Positions), nil
}

// GroupMetadata keeps the answer as it is; see drivers.Consumer.
func (c *consumer) GroupMetadata() (drivers.GroupMetadata, error) {
	var all map[string]json.RawMessage
	if err := c.ask(&request{Verb: "group-metadata"}, &all); err != nil {
		return drivers.GroupMetadata{}, err
	}
	delete(all, "id")
	own := json.RawMessage(encode(all))
	var g group
	if err := json.Unmarshal(own, &g); err != nil {
		c.fail("answered group-metadata with what is no answer to it: %w: %s", err, c.quote(own))
		return drivers.GroupMetadata{}, c.callError("group metadata", c.dead())
	}
	return drivers.GroupMetadata{Group: g.Group, Generation: g.Generation, Member: g.Member, Instance: g.Instance, Library: own}, nil
}

// Close leaves the group; see drivers.Consumer.
func (c *consumer) Close() error {
	var body polled
	err := c.shut(false, &body)
	return errors.Join(err, c.note(body.Rebalances))
}
