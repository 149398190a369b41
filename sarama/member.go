package sarama

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

// member is a consumer's part in its group: the loop around sarama.ConsumerGroup.Consume
// that every program has, and the handler of its sessions.
//
// sarama cannot seek in a session. Its way, and that of its example for exactly-once, is
// to end the session and to reset the offset at the beginning of the next one; so Seek
// ends it, and the next Poll begins another. There the other partitions go on where they
// were, and not at their committed offsets.
type member struct {
	c      *consumer
	lib    sarama.ConsumerGroup
	topics []string
	done   sync.WaitGroup
	quit   chan struct{} // closed by leave

	mu      sync.Mutex
	changed *sync.Cond // of paused and running
	gone    bool       // quit is closed
	paused  bool       // Seek has ended the session, and Poll was not called since
	running bool       // Consume is
	end     context.CancelFunc
	last    sarama.ConsumerGroupSession // the one that began last; nil before the first
	claims  map[drivers.TopicPartition]bool
}

func join(c *consumer, lib sarama.ConsumerGroup, topics []string) *member {
	m := &member{
		c: c, lib: lib, topics: topics, quit: make(chan struct{}),
		claims: map[drivers.TopicPartition]bool{},
	}
	m.changed = sync.NewCond(&m.mu)
	m.done.Go(m.run)
	m.done.Go(func() {
		for err := range lib.Errors() {
			c.told(err, m.quit)
		}
	})
	return m
}

// run calls Consume again and again, as sarama wants it. What the library, or its next
// try, does not get over, Poll tells; the loop ends there, as in sarama's examples.
func (m *member) run() {
	for {
		ctx, ok := m.next()
		if !ok {
			return
		}
		err := m.lib.Consume(ctx, m.topics, m)
		m.ended()
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, sarama.ErrClosedConsumerGroup):
			return
		case informational(err):
			m.c.log.tell("consume", err)
			m.pause()
		default:
			m.c.hand(&parcel{err: err}, m.quit)
			return
		}
	}
}

// next waits until a session may begin. It is false after leave.
func (m *member) next() (context.Context, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.paused && !m.gone {
		m.changed.Wait()
	}
	if m.gone {
		return nil, false
	}
	ctx, end := context.WithCancel(context.Background())
	m.running, m.end = true, end
	return ctx, true
}

func (m *member) ended() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	m.running = false
	m.changed.Broadcast()
}

// pause is between two calls of Consume of which the first one failed.
func (m *member) pause() {
	select {
	case <-time.After(m.c.settings.conf.Consumer.Group.Rebalance.Retry.Backoff):
	case <-m.quit:
	}
}

// seek ends the session, and waits for its end: what the partition had is thrown away.
func (m *member) seek(to drivers.Position) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.c.positions.assignment()
	m.paused = true
	if m.running {
		m.end()
	}
	for m.running {
		m.changed.Wait()
	}
	m.c.positions.restore(held)
	m.c.positions.set(to)
}

func (m *member) resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paused = false
	m.changed.Broadcast()
}

func (m *member) session() sarama.ConsumerGroupSession {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// leave is Close of the library, which ends the session and leaves the group.
func (m *member) leave() error {
	close(m.quit)
	m.mu.Lock()
	m.gone = true
	m.changed.Broadcast()
	m.mu.Unlock()
	err := m.lib.Close()
	m.done.Wait()
	return err
}

// Setup begins a session: it resets the offsets after a Seek, and tells of the
// assignment.
func (m *member) Setup(session sarama.ConsumerGroupSession) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = session
	for _, p := range m.c.positions.sorted() { // none but after a Seek
		session.MarkOffset(p.Topic, p.Partition, p.Offset, "")  // forward
		session.ResetOffset(p.Topic, p.Partition, p.Offset, "") // back
	}
	all := claimsOf(session)
	clear(m.claims)
	for _, tp := range all {
		m.claims[tp] = true
	}
	m.c.positions.begin(all)
	return nil
}

func claimsOf(session sarama.ConsumerGroupSession) []drivers.TopicPartition {
	var all []drivers.TopicPartition
	for topic, partitions := range session.Claims() {
		for _, partition := range partitions {
			all = append(all, drivers.TopicPartition{Topic: topic, Partition: partition})
		}
	}
	return all
}

// Cleanup ends a session, after its claims.
func (m *member) Cleanup(session sarama.ConsumerGroupSession) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []drivers.TopicPartition
	for tp := range m.claims {
		all = append(all, tp)
	}
	clear(m.claims)
	m.c.positions.changed(howItEnded(session), all)
	return nil
}

// howItEnded: a member that the coordinator does not know any more has lost what it had.
func howItEnded(session sarama.ConsumerGroupSession) drivers.Change {
	cause := context.Cause(session.Context())
	for _, lost := range []error{
		sarama.ErrUnknownMemberId, sarama.ErrIllegalGeneration, sarama.ErrFencedInstancedId, sarama.ErrSessionHeartbeatFailed,
	} {
		if errors.Is(cause, lost) {
			return drivers.Lost
		}
	}
	return drivers.Revoked
}

// ConsumeClaim hands over the records of one partition, and marks them when Poll has
// them. A cooperative session goes on while claims come and go, so these tell of the
// changes that Setup and Cleanup cannot know.
func (m *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	tp := drivers.TopicPartition{Topic: claim.Topic(), Partition: claim.Partition()}
	m.began(tp)
	defer m.stopped(session, tp)
	for {
		select {
		case <-session.Context().Done():
			return nil
		case first, open := <-claim.Messages():
			if !open {
				return nil
			}
			messages := gather(first, claim.Messages())
			if !m.c.hand(&parcel{messages: messages}, session.Context().Done()) {
				return nil
			}
			if m.c.marks {
				session.MarkMessage(messages[len(messages)-1], "")
			}
		}
	}
}

func (m *member) began(tp drivers.TopicPartition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.claims[tp] {
		m.claims[tp] = true
		m.c.positions.changed(drivers.Assigned, []drivers.TopicPartition{tp})
	}
}

// stopped is the end of a claim within its session.
func (m *member) stopped(session sarama.ConsumerGroupSession, tp drivers.TopicPartition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if session.Context().Err() == nil && m.claims[tp] {
		delete(m.claims, tp)
		m.c.positions.changed(drivers.Revoked, []drivers.TopicPartition{tp})
	}
}
