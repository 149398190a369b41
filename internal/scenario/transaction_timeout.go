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

// transactionTimeout is the story of a program that takes longer over its transaction
// than the broker grants it.
func transactionTimeout() Scenario {
	return Scenario{
		Name:    "transaction-timeout",
		Summary: "a transaction outlives its timeout: what is visible, what is the program told, and can it go on?",
		Story: `A payment service commits a payment, begins the next transaction and writes one record.
Then it takes its time: a slow database, a long pause. transaction.timeout.ms after the
transaction began the broker aborts it and raises the epoch, so that nothing that comes
later can count. The story waits until the broker has done so, and goes on: it commits
(then=commit), or writes once more and aborts (then=write-abort). After that it tries
the next transaction with the same producer, and where that does not work with a new
one. (E04)

Nothing of the transaction that timed out may be visible. No word of a timeout reaches
the program: the broker answers INVALID_PRODUCER_EPOCH, as it does to an old instance
that a newer one has replaced, or INVALID_TXN_STATE to the commit of a client with KIP-890;
librdkafka says "fenced by a newer instance". "cause" is computed: between the write and
the refusal nobody with this transactional.id asked for an epoch (InitProducerId), so
nobody fenced it, and the time had passed. cause=newer-instance is the control: librdkafka
says the same words, and there they are true.

What a producer can do afterwards depends on the library, and on which call meets the
timeout first; compare "same producer goes on" in then=commit and then=write-abort. With
KIP-890 (transaction.version 2) an abort after a refused write succeeds on Apache Kafka
and gives franz-go an epoch to go on with. The embedded broker refuses that abort
(docs/brokers.md, timeout-write-abort), so that this variant needs Apache Kafka.

The broker looks for what has timed out only now and then, every ten seconds by default
(transaction.abort.timed.out.transaction.cleanup.interval.ms; the Kafka that kcompare
starts: 0.5 s). Before it has looked, a commit succeeds, however late it is:
then=commit-before-sweep. A timeout is no deadline.

More than the broker grants (transaction.max.timeout.ms, 15 minutes) is refused when the
producer asks for its id, not when it is made. Look at the errors: librdkafka's text
names the broker's setting wrongly, max.transaction.timeout.ms.`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: []Variant{
			timeoutThenCommit(),
			timeoutThenWrite(),
			commitBeforeSweep(),
			fencedInstead(),
			timeoutTooLong(),
		},
	}
}

// tooSlow is the transaction.timeout.ms of the story, and hasty that of the variant
// which has to be there before the broker looks.
const (
	tooSlow = 3 * time.Second
	hasty   = 2 * time.Second
)

// The payments of the story.
const (
	inTime    = 0 // committed before anything goes wrong
	timedOut  = 1 // in the transaction that outlives its timeout
	writtenOn = 2 // in the same one, when it has been aborted
	nextOne   = 3
)

func timeoutVariant(name string, kind evidence.Kind, claim string, written ...int) Variant {
	return Variant{
		Name: name, Kind: kind, Claim: claim,
		Settings:  transactionSettings("payment-service"),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true},
		BothViews: true,
		Plan:      noFaults,
		Records: func(p Parameters, place partition.Func) []fault.Record {
			var records []fault.Record
			for _, n := range written {
				records = append(records, payment(n).planned(place, p.PartitionsOf(paymentsPartitions)))
			}
			return records
		},
		// The program sends a payment again that stood in an aborted transaction.
		Allowed: []evidence.AnomalyKind{evidence.Duplicate, evidence.FailedButPresent},
	}
}

// nothingOfIt: the transaction before and the one after are committed, and no record of
// the one between is visible.
func nothingOfIt(v Variant) Variant {
	v.Requires = append(v.Requires, check(evidence.AbortedRecords, ">", 0))
	v.Checks = []evidence.Check{
		check(evidence.Committed, "==", 2),
		check(evidence.Visible, "==", evidence.CommittedRecords),
		check(evidence.AbortedSeen, "==", 0),
	}
	return v
}

func timeoutThenCommit() Variant {
	v := nothingOfIt(timeoutVariant("then=commit", evidence.Promise,
		"nothing of a transaction that timed out is visible, and nobody fenced its producer",
		inTime, timedOut, nextOne))
	timesOut(v.Settings, tooSlow)
	v.BrokerRows = []string{"timeout-commit-old"}
	v.About = aboutTimeout("The program commits when the broker has aborted its transaction.")
	v.Run = func(ctx context.Context, s *Stage) error { return (&overtime{stage: s}).commitTooLate(ctx) }
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{timeoutCause(o, byTimeout)} }
	return v
}

func timeoutThenWrite() Variant {
	v := nothingOfIt(timeoutVariant("then=write-abort", evidence.Promise,
		"nothing of a transaction that timed out is visible, and nobody fenced its producer",
		inTime, timedOut, writtenOn, nextOne))
	timesOut(v.Settings, tooSlow)
	v.NeedsKafka = "a late write and its abort are answered otherwise on the embedded broker (docs/brokers.md, timeout-write-abort)"
	v.About = aboutTimeout("The program writes once more when the broker has aborted its transaction, and aborts it itself.")
	v.Run = func(ctx context.Context, s *Stage) error { return (&overtime{stage: s}).writeTooLate(ctx) }
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		return []evidence.Answer{writeTold(o), timeoutCause(o, byTimeout)}
	}
	return v
}

func aboutTimeout(then string) func(Parameters) string {
	return func(Parameters) string { return fmt.Sprintf("transaction.timeout.ms is %v. %s", tooSlow, then) }
}

// overtime is the program.
type overtime struct {
	stage    *Stage
	producer *TransactionalProducer
}

func (o *overtime) commitTooLate(ctx context.Context) error {
	if err := o.waitForTimeout(ctx); err != nil {
		return err
	}
	o.commit(ctx)
	return o.goOn(ctx)
}

// commit commits what is open, and aborts it where that fails.
func (o *overtime) commit(ctx context.Context) {
	err := o.producer.Commit(ctx)
	o.answer("the commit is told", toldOf(err))
	if err != nil {
		o.abort(ctx)
	}
}

func (o *overtime) abort(ctx context.Context) {
	o.answer("then the abort is told", toldOf(o.producer.Abort(ctx)))
}

func (o *overtime) writeTooLate(ctx context.Context) error {
	if err := o.waitForTimeout(ctx); err != nil {
		return err
	}
	o.producer.Send(ctx, payment(writtenOn))
	if err := o.producer.Wait(ctx); err != nil {
		return err
	}
	o.abort(ctx)
	return o.goOn(ctx)
}

// waitForTimeout has a transaction open when its time is over and the broker has
// aborted it.
func (o *overtime) waitForTimeout(ctx context.Context) error {
	if err := o.open(ctx); err != nil {
		return err
	}
	return o.stage.Watch.Decided(ctx)
}

// open leaves a transaction open with one payment in it, after one that was committed:
// connections and coordinators are there, and time is spent on nothing else.
func (o *overtime) open(ctx context.Context) (err error) {
	if o.producer, err = o.stage.NewTransactionalProducer(oldInstance); err != nil {
		return err
	}
	if err := o.producer.Init(ctx); err != nil {
		return err
	}
	if err := o.producer.commits(ctx, payment(inTime)); err != nil {
		return err
	}
	return o.producer.begins(ctx, payment(timedOut))
}

// goOn tries the next transaction with the same producer, and if that fails with a new
// one.
func (o *overtime) goOn(ctx context.Context) error {
	err := o.producer.commits(ctx, payment(nextOne))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	o.answer("the same producer goes on", goesOn(err))
	if err == nil {
		return nil
	}
	heir, err := o.producer.restart(ctx)
	if err != nil {
		return err
	}
	return heir.commits(ctx, payment(nextOne))
}

func (o *overtime) answer(question, answer string) {
	o.stage.Answer(evidence.Answer{Question: question, Answer: answer})
}

// toldOf is the code of an error, "ok" without one.
func toldOf(err error) string {
	var e *drivers.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &e):
		return e.Code
	}
	return "an error without a code"
}

// goesOn is which call of the next transaction refused, if one did.
func goesOn(err error) string {
	var e *drivers.Error
	switch {
	case err == nil:
		return "yes"
	case errors.As(err, &e):
		return fmt.Sprintf("no: %s %s", e.Call, e.Code)
	}
	return "no"
}

// classOf is what the driver makes of an error, "-" where there is none.
func classOf(err error) string {
	if err == nil {
		return "-"
	}
	return string(drivers.ClassOf(err))
}
