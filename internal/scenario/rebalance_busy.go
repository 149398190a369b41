package scenario

import (
	"context"
	"errors"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// The stories of a member that is at work when its partitions are to change hands.

const (
	doneBefore = 3               // orders that are done when the second member comes
	joinBound  = 5 * time.Second // a rebalance that waits for nobody takes a heartbeat interval

	// longWork is more than max.poll.interval.ms and the second until librdkafka looks
	// at it (rdkafka_cgrp.c, rd_kafka_cgrp_max_poll_interval_check_tmr_cb), with some
	// time to spare for the other member to get its assignment.
	longWork = 12 * time.Second
)

// join is the story of a member that comes while the other one is at work.
func (d *desk) join(ctx context.Context) error {
	busy, err := d.newMember(ctx, firstMember, "first")
	if err != nil {
		return err
	}
	if err := errors.Join(busy.plain(), d.settle(ctx, busy)); err != nil {
		return err
	}
	if err := d.write(ctx); err != nil {
		return err
	}
	inHand, err := busy.take(ctx, d.written)
	if err != nil {
		return err
	}
	if err := busy.dealAndCommit(ctx, inHand[:doneBefore]); err != nil {
		return err
	}
	joining, err := d.newMember(ctx, secondMember, "second")
	if err != nil {
		return err
	}
	if err := joining.plain(); err != nil {
		return err
	}
	if err := d.idle(ctx, joining, joinBound, 1); err != nil {
		return err
	}
	d.stage.Answer(evidence.Answer{
		Question: "partition before the work is done", Answer: yesNo(len(joining.consumer.Holding()) > 0),
	})
	if err := busy.goOn(ctx, inHand[doneBefore:]); err != nil {
		return err
	}
	return d.finish(ctx, busy, joining)
}

// stopPolling is the story of a member that has a lot of work with one batch.
func (d *desk) stopPolling(ctx context.Context) error {
	busy, other, err := d.twoMembers(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(busy.plain(), other.plain()); err != nil {
		return err
	}
	if err := d.write(ctx); err != nil {
		return err
	}
	inHand, err := busy.take(ctx, busy.share(0))
	if err != nil {
		return err
	}
	if err := d.idle(ctx, other, longWork, deskPartitions); err != nil {
		return err
	}
	taken := len(other.consumer.Holding()) == deskPartitions
	d.stage.Answer(evidence.Answer{Question: "the other member takes over", Answer: yesNo(taken)})
	if err := busy.goOn(ctx, inHand); err != nil {
		return err
	}
	return d.finish(ctx, busy, other)
}

// idle lets a member poll and work while another one is busy: until it has so many
// partitions and has done what came with them, or time is up.
func (d *desk) idle(ctx context.Context, m *member, bound time.Duration, partitions int) error {
	for end := d.stage.Elapsed() + bound; d.stage.Elapsed() < end; {
		records, err := m.consumer.PollFor(ctx, aTurn)
		if err != nil {
			return err
		}
		if err := m.dealAndCommit(ctx, records); err != nil {
			return err
		}
		if len(records) == 0 && len(m.consumer.Holding()) >= partitions {
			return nil
		}
	}
	return nil
}

// goOn deals with what is in hand as a program does that was told of nothing. A commit
// that is refused is in the ledger; this program goes on.
func (m *member) goOn(ctx context.Context, inHand []drivers.Record) error {
	for _, r := range inHand {
		if err := m.deal(ctx, r); err != nil {
			return err
		}
		if err := m.consumer.Commit(ctx, after(r)); ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// finish lets more orders come in and works them off. What a library reports when it
// is polled again after a long time is in the ledger, and the program polls on.
func (d *desk) finish(ctx context.Context, members ...*member) error {
	if err := d.write(ctx); err != nil {
		return err
	}
	for !d.allDone() {
		for _, m := range members {
			records, err := m.consumer.PollFor(ctx, aTurn)
			if err != nil && (ctx.Err() != nil || drivers.ClassOf(err) == "") {
				return err
			}
			if err := m.goOn(ctx, records); err != nil {
				return err
			}
		}
	}
	return nil
}
