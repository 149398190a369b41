package scenario

import (
	"context"
	"slices"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// zombieMetadata is what a member that was frozen says of itself when it wakes.
type zombieMetadata int

const (
	takenBefore zombieMetadata = iota // what its library said before it was frozen
	groupOnly                         // the name of the group, as before KIP-447
	renewed                           // what its library says after it has noticed
)

const freezeRule = "freeze"

// freeze is the story of a member that stands still with its outputs written, and
// wakes when another one has done its orders.
func (d *desk) freeze(ctx context.Context, metadata zombieMetadata) error {
	frozen, other, err := d.twoMembers(ctx)
	if err != nil {
		return err
	}
	if err := d.write(ctx); err != nil {
		return err
	}
	zombie, err := d.transactional(ctx, frozen)
	if err != nil {
		return err
	}
	inHand, err := zombie.writeShare(ctx, frozen.share(0))
	if err != nil {
		return err
	}
	group, err := frozen.consumer.GroupMetadata()
	if err != nil {
		return err
	}
	before := frozen.consumer.TakenAway() // the two shared the partitions anew when they joined
	if err := frozen.consumer.Freeze(freezeRule); err != nil {
		return err
	}
	if err := d.replace(ctx, other); err != nil {
		return err
	}
	frozen.consumer.Thaw()
	switch metadata {
	case groupOnly:
		group = drivers.GroupMetadata{Group: group.Group, Generation: -1}
	case renewed:
		if group, err = d.renew(ctx, frozen, other, before); err != nil {
			return err
		}
	}
	return zombie.end(ctx, inHand, group, metadata)
}

// transacting is a member that writes in transactions.
type transacting struct {
	*member
	transactional *TransactionalProducer
}

func (d *desk) transactional(ctx context.Context, m *member) (transacting, error) {
	part := "first"
	if m.who == secondMember {
		part = "second"
	}
	p, err := d.stage.NewTransactionalProducer(m.who, d.stage.OwnID(part))
	if err != nil {
		return transacting{}, err
	}
	m.producer = p.Producer
	return transacting{m, p}, p.Init(ctx)
}

// writeShare takes the member's share in hand and writes the outputs in a transaction
// that stays open.
func (t transacting) writeShare(ctx context.Context, share int) ([]drivers.Record, error) {
	inHand, err := t.take(ctx, share)
	if err != nil {
		return nil, err
	}
	if err := t.transactional.Begin(ctx); err != nil {
		return nil, err
	}
	for _, r := range inHand {
		if err := t.deal(ctx, r); err != nil {
			return nil, err
		}
	}
	return inHand, nil
}

// replace lets a member work alone, a transaction for what each poll returned, until
// it has done every order itself.
func (d *desk) replace(ctx context.Context, m *member) error {
	t, err := d.transactional(ctx, m)
	if err != nil {
		return err
	}
	for clear(d.done); !d.allDone(); {
		records, err := m.consumer.Poll(ctx)
		if err != nil {
			return err
		}
		if err := t.transact(ctx, records); err != nil {
			return err
		}
	}
	return nil
}

func (t transacting) transact(ctx context.Context, records []drivers.Record) error {
	if err := t.transactional.Begin(ctx); err != nil {
		return err
	}
	for _, r := range records {
		if err := t.deal(ctx, r); err != nil {
			return err
		}
	}
	group, err := t.consumer.GroupMetadata()
	if err != nil {
		return err
	}
	if err := t.transactional.SendOffsetsOf(ctx, behind(records), group); err != nil {
		return err
	}
	return t.transactional.Commit(ctx)
}

// behind is the next position of each partition.
func behind(records []drivers.Record) []drivers.Position {
	next := map[drivers.TopicPartition]drivers.Position{}
	for _, r := range records {
		next[partitionOf(r)] = after(r)
	}
	var all []drivers.Position
	for _, p := range next {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b drivers.Position) int { return a.Compare(b.TopicPartition) })
	return all
}

// renew lets the zombie poll until its library has noticed that it was thrown out, and
// has a partition again. The other member polls too, or there would be no rebalance.
func (d *desk) renew(ctx context.Context, zombie, other *member, before int) (drivers.GroupMetadata, error) {
	for zombie.consumer.TakenAway() == before || len(zombie.consumer.Holding()) == 0 {
		for _, m := range []*member{zombie, other} {
			if _, err := m.consumer.PollFor(ctx, aTurn); err != nil {
				return drivers.GroupMetadata{}, err
			}
		}
	}
	return zombie.consumer.GroupMetadata()
}

// end is what the zombie does when it wakes: offsets, and a commit if nobody objects.
func (t transacting) end(ctx context.Context, inHand []drivers.Record, group drivers.GroupMetadata, metadata zombieMetadata) error {
	err := t.transactional.SendOffsetsOf(ctx, behind(inHand), group)
	if err == nil {
		err = t.transactional.Commit(ctx)
	}
	if ctx.Err() != nil {
		return err
	}
	answer := evidence.Answer{Question: "offsets of the zombie", Answer: "taken"}
	if err != nil {
		answer.Answer = "refused"
	}
	switch metadata {
	case takenBefore:
		answer.Expected = "refused"
	case groupOnly:
		answer.Expected = "taken"
	}
	t.desk.stage.Answer(answer)
	if err != nil {
		_, err = t.transactional.GiveUp(ctx)
	}
	return err
}
