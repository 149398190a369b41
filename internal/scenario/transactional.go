package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// The topics of a shop that writes each order, its event and a notification in
// one transaction.
const (
	orders        = "orders"
	orderEvents   = "order-events"
	notifications = "notifications"

	shopPartitions = 3
	largestEvent   = 1024 // bytes a batch that order-events takes
)

// transactional is the story of orders that are written to three topics, wholly
// or not at all.
func transactional() Scenario {
	return Scenario{
		Name:    "transactional",
		Core:    true,
		Summary: "an order, its event and a notification in one transaction: is ever only a part of them visible?",
		Story: `For each order the program begins a transaction, writes one record to each of three
topics, and commits or aborts (KIP-98). Answers to Produce get lost, and answers to
AddPartitionsToTxn and EndTxn as well; the client repeats what was not answered, and
the broker has to recognise the repetition. On a broker with KIP-890
(transaction.version 2) franz-go never sends AddPartitionsToTxn, because Produce
itself adds the partition; the fault is "not applicable" to it then.

An end that the client cannot vouch for, because its answer was lost, is followed by
an abort, and where that fails too by a new instance with the same transactional.id.
The transaction counts as undecided if its commit may have been done.

A reader under read_committed gets all of a transaction or nothing of it. Under
read_uncommitted, the control, it gets what was aborted too: this is the default of
franz-go and Java, while librdkafka and Python read committed data by default.

The commit=... variants have the broker refuse one record in some transactions: its
event is larger than the topic allows. A program that looks at every report
(checked) aborts; with one that commits anyway (unchecked) it depends on the library
whether the rest becomes visible: look at "torn" and at the errors. Either way
librdkafka's next transaction on that partition fails too, because the refused record
has used up a sequence number; compare what is visible.

abort=unanswered is small: one order is written, its answer is lost, and before the
client can repeat it the transaction is aborted because the event was refused. The
next order goes to the same partition. Where a client gives it the sequence number
of the one that it gave up, the broker takes it for a repetition: it is acknowledged,
committed, and not there, on the embedded broker and on Apache Kafka 4.4.0 alike. Look
at "lost", "torn" and the causes.

sends=sequential and sends=concurrent hand the records of a transaction over one at a time,
or those of five orders at once. With retries=1 a record is given up because its answers
do not come. The program aborts, and goes on with the same transactional.id: what comes
next to that partition must get there all the same.`,
		Topics: []Topic{
			{Role: orders, Partitions: shopPartitions},
			{Role: orderEvents, Partitions: shopPartitions, Config: map[string]string{"max.message.bytes": fmt.Sprint(largestEvent)}},
			{Role: notifications, Partitions: shopPartitions},
		},
		Variants: []Variant{
			endCommit(),
			endAbort(),
			endMixed(),
			commitChecked(),
			commitUnchecked(),
			abortUnanswered(),
			readUncommitted(),
			oneByOne(), carts(), fewRetries(sequential), fewRetries(concurrent),
		},
	}
}

// transactionSettings are those of every producer that writes in transactions.
func transactionSettings(id string) map[string]string {
	return map[string]string{"acks": "all", "enable.idempotence": "true", "transactional.id": "kcompare-" + id}
}

func shopVariant(name string, program shop) Variant {
	return Variant{
		Name:      name,
		Settings:  transactionSettings("order-producer-1"),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true},
		BothViews: true,
		About:     aboutShop,
		Plan:      func(p Parameters) fault.Plan { return append(loseEndings(p), loseFirstAnswers(p, "")) },
		Records:   shopRecords,
		Run: func(ctx context.Context, s *Stage) error {
			own := program
			own.stage = s
			return own.sellAll(ctx)
		},
		FewRetries: mayGiveUp,
	}
}

// mayGiveUp permits that a record fails and is in the log, of a transaction that is aborted
// then: a lost connection takes what is in flight with it, which may cost the last retry.
func mayGiveUp(v Variant, _ int) Variant {
	v.Allowed = append(slices.Clone(v.Allowed), evidence.FailedButPresent)
	return v
}

func shopPromise(name string, program shop, claim string, checks ...evidence.Check) Variant {
	v := shopVariant(name, program)
	v.Kind, v.Claim = evidence.Promise, claim
	// A commit of which the client could not say what came of it may be visible too.
	v.Checks = slices.Concat(checks, []evidence.Check{
		check(evidence.Torn, "==", 0),
		check(evidence.AbortedSeen, "==", 0),
		check(evidence.Visible, ">=", evidence.CommittedRecords),
	})
	return v
}

func endCommit() Variant {
	v := shopPromise("end=commit", shop{end: commit}, "all of a transaction is visible, or, if its commit failed, nothing")
	v.Requires = []evidence.Check{check(evidence.Committed, ">", 0)}
	return v
}

func endAbort() Variant {
	v := shopPromise("end=abort", shop{end: abort}, "nothing of an aborted transaction is visible", check(evidence.Visible, "==", 0))
	v.Requires = []evidence.Check{check(evidence.AbortedRecords, ">", 0)}
	return v
}

func endMixed() Variant {
	v := shopPromise("end=mixed", shop{end: commitOrAbort}, "of each transaction all or nothing is visible, as it was ended")
	v.Requires = []evidence.Check{check(evidence.Committed, ">", 0), check(evidence.AbortedRecords, ">", 0)}
	return v
}

func commitChecked() Variant {
	v := shopPromise("commit=checked", shop{refusing: true, end: commit}, "a program that looks at every report and aborts has no torn transaction")
	v.Requires = []evidence.Check{check(evidence.Committed, ">", 0)}
	// Of a transaction that is about to be aborted a client may give up records
	// without having heard of them.
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent}
	return refusing(v)
}

func commitUnchecked() Variant {
	v := shopVariant("commit=unchecked", shop{refusing: true, careless: true, end: commit})
	v.Kind = evidence.Observation
	v.Claim = "a record is refused, the program commits anyway: what is visible then?"
	return refusing(v)
}

// refusing loses no answers to Produce. A refused record beside an unanswered one
// is a story of its own, abort=unanswered; and librdkafka may stall over the two
// until its delivery timeout.
func refusing(v Variant) Variant {
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, one transaction each over three topics; of every fifth the broker refuses the event. %g %% of the answers to EndTxn get lost, and some to AddPartitionsToTxn.", plural(ordersOf(p), "order"), p.DropRate*100)
	}
	v.Plan = loseEndings
	v.Requires = append(v.Requires, check(evidence.FailedRecords, ">", 0))
	return v
}

// The orders of abort=unanswered all go to one partition. The refused event goes to
// another node than its order, and to another partition than the next event, so that
// one does not get into the way of the other. That takes three nodes.
const (
	connecting = 1 // opens the connections
	givenUp    = 9 // its answer is outstanding when its transaction is aborted
	following  = 10

	unansweredNodes = 3
)

// refusedLater is when the refusal of the event reaches the client: well after the
// answer to the order was lost, and well before the client sends it again.
const (
	refusedLater = 50 * time.Millisecond
	sentAgain    = "500" // retry.backoff.ms
)

func abortUnanswered() Variant {
	v := shopVariant("abort=unanswered", shop{})
	v.Kind, v.Nodes = evidence.Observation, unansweredNodes
	v.Claim = "a record is written, not answered and aborted: does the next one to its partition get there?"
	v.About = func(Parameters) string {
		return "3 orders to one partition, one transaction each over three topics. The answer to the second order gets lost, its event is refused, and the program aborts; the others it commits."
	}
	v.Wants = map[string]string{"retry.backoff.ms": sentAgain, "retry.backoff.max.ms": sentAgain}
	v.Plan = func(Parameters) fault.Plan {
		order, event := unanswered(givenUp)[0], unanswered(givenUp)[1]
		return fault.Plan{
			{Name: "lose-answer", Action: fault.DropResponse, Select: firstAttempt(order)},
			{Name: "refuse-later", Action: fault.Delay, Wait: refusedLater, Select: firstAttempt(event)},
		}
	}
	v.Requires = []evidence.Check{check(evidence.FailedRecords, ">", 0)}
	v.Records = func(p Parameters, place partition.Func) []fault.Record {
		var records []fault.Record
		for _, n := range []int{connecting, givenUp, following} {
			for _, m := range unanswered(n) {
				records = append(records, m.planned(place, p.PartitionsOf(shopPartitions)))
			}
		}
		return records
	}
	v.Run = sellUnanswered
	return v
}

func firstAttempt(m Message) fault.Selector {
	return fault.Selector{API: "Produce", Role: m.Topic, Record: m.ID.String(), Attempts: 1, Probability: 1}
}

func unanswered(n int) []Message {
	messages := shopMessages(n, n == givenUp)
	messages[1].Key = fmt.Appendf(nil, "event_%d", n)
	return messages
}

func sellUnanswered(ctx context.Context, s *Stage) error {
	shop := &shop{stage: s, end: commit}
	if err := shop.open(ctx); err != nil {
		return err
	}
	for _, n := range []int{connecting, givenUp, following} {
		if err := shop.sell(ctx, n, unanswered(n)); err != nil {
			return err
		}
	}
	return nil
}

func readUncommitted() Variant {
	v := shopVariant("isolation=read_uncommitted", shop{end: commitOrAbort})
	v.Kind = evidence.Control
	v.Claim = "a reader under read_uncommitted gets the records of aborted transactions"
	v.BothViews = false
	v.Reading = map[string]string{"isolation.level": "read_uncommitted"}
	v.Requires = []evidence.Check{check(evidence.AbortedRecords, ">", 0)}
	v.Checks = []evidence.Check{check(evidence.AbortedSeen, "==", evidence.AbortedRecords)}
	v.Allowed = []evidence.AnomalyKind{evidence.AbortedVisible}
	return v
}

func aboutShop(p Parameters) string {
	return fmt.Sprintf("%s, one transaction each over three topics; %g %% of the answers to Produce and EndTxn get lost, and some to AddPartitionsToTxn.", plural(ordersOf(p), "order"), p.DropRate*100)
}

// ordersOf: each order takes three records and the calls of a transaction.
func ordersOf(p Parameters) int { return p.share(5) }

// loseEndings counts requests that the broker gets at least once in every
// transaction that wrote something; AddPartitionsToTxn only from clients without
// KIP-890. librdkafka waits half a second for each lost answer to that one
// (rdkafka_txnmgr.c), so fewer of them are at risk.
func loseEndings(p Parameters) fault.Plan {
	return fault.Plan{
		loseCounted(p, "AddPartitionsToTxn", fewOf(p), "Produce itself adds the partition to the transaction (KIP-890)"),
		loseCounted(p, "EndTxn", ordersOf(p), ""),
	}
}

// fewOf is how many requests of an API are at risk that are slow to repeat.
func fewOf(p Parameters) int { return (ordersOf(p) + 7) / 8 }

func loseCounted(p Parameters, api string, first int, notSent string) fault.Rule {
	return fault.Rule{
		Name: "lose-answers-to-" + api, Action: fault.DropResponse, NotSent: notSent,
		Select: fault.Selector{API: api, First: first, Probability: p.DropRate},
	}
}

// loseFirstAnswers aims at first attempts only, because the records of a
// transaction are in flight together: those of one topic, or all.
func loseFirstAnswers(p Parameters, role string) fault.Rule {
	return fault.Rule{
		Name: "lose-answers-to-Produce", Action: fault.DropResponse,
		Select: fault.Selector{API: "Produce", Role: role, Attempts: 1, Probability: p.DropRate},
	}
}
