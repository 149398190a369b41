package scenario

import (
	"fmt"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// errorClasses is the story of one answered error: what a library makes of each code,
// for the record, for the transaction, and for the producer afterwards.
func errorClasses() Scenario {
	return Scenario{
		Name:    "error-classes",
		Summary: "one request is answered with an error: is the record there, how did the transaction end, does the producer live?",
		Story: `One request is answered with an error code, once, and all else goes well. The program
does what a careful one does: it looks at every report, aborts what it cannot commit,
and sends one thing more with the same producer.

How to read a variant. "call" is the request that met the code: Produce by an idempotent
producer, or one request of a transaction of two records in two topics (and the offset
of an input, where the call is about offsets). "mode" is what the broker did: "instead",
it never saw the request; "after", it did what was asked; "denied", it did that too, and
the code says that it did not. Each code has a line with what became of the record or
the transaction, by the log, and of which class the error was for the program. No class
means that the program was told of no error; "retried", that the library asked again by
itself. "NAME: next" is the record or transaction after it: "delivered" or "works" where
the producer lives, "dead" where only a new instance goes on. What a library calls the
error is listed under errors, code by code. "producers needed" counts the producers that
one row of codes used up; in transactions each code has a producer of its own, because
its requests are told apart by their transactional.id.

A class belongs to an outcome, not to a code: one code is fatal in one call and goes
unnoticed in another. What librdkafka calls IsRetriable must not be taken for one: it
speaks of calls, and is false on every delivery report here, also where a second attempt
would deliver. franz-go has no classes at all; they are read off its codes.

The promises hold under every code: nothing acknowledged is missing, nothing stands
twice, no transaction is torn, nothing that was aborted is visible. They are owed by a
library to which the broker tells the truth. Where it denies what it did (mode=denied),
franz-go v1.22.3 writes the record again under another number after UNKNOWN_PRODUCER_ID,
OUT_OF_ORDER_SEQUENCE_NUMBER and INVALID_PRODUCER_EPOCH, librdkafka 2.11.1 after
UNKNOWN_PRODUCER_ID: look at "duplicates". That is no far-fetched lie: a broker that has
forgotten a producer answers so to a repetition (KIP-360). A commit that is done and
answered TRANSACTION_ABORTABLE is for franz-go an aborted transaction: EndTransaction with
TryAbort returns nil and asks nobody (kgo/txn.go). And where a transaction does not raise
the epoch (--broker=kafka --feature=transaction.version=0), franz-go gives the number of a
record that failed and was written to the next one, which is acknowledged, committed and
not there: look at "lost". The control shows what idempotence is
worth: without it every code that comes after the writing leaves a duplicate.

What differs, as measured on the embedded broker and on Apache Kafka 4.4.0:
- CORRUPT_MESSAGE to Produce: franz-go fails the record, librdkafka sends it again.
- CONCURRENT_TRANSACTIONS to Produce (KIP-890): franz-go asks again, librdkafka aborts.
- OUT_OF_ORDER_SEQUENCE_NUMBER to Produce: the producer of librdkafka is dead, so that no
  record is written twice; that of franz-go goes on. INVALID_PRODUCER_EPOCH within a
  transaction: the same.
- TOPIC_AUTHORIZATION_FAILED to Produce: librdkafka refuses the next record itself, until
  it has asked for metadata again.
- INVALID_TXN_STATE, INVALID_PRODUCER_ID_MAPPING, UNKNOWN_PRODUCER_ID and
  TRANSACTION_ABORTABLE to InitProducerId: librdkafka asks again, franz-go is dead.
- INVALID_PRODUCER_ID_MAPPING to EndTxn: librdkafka aborts and goes on, franz-go is dead.
- INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE, INVALID_PRODUCER_ID_MAPPING and
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED to TxnOffsetCommit: librdkafka is dead. With
  franz-go an abort helps, and that is no merit: kgo sends offsets for its own consumer
  alone, so the driver sends these (franz/offsets.go), and the producer never hears of it.
- On Apache Kafka librdkafka gives the record after a refused one the next sequence
  number, so that its next transaction fails too and only the one after that works; and
  it dies of the abort of a transaction whose AddPartitionsToTxn was refused.

The cases. E01: without the right to write, librdkafka reports _PURGE_QUEUE, and the cause
stands in its fatal error. E05: the broker has forgotten the id of a producer, or says
so. E06: the same reports are what an abort asked for, and loss outside of one. E07:
without a coordinator every client hangs alike, and the cause is the cluster.`,
		Topics:   []Topic{{Role: orders, Partitions: shopPartitions}, {Role: orderEvents, Partitions: shopPartitions}},
		Variants: errorVariants(),
	}
}

func errorVariants() []Variant {
	all := []Variant{
		produceCells(instead, append(afterWriting(), denyingWrite()...)),
		produceCells(afterwards, afterWriting()),
		produceCells(denied, denyingWrite()),
		withoutNumbers(),
	}
	for _, call := range transactionCalls() {
		all = append(all, call.variant())
	}
	return append(all, noRight(), expiredID(), forgottenID(), purgedByAbort(), purgedByClose(), noCoordinatorEver())
}

// answering says when the error is answered.
type answering string

const (
	instead    answering = "instead" // of doing anything
	afterwards answering = "after"   // everything was done
	denied     answering = "denied"  // the same, and the code says that nothing was
)

func (m answering) action() fault.Action {
	if m == instead {
		return fault.AnswerInstead
	}
	return fault.ReplaceResponse
}

// inWords is how the story says it.
func (m answering) inWords() string {
	switch m {
	case afterwards:
		return "after the broker has done what was asked"
	case denied:
		return "after the broker has done what was asked, which the code denies"
	}
	return "and the broker never sees it"
}

// errorCell is one error code and the records that are sent for it: the one that meets the
// error, and the next one.
type errorCell struct {
	n int // its place in the variant
	kafkaError
}

func cellsOf(errors []kafkaError) []errorCell {
	all := make([]errorCell, len(errors))
	for n, e := range errors {
		all[n] = errorCell{n, e}
	}
	return all
}

// rule answers the request that it selects with the error, once.
func (c errorCell) rule(mode answering, s fault.Selector, notSent string) fault.Rule {
	s.Probability = 1
	return fault.Rule{Name: c.name, Action: mode.action(), Code: c.code, Select: s, NotSent: notSent}
}

// turn is whether a record belongs to what meets the error or to what comes next.
type turn int

const (
	hitTurn turn = iota
	nextTurn
)

// order and event are the records of a cell. Those that meet the error and those that
// come next go to the same partitions, because a sequence of numbers is one of a
// partition.
func (c errorCell) order(t turn) Message { return c.message(orders, t) }
func (c errorCell) event(t turn) Message { return c.message(orderEvents, t) }

func (c errorCell) message(role string, t turn) Message {
	return Message{
		Topic: role, ID: evidence.RecordID{Role: role, N: 2*c.n + int(t)},
		Key: fmt.Appendf(nil, "order-%02d", c.n), Value: fmt.Appendf(nil, "%s %d", strings.ToLower(c.name), t),
	}
}

// id is the transactional.id of the cell, as the story calls it.
func (c errorCell) id() string { return "kcompare-" + cellID + "-" + c.name }

// who names the part of the story that an error belongs to: the cell, and its next
// record or transaction apart from it.
func (c errorCell) who(t turn) string {
	if t == nextTurn {
		return c.name + ", next"
	}
	return c.name
}
