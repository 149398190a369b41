package scenario

import (
	"context"
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// zombie is the story of an instance that was given up for dead: another one has
// taken over its work, and then it wakes.
func zombie() Scenario {
	return Scenario{
		Name:    "zombie",
		Core:    true,
		Summary: "an old instance wakes after a new one took over its work: does anything that it writes count?",
		Story: `The old instance writes the first half of the payments and then hangs: a long pause of
the garbage collector, a machine that was swapped out. A new instance starts. It
cannot know what was written, so it writes all of them. Then the old instance wakes,
writes the payment that it had in hand, and finishes as if nothing had happened.

Both with the same transactional.id: InitProducerId of the new instance raises the
epoch and aborts what the old one has open (KIP-98, fencing). Nothing that the old
instance wrote may be visible, and its commit must not succeed. Whether it holds is
judged on the log alone. By which call and with which code each library tells the old
instance is shown as "errors", and differs: franz-go does not even ask to commit after
the late write was refused. The embedded broker answers the late write of librdkafka
otherwise than Apache Kafka (docs/brokers.md, zombie-write-old), so that its errors say
nothing about librdkafka there: run it with --broker=kafka.

The transaction that counts as undecided is the old instance's.

The control has plain idempotence. A producer id belongs to one session: for the
broker the two are different producers, and both copies of a payment stand.`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: []Variant{
			transactionalZombie(concurrent),
			idempotentZombie(concurrent),
			transactionalZombie(sequential),
			idempotentZombie(sequential),
		},
	}
}

// zombieName has how the payments are handed over where that is one at a time.
func zombieName(producer string, how sends) string {
	if how == sequential {
		return "producer=" + producer + ",sends=sequential"
	}
	return "producer=" + producer
}

func transactionalZombie(how sends) Variant {
	return Variant{
		Name: zombieName("transactional", how), Kind: evidence.Promise,
		Claim:     "no record of the old instance is visible, and its commit does not succeed",
		Settings:  transactionSettings("payment-service"),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true},
		BothViews: true,
		BrokerRows: []string{
			"zombie-write-old", // the late write of librdkafka, and its commit after it
			"init-over-open",   // how often the new instance asks for its epoch
		},
		Checks: []evidence.Check{
			check(evidence.FencedVisible, "==", 0),
			check(evidence.Committed, "==", 1),
			check(evidence.Visible, "==", evidence.Intended),
		},
		Requires: []evidence.Check{check(evidence.AbortedRecords, ">", 0)}, // the old instance wrote something
		Allowed:  []evidence.AnomalyKind{evidence.Duplicate, evidence.FailedButPresent},
		About: func(p Parameters) string {
			return aboutZombie(p, how) + " Both have the same transactional.id."
		},
		Plan:    noFaults,
		Records: zombieRecords,
		Run:     func(ctx context.Context, s *Stage) error { return wakeInTransaction(ctx, s, how) },
	}
}

func idempotentZombie(how sends) Variant {
	return Variant{
		Name: zombieName("idempotent", how), Kind: evidence.Control,
		Claim:    "with plain idempotence both copies stand",
		Settings: map[string]string{"acks": "all", "enable.idempotence": "true"},
		Needs:    drivers.Abilities{Idempotence: true},
		Checks: []evidence.Check{
			check(evidence.Duplicates, ">", 0),
			check(evidence.LogRecords, "==", evidence.Acked),
			check(evidence.Unique, "==", evidence.Intended),
		},
		Allowed: []evidence.AnomalyKind{evidence.Duplicate},
		About: func(p Parameters) string {
			return aboutZombie(p, how) + " Neither has a transactional.id."
		},
		Plan:    noFaults,
		Records: zombieRecords,
		Run:     func(ctx context.Context, s *Stage) error { return wake(ctx, s, how) },
	}
}

const (
	oldInstance = "old instance"
	newInstance = "new instance"
)

func aboutZombie(p Parameters, how sends) string {
	inTurn := ""
	if how == sequential {
		inTurn = ", one at a time"
	}
	return fmt.Sprintf("%d payments%s; the old instance writes %d and hangs, a new one writes all, then the old one wakes and goes on.",
		zombiePayments(p), inTurn, zombiePayments(p)/2)
}

// zombiePayments is at least two: one before the pause, one after it.
func zombiePayments(p Parameters) int { return max(2, p.share(10)) }

func noFaults(Parameters) fault.Plan { return nil }

func zombieRecords(p Parameters, place partition.Func) []fault.Record {
	return firstPayments(p, place, paymentsPartitions, zombiePayments(p))
}

func wakeInTransaction(ctx context.Context, s *Stage, how sends) error {
	count := zombiePayments(s.Parameters)
	old, err := openTransaction(ctx, s, oldInstance, how, count/2)
	if err != nil {
		return err
	}
	heir, err := openTransaction(ctx, s, newInstance, how, count)
	if err != nil {
		return err
	}
	if err := heir.Commit(ctx); err != nil {
		return err
	}
	old.Send(ctx, payment(count/2))
	if err := old.Wait(ctx); err != nil {
		return err
	}
	_ = old.Commit(ctx) // what it says is in the ledger, and nobody listens to a zombie
	return ctx.Err()
}

// openTransaction is an instance that has written so many payments and has not
// committed yet.
func openTransaction(ctx context.Context, s *Stage, who string, how sends, count int) (*TransactionalProducer, error) {
	p, err := s.NewTransactionalProducer(who)
	if err != nil {
		return nil, err
	}
	if err := p.Init(ctx); err != nil {
		return nil, err
	}
	if err := p.Begin(ctx); err != nil {
		return nil, err
	}
	return p, p.payAs(ctx, how, 0, count)
}

func wake(ctx context.Context, s *Stage, how sends) error {
	count := zombiePayments(s.Parameters)
	old, err := s.NewProducer(oldInstance)
	if err != nil {
		return err
	}
	if err := old.payAs(ctx, how, 0, count/2); err != nil {
		return err
	}
	heir, err := s.NewProducer(newInstance)
	if err != nil {
		return err
	}
	if err := heir.payAs(ctx, how, 0, count); err != nil {
		return err
	}
	return old.pay(ctx, count/2, count/2+1)
}
