package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"kcompare/drivers"
)

// maxPollRecords is how many records one Poll returns.
const maxPollRecords = 10

// consumer is guarded by the lock of its broker.
type consumer struct {
	broker        *Broker
	conduct       conduct
	clientID      string
	groupID       string
	committedOnly bool
	fromStart     bool
	closed        chan struct{}

	topics   []string // subscribed
	cursors  map[drivers.TopicPartition]*cursor
	read     int                 // records so far
	returned int64               // ... as Poll made of them
	changes  []drivers.Rebalance // that nobody has asked for yet
}

// cursor is where a partition is read next. It is known once something was
// returned or sought.
type cursor struct {
	next  int64
	known bool
}

// Subscribe joins the group, which then shares the partitions anew.
func (c *consumer) Subscribe(_ context.Context, topics []string) error {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	g := c.broker.group(c.groupID)
	g.members = append(g.members, c)
	c.topics = topics
	c.broker.announce()
	return nil
}

// Assign finds the start and the end of a partition at once.
func (c *consumer) Assign(_ context.Context, from []drivers.Position) error {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	for _, p := range from {
		if !c.broker.has(p.TopicPartition) {
			return failure("assign", drivers.Application, "UNKNOWN_TOPIC", p.TopicPartition.String()+" does not exist")
		}
		next := p.Offset
		switch next {
		case drivers.OffsetStart:
			next = 0
		case drivers.OffsetEnd:
			next = c.broker.end(p.TopicPartition)
		}
		c.cursors[p.TopicPartition] = &cursor{next: c.conduct.starts(next)}
	}
	return nil
}

// Poll waits for the broker to change until it has something.
func (c *consumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	for {
		records, changed := c.next()
		if len(records) > 0 {
			c.conduct.shuffled(records)
			return records, nil
		}
		select {
		case <-changed:
		case <-c.closed:
			return nil, nil
		case <-ctx.Done():
			<-time.After(c.conduct.pollStays)
			return nil, c.conduct.pollEnds(ctx.Err())
		}
	}
}

// next is what there is to read, and a channel that is closed when there may be
// more.
func (c *consumer) next() ([]drivers.Record, <-chan struct{}) {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	c.rebalance()
	var records []drivers.Record
	for _, tp := range c.assigned() {
		records = append(records, c.advance(tp, maxPollRecords-len(records))...)
	}
	return records, c.broker.changed
}

func (c *consumer) assigned() []drivers.TopicPartition {
	return slices.SortedFunc(maps.Keys(c.cursors), drivers.TopicPartition.Compare)
}

// advance reads at most n entries of a partition.
func (c *consumer) advance(tp drivers.TopicPartition, n int) []drivers.Record {
	var records []drivers.Record
	at := c.cursors[tp]
	for _, e := range c.broker.read(tp, at.next) {
		if n == 0 || c.committedOnly && e.State == Pending {
			break
		}
		at.next = e.Offset + 1
		if c.committedOnly && e.State == Aborted {
			continue
		}
		n--
		at.known = true
		c.read++
		polled := c.conduct.polled(c.read, e.Record)
		c.returned += int64(len(polled))
		records = append(records, polled...)
	}
	return records
}

// rebalance gives every member of the group each so many'th partition.
func (c *consumer) rebalance() {
	c.joinAgain()
	members := c.broker.group(c.groupID).members
	for _, topic := range c.topics {
		for i := range c.broker.topics[topic] {
			tp := drivers.TopicPartition{Topic: topic, Partition: int32(i)}
			_, have := c.cursors[tp]
			switch mine := members[i%len(members)] == c; {
			case mine && !have:
				c.cursors[tp] = &cursor{next: c.resumeAt(tp)}
				c.changed(drivers.Assigned, tp)
			case !mine && have:
				delete(c.cursors, tp)
				c.changed(drivers.Revoked, tp)
			}
		}
	}
}

// joinAgain is for a member that was expelled: it has lost what it had.
func (c *consumer) joinAgain() {
	g := c.broker.group(c.groupID)
	if len(c.topics) == 0 || slices.Contains(g.members, c) {
		return
	}
	for _, tp := range c.assigned() {
		delete(c.cursors, tp)
		c.changed(drivers.Lost, tp)
	}
	g.members = append(g.members, c)
}

func (c *consumer) changed(change drivers.Change, tp drivers.TopicPartition) {
	c.changes = append(c.changes, drivers.Rebalance{Change: change, Partitions: []drivers.TopicPartition{tp}, After: c.returned})
}

// Rebalances tells of one partition at a time.
func (c *consumer) Rebalances() []drivers.Rebalance {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	changes := c.changes
	c.changes = nil
	if !c.conduct.tells {
		return nil
	}
	return changes
}

// Store stores at once: a log in memory has no interval to wait for.
func (c *consumer) Store(next []drivers.Position) error {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	for _, o := range next {
		c.broker.group(c.groupID).offsets[o.TopicPartition] = c.conduct.keeps(o.Offset)
	}
	return nil
}

// resumeAt is the group's offset, or where auto.offset.reset says.
func (c *consumer) resumeAt(tp drivers.TopicPartition) int64 {
	offset, stored := c.broker.group(c.groupID).offsets[tp]
	switch {
	case stored:
		return offset
	case c.fromStart:
		return 0
	}
	return c.broker.end(tp)
}

// Seek expects an assigned partition.
func (c *consumer) Seek(_ context.Context, to drivers.Position) error {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	at, assigned := c.cursors[to.TopicPartition]
	if !assigned {
		return failure("seek", drivers.Application, "NOT_ASSIGNED", to.TopicPartition.String()+" is not assigned")
	}
	if c.conduct.seeks {
		*at = cursor{next: to.Offset, known: true}
	}
	return nil
}

// Positions are those of the cursors.
func (c *consumer) Positions() ([]drivers.Position, error) {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	return c.positions(), nil
}

func (c *consumer) positions() []drivers.Position {
	var positions []drivers.Position
	for _, tp := range c.assigned() {
		if at := c.cursors[tp]; at.known {
			positions = append(positions, drivers.Position{TopicPartition: tp, Offset: c.conduct.position(at.next)})
		}
	}
	return positions
}

// Commit never waits.
func (c *consumer) Commit(_ context.Context, offsets []drivers.Position) error {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	c.store(offsets)
	return nil
}

func (c *consumer) store(offsets []drivers.Position) {
	for _, o := range offsets {
		c.broker.group(c.groupID).offsets[o.TopicPartition] = c.conduct.stores(o.Offset)
	}
}

// Committed waits while an open transaction has offsets for the group.
func (c *consumer) Committed(ctx context.Context, partitions []drivers.TopicPartition) ([]drivers.Position, error) {
	for {
		positions, undecided, changed := c.stored(partitions)
		if !undecided || !c.conduct.waitsStable {
			return positions, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, unanswered("committed")
		}
	}
}

func (c *consumer) stored(partitions []drivers.TopicPartition) (positions []drivers.Position, undecided bool, changed <-chan struct{}) {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	for _, tp := range partitions {
		offset, stored := c.broker.group(c.groupID).offsets[tp]
		if offset, told := c.conduct.committed(offset, stored); told {
			positions = append(positions, drivers.Position{TopicPartition: tp, Offset: offset})
		}
	}
	slices.SortFunc(positions, comparePositions)
	return positions, c.broker.undecided(c.groupID), c.broker.changed
}

// GroupMetadata needs no library handle.
func (c *consumer) GroupMetadata() (drivers.GroupMetadata, error) {
	return drivers.GroupMetadata{Group: c.conduct.group(c.groupID)}, nil
}

// Close leaves the group and ends a Poll that waits.
func (c *consumer) Close() error {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	if c.conduct.closeCommits {
		c.store(c.positions())
	}
	if g := c.broker.group(c.groupID); c.conduct.closeLeaves {
		g.members = slices.DeleteFunc(g.members, func(m *consumer) bool { return m == c })
	}
	c.topics, c.cursors = nil, nil
	if c.conduct.closeEndsPoll {
		close(c.closed)
	}
	c.broker.announce()
	return nil
}
