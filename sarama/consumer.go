package sarama

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

// consumer reads as a member of a group (member.go), or the partitions of Assign
// (assigned.go). Its sarama.Client is made when something needs it, which asks the
// cluster for metadata.
type consumer struct {
	settings translation
	group    string
	instance string
	marks    bool // what is polled is committed automatically
	stores   bool // what the program stores is
	links    *connections
	calls    *calls
	log      logger

	inbox     chan *parcel // from the goroutines of claims and partitions to Poll
	positions *positions
	late      error // came behind records, for the next Poll

	making  sync.Mutex
	cluster sarama.Client // nil until something needs it

	member   *member   // nil unless subscribed
	assigned *assigned // nil unless assigned
}

func newConsumer(s drivers.Settings) (*consumer, error) {
	t, err := translate(drivers.RoleConsumer, s)
	if err != nil {
		return nil, err
	}
	if err := validate(t); err != nil {
		return nil, err
	}
	c := &consumer{
		settings: t, group: s.Config["group.id"], instance: s.Config["group.instance.id"],
		links: connect(t.conf), calls: newCalls(), log: s.Log,
		inbox: make(chan *parcel), positions: newPositions(),
	}
	if t.conf.Consumer.Offsets.AutoCommit.Enable {
		c.stores = equal(s.Config["enable.auto.offset.store"], "false")
		c.marks = !c.stores
	}
	return c, nil
}

// client makes the sarama.Client, the first time that it succeeds.
func (c *consumer) client() (sarama.Client, error) {
	c.making.Lock()
	defer c.making.Unlock()
	if c.cluster == nil {
		made, err := newClient(c.settings)
		if err != nil {
			return nil, err
		}
		c.cluster = made
	}
	return c.cluster, nil
}

// parcel is what one goroutine has for Poll: records of one partition, or an error.
type parcel struct {
	messages []*sarama.ConsumerMessage
	err      error
	taken    chan struct{} // closed when Poll has counted it
}

// hand waits until Poll has taken a parcel, unless stop comes first. Whoever hands over
// knows afterwards that what it does next comes behind those records.
func (c *consumer) hand(p *parcel, stop <-chan struct{}) bool {
	p.taken = make(chan struct{})
	select {
	case c.inbox <- p:
		<-p.taken
		return true
	case <-stop:
		return false
	}
}

// gather adds to the first message what else is there.
func gather(first *sarama.ConsumerMessage, from <-chan *sarama.ConsumerMessage) []*sarama.ConsumerMessage {
	const most = 500
	all := []*sarama.ConsumerMessage{first}
	for len(all) < most {
		select {
		case m, open := <-from:
			if !open {
				return all
			}
			all = append(all, m)
		default:
			return all
		}
	}
	return all
}

// Poll returns what is there; see drivers.Consumer.
func (c *consumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	if err := c.late; err != nil {
		c.late = nil
		return nil, err
	}
	if c.member != nil {
		c.member.resume()
	}
	select {
	case p := <-c.inbox:
		records, err := c.take(p)
		if len(records) > 0 {
			c.late, err = err, nil
		}
		return records, err
	case <-ctx.Done():
		return nil, nil
	case <-c.calls.shut:
		return nil, errorOf("poll", errClosed)
	}
}

// take takes a parcel, and others that are there, up to the first error.
func (c *consumer) take(p *parcel) (records []drivers.Record, err error) {
	const most = 1000
	for {
		records = append(records, c.accept(p)...)
		if p.err != nil || len(records) >= most {
			return records, asError("poll", p.err)
		}
		select {
		case p = <-c.inbox:
		default:
			return records, nil
		}
	}
}

func (c *consumer) accept(p *parcel) []drivers.Record {
	defer close(p.taken)
	var records []drivers.Record
	for _, m := range p.messages {
		records = append(records, record(m))
	}
	c.positions.polled(records)
	return records
}

func record(m *sarama.ConsumerMessage) drivers.Record {
	r := drivers.Record{Topic: m.Topic, Partition: m.Partition, Key: m.Key, Value: m.Value, Offset: m.Offset}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, drivers.Header{Key: string(h.Key), Value: h.Value})
	}
	return r
}

// told deals with what sarama tells on a channel of errors: what it goes on after by
// itself is only logged.
func (c *consumer) told(err error, stop <-chan struct{}) {
	if informational(err) {
		c.log.tell("consumer", err)
		return
	}
	c.hand(&parcel{err: err}, stop)
}

// Subscribe joins the group; see drivers.Consumer.
func (c *consumer) Subscribe(ctx context.Context, topics []string) error {
	if c.group == "" {
		return errorOf("subscribe", errNoGroup)
	}
	return c.replace(ctx, "subscribe", func(cluster sarama.Client) error {
		group, err := sarama.NewConsumerGroupFromClient(c.group, cluster)
		if err == nil {
			c.member = join(c, group, topics)
		}
		return err
	})
}

// Assign reads exactly these partitions; see drivers.Consumer. OffsetStart and
// OffsetEnd are sarama's own numbers.
func (c *consumer) Assign(ctx context.Context, from []drivers.Position) error {
	return c.replace(ctx, "assign", func(cluster sarama.Client) error {
		all, err := assign(c, cluster, from)
		c.assigned = all
		return err
	})
}

// replace ends what the consumer did before and starts anew.
func (c *consumer) replace(ctx context.Context, call string, start func(sarama.Client) error) error {
	c.late = nil
	return asError(call, c.calls.run(ctx, func() error {
		if err := c.stop(); err != nil {
			return err
		}
		c.positions.clear()
		cluster, err := c.client()
		if err != nil {
			return err
		}
		return start(cluster)
	}))
}

// stop leaves the group, and ends all reading.
func (c *consumer) stop() error {
	var err error
	if c.member != nil {
		err = c.member.leave()
		c.member = nil
	}
	if c.assigned != nil {
		c.assigned.stop()
		c.assigned = nil
	}
	return err
}

// Seek makes the next Poll begin there; see drivers.Consumer.
func (c *consumer) Seek(ctx context.Context, to drivers.Position) error {
	switch {
	case to.Offset < 0:
		return errorOf("seek", sarama.ConfigurationError(fmt.Sprintf("offset %d of %s: expected 0 or more", to.Offset, to.TopicPartition)))
	case !c.positions.isAssigned(to.TopicPartition):
		return errorOf("seek", sarama.ConfigurationError(to.String()+" is not assigned to this consumer"))
	}
	return asError("seek", c.calls.run(ctx, func() error {
		if c.member != nil {
			c.member.seek(to)
			return nil
		}
		if err := c.assigned.seek(to); err != nil {
			return err
		}
		c.positions.set(to)
		return nil
	}))
}

// Positions are counted here: sarama tells none.
func (c *consumer) Positions() ([]drivers.Position, error) { return c.positions.sorted(), nil }

// Rebalances is drivers.Rebalancing.
func (c *consumer) Rebalances() []drivers.Rebalance { return c.positions.take() }

// Store is drivers.Storing, by the marks of the session.
func (c *consumer) Store(next []drivers.Position) error {
	if !c.stores || c.member == nil {
		return errorOf("store", sarama.ConfigurationError("expected enable.auto.commit=true, enable.auto.offset.store=false and a subscription"))
	}
	session := c.member.session()
	if session == nil {
		return errorOf("store", sarama.ErrUnknownMemberId)
	}
	for _, p := range next {
		session.MarkOffset(p.Topic, p.Partition, p.Offset, "")
	}
	return nil
}

// GroupMetadata is that of the last session.
func (c *consumer) GroupMetadata() (drivers.GroupMetadata, error) {
	if c.group == "" {
		return drivers.GroupMetadata{}, nil
	}
	m := drivers.GroupMetadata{Group: c.group, Generation: sarama.GroupGenerationUndefined, Instance: c.instance}
	if c.member != nil {
		if session := c.member.session(); session != nil {
			m.Member, m.Generation = session.MemberID(), session.GenerationID()
		}
	}
	return m, nil
}

// Close leaves the group and frees everything. A broker that does not answer finds out
// by the session timeout.
func (c *consumer) Close() error {
	if !c.calls.close() {
		return nil
	}
	left := make(chan error, 1)
	slow := within(patience, func() { left <- c.leave() })
	c.links.cut()
	if slow != nil {
		return slow
	}
	if err := <-left; err != nil {
		return fmt.Errorf("close: leave group %s: %w", c.group, err)
	}
	return nil
}

func (c *consumer) leave() error {
	<-c.calls.inside.None()
	if c.assigned != nil {
		c.links.cut() // nothing is lost that a broker could still say
	}
	err := c.stop()
	if c.cluster != nil {
		_ = c.cluster.Close()
	}
	return err
}

func sortedByPartition(at []drivers.Position) []drivers.Position {
	return slices.SortedFunc(slices.Values(at), func(a, b drivers.Position) int { return a.Compare(b.TopicPartition) })
}
