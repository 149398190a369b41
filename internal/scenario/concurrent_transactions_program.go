package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// hurry is the program of concurrent-transactions: a transaction straight after the
// other.
type hurry struct {
	stage       *Stage
	restarting  bool // each transaction has a new instance of the same transactional.id
	withOffsets bool // each has the position of a consumer in it

	producer *TransactionalProducer
	consumer *Consumer
}

// mostTries bounds how often the program pays a payment that was not committed.
const mostTries = 5

func (h *hurry) payAll(ctx context.Context, count int) error {
	if err := h.open(ctx); err != nil {
		return err
	}
	began := h.stage.Elapsed()
	for n := range count {
		if err := h.payOne(ctx, n); err != nil {
			return err
		}
	}
	each := (h.stage.Elapsed() - began) / time.Duration(count)
	h.stage.Answer(measured("time for a transaction", each.Round(100*time.Microsecond).String()))
	return nil
}

func (h *hurry) open(ctx context.Context) (err error) {
	if h.withOffsets {
		if h.consumer, err = h.stage.NewConsumer(reader); err != nil {
			return err
		}
	}
	return h.start(ctx)
}

func (h *hurry) start(ctx context.Context) (err error) {
	if h.producer, err = h.stage.NewTransactionalProducer(""); err != nil {
		return err
	}
	return h.producer.Init(ctx)
}

// payOne pays until the payment is committed.
func (h *hurry) payOne(ctx context.Context, n int) (err error) {
	if h.restarting && n > 0 {
		if h.producer, err = h.producer.restart(ctx); err != nil {
			return err
		}
	}
	for range mostTries {
		if h.producer, err = h.producer.Open(ctx); err != nil {
			return err
		}
		failed := h.transact(ctx, n)
		if failed == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		if h.producer, err = h.producer.GiveUp(ctx); err != nil {
			return err
		}
		err = failed
	}
	return fmt.Errorf("pay %s: not committed after %d tries: %w", payment(n).ID, mostTries, err)
}

func (h *hurry) transact(ctx context.Context, n int) error {
	h.producer.Send(ctx, payment(n))
	if h.withOffsets {
		at := drivers.Position{TopicPartition: drivers.TopicPartition{Topic: h.stage.Topics[payments]}, Offset: int64(n) + 1}
		if err := h.producer.SendOffsets(ctx, at, h.consumer); err != nil {
			return err
		}
	}
	if err := h.producer.Wait(ctx); err != nil {
		return err
	}
	if h.producer.Failed() {
		return errUnpaid
	}
	return h.producer.Commit(ctx)
}

// errUnpaid is the program's own: its ledger has what the client said.
var errUnpaid = errors.New("the payment was reported as not written")

// commitInVain commits until the program's own deadline, and starts again, which ends
// what is open.
func (h *hurry) commitInVain(ctx context.Context) error {
	if err := h.start(ctx); err != nil {
		return err
	}
	if err := h.producer.begins(ctx, payment(0)); err != nil {
		return err
	}
	began := h.stage.Elapsed()
	own, cancel := context.WithTimeout(ctx, ownDeadline)
	defer cancel()
	err := h.producer.Commit(own)
	h.stage.Answer(evidence.Answer{Question: "the commit is told", Answer: toldOf(err)})
	h.stage.Answer(measured("after", rounded(h.stage.Elapsed()-began)))
	_, err = h.producer.restart(ctx)
	return err
}

// The payments of init=over-open: one that is committed, one that is open when the second
// instance starts, and what that one pays.
const (
	paidBefore = 0
	paidOpen   = 1
	paidByHeir = 2
)

func initOverOpen() Variant {
	v := hurried("init=over-open", "the second instance gets ready, and nothing of the open transaction is visible", func(Parameters) int { return paidByHeir + 1 }, hurry{})
	v.BrokerRows = []string{"init-over-open"}
	v.About = func(Parameters) string {
		return "A second instance with the same transactional.id starts while a transaction of the first one is open."
	}
	v.Records = func(p Parameters, place partition.Func) []fault.Record {
		return firstPayments(p, place, paymentsPartitions, paidByHeir+1)
	}
	v.Requires = []evidence.Check{check(evidence.AbortedRecords, "==", 1)}
	v.Checks = []evidence.Check{
		check(evidence.FencedVisible, "==", 0),
		check(evidence.Committed, "==", 2),
		check(evidence.Visible, "==", evidence.CommittedRecords),
	}
	v.Run = func(ctx context.Context, s *Stage) error { return (&hurry{stage: s}).startOverOpen(ctx) }
	v.Conclude = quiet(concludeConcurrent)
	return v
}

func (h *hurry) startOverOpen(ctx context.Context) error {
	if err := h.start(ctx); err != nil {
		return err
	}
	if err := h.producer.commits(ctx, payment(paidBefore)); err != nil {
		return err
	}
	if err := h.producer.begins(ctx, payment(paidOpen)); err != nil {
		return err
	}
	heir, err := h.stage.NewTransactionalProducer(newInstance)
	if err != nil {
		return err
	}
	began := h.stage.Elapsed()
	if err := heir.Init(ctx); err != nil {
		return err
	}
	h.stage.Answer(measured("the second was ready after", rounded(h.stage.Elapsed()-began)))
	return heir.commits(ctx, payment(paidByHeir))
}
