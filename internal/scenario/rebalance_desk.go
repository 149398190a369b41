package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// desk is where orders come in and are worked off by the members of one group. All
// of it happens in one goroutine: where a rebalance needs several members to poll, each
// polls for a moment, in turn.
type desk struct {
	stage   *Stage
	waves   []int // orders of each wave
	written int   // orders that have come in
	done    map[int]bool
}

// aTurn is how long a member polls while others wait for their turn.
const aTurn = 100 * time.Millisecond

// member is one of the group.
type member struct {
	desk     *desk
	who      string
	consumer *Consumer
	producer *Producer
}

const (
	firstMember  = "first member"
	secondMember = "second member"
)

// newMember makes a member that subscribes.
func (d *desk) newMember(ctx context.Context, who, clientID string) (*member, error) {
	m := &member{desk: d, who: who}
	var err error
	if m.consumer, err = d.stage.NewConsumer(who, OwnClient(clientID)); err != nil {
		return nil, err
	}
	return m, m.consumer.Subscribe(ctx, orders)
}

// plain gives the member a producer without transactions.
func (m *member) plain() (err error) {
	m.producer, err = m.desk.stage.NewProducer(m.who)
	return err
}

// twoMembers are ready, and each has a part of the partitions.
func (d *desk) twoMembers(ctx context.Context) (first, second *member, err error) {
	if first, err = d.newMember(ctx, firstMember, "first"); err != nil {
		return nil, nil, err
	}
	if second, err = d.newMember(ctx, secondMember, "second"); err != nil {
		return nil, nil, err
	}
	return first, second, d.settle(ctx, first, second)
}

// settle lets the members poll until each has a part and all is given out. No order
// is there yet.
func (d *desk) settle(ctx context.Context, members ...*member) error {
	for {
		given, idle := 0, 0
		for _, m := range members {
			if _, err := m.consumer.PollFor(ctx, aTurn); err != nil {
				return err
			}
			n := len(m.consumer.Holding())
			given += n
			if n == 0 {
				idle++
			}
		}
		if idle == 0 && given == deskPartitions {
			return nil
		}
	}
}

// write lets the next wave of orders come in.
func (d *desk) write(ctx context.Context) error {
	from := d.written
	d.written += d.waves[0]
	d.waves = d.waves[1:]
	p, commit, err := d.shop(ctx)
	if err != nil {
		return err
	}
	for _, in := range incoming(from, d.written) {
		p.Send(ctx, in.Message)
	}
	if err := p.Wait(ctx); err != nil {
		return err
	}
	if err := commit(ctx); err != nil {
		return err
	}
	return p.Close()
}

// shop is where orders come from: it writes in a transaction where the members do.
func (d *desk) shop(ctx context.Context) (p *Producer, commit func(context.Context) error, err error) {
	if d.stage.Settings.Config["transactional.id"] == "" {
		p, err = d.stage.NewProducer("shop")
		return p, func(context.Context) error { return nil }, err
	}
	t, err := d.stage.NewTransactionalProducer("shop", d.stage.OwnID("shop"))
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(t.Init(ctx), t.Begin(ctx)); err != nil {
		return nil, nil, err
	}
	return t.Producer, t.Commit, nil
}

// share is how many of the orders that have come in since the one with that number
// stand in the member's partitions, as the shop was told.
func (m *member) share(from int) (n int) {
	holding := m.consumer.Holding()
	for _, s := range m.desk.stage.Ledger.Sends() {
		tp := drivers.TopicPartition{Topic: s.Topic, Partition: s.Partition}
		if s.ID.N >= from && s.Outcome == evidence.OutcomeAcked && holding[tp] {
			n++
		}
	}
	return n
}

// take polls until the member has so many orders in hand.
func (m *member) take(ctx context.Context, n int) (inHand []drivers.Record, err error) {
	for len(inHand) < n {
		records, err := m.consumer.Poll(ctx)
		if err != nil {
			return nil, err
		}
		inHand = append(inHand, records...)
	}
	return inHand, nil
}

// deal writes the output of an order, without a commit of its offset.
func (m *member) deal(ctx context.Context, r drivers.Record) error {
	outputs, err := processOrder(r)
	if err != nil {
		return err
	}
	m.desk.done[outputs[0].ID.N] = true
	return m.producer.write(ctx, outputs[:1])
}

// dealAndCommit does so for each order, with a commit behind each.
func (m *member) dealAndCommit(ctx context.Context, records []drivers.Record) error {
	for _, r := range records {
		if err := m.deal(ctx, r); err != nil {
			return err
		}
		if err := m.consumer.Commit(ctx, after(r)); err != nil {
			return err
		}
	}
	return nil
}

// workOff lets the members poll in turn and work until every order that has come in
// is done.
func (d *desk) workOff(ctx context.Context, members ...*member) error {
	for !d.allDone() {
		for _, m := range members {
			records, err := m.consumer.PollFor(ctx, aTurn)
			if err != nil {
				return err
			}
			if err := m.dealAndCommit(ctx, records); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *desk) allDone() bool {
	for n := range d.written {
		if !d.done[n] {
			return false
		}
	}
	return true
}

// leave is the story of a member that leaves in good order, but for its commit.
func (d *desk) leave(ctx context.Context, commits bool, taken string) error {
	leaving, staying, err := d.twoMembers(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(leaving.plain(), staying.plain()); err != nil {
		return err
	}
	if err := d.write(ctx); err != nil {
		return err
	}
	if err := d.workOff(ctx, leaving, staying); err != nil {
		return err
	}
	if err := d.secondWave(ctx, leaving, staying, commits); err != nil {
		return err
	}
	before := staying.consumer.TakenAway()
	if err := leaving.consumer.Close(); err != nil {
		return err
	}
	if err := d.takeOver(ctx, staying); err != nil {
		return err
	}
	d.stage.Answer(evidence.Answer{
		Question: "partitions taken from who stays", Answer: fmt.Sprint(staying.consumer.TakenAway() - before), Expected: taken,
	})
	if err := d.write(ctx); err != nil {
		return err
	}
	return d.workOff(ctx, staying)
}

// secondWave ends with nothing in hand. The one that stays does its share first, or
// it would have orders in hand when its partitions are taken away: see join.
func (d *desk) secondWave(ctx context.Context, leaving, staying *member, commits bool) error {
	from := d.written
	if err := d.write(ctx); err != nil {
		return err
	}
	own, err := staying.take(ctx, staying.share(from))
	if err != nil {
		return err
	}
	if err := staying.dealAndCommit(ctx, own); err != nil {
		return err
	}
	if own, err = leaving.take(ctx, leaving.share(from)); err != nil {
		return err
	}
	if commits {
		return leaving.dealAndCommit(ctx, own)
	}
	for _, r := range own {
		if err := leaving.deal(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// takeOver lets a member poll, and work, until it has every partition.
func (d *desk) takeOver(ctx context.Context, m *member) error {
	for len(m.consumer.Holding()) < deskPartitions {
		records, err := m.consumer.PollFor(ctx, aTurn)
		if err != nil {
			return err
		}
		if err := m.dealAndCommit(ctx, records); err != nil {
			return err
		}
	}
	return nil
}
