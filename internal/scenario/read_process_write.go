package scenario

import (
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// The output topics of the order processor; it reads orders.
const (
	processedOrders = "processed-orders"

	processorPartitions = 1 // so that every client meets the orders in the same order
	committedEvery      = 5 // orders, by a processor without transactions
)

// readProcessWrite is the story of an order processor: read an order, add the
// tax, write two records, commit the offset, all in one transaction.
func readProcessWrite() Scenario {
	return Scenario{
		Name:    "read-process-write",
		Core:    true,
		Summary: "orders are read, taxed and written on in transactions with their offsets: does each order count once?",
		Story: `The processor reads an order, checks that its amount is positive, adds 10 % tax, writes
to processed-orders and order-events, adds the order's offset to the transaction and
commits (KIP-98, KIP-447). Answers get lost on the way, the broker refuses some
records once, every tenth order is invalid, and in the middle, with the outputs
written and nothing committed, the processor crashes and is started again under the
same transactional.id.

What follows an aborted transaction decides everything. An abort takes the offsets
back, not the consumer: its position stays where it was, in librdkafka and Python as
well as in franz-go's plain consumer (its GroupTransactSession rewinds by itself).
With after-abort=seek the program seeks to the committed offset and reads again; an
order that it has found invalid it then skips in a transaction of its own, which
commits the offset alone. With after-abort=poll-on it goes on polling, as many
examples do in the belief that the message will be read again: look at "skipped".

A transaction that counts as undecided is that of the crash, or one whose commit was
not answered.

With offset=last the program sends the offset of the order that it has read, not that
of the next one, and is started again when it has done all ten. Every call succeeds, and
the last order is processed twice: an offset in Kafka is where to go on.

The other control writes without transactions and commits offsets every fifth order.
After the crash the orders since the last commit are processed a second time.`,
		Topics: []Topic{
			{Role: orders, Partitions: processorPartitions},
			{Role: processedOrders, Partitions: processorPartitions},
			{Role: orderEvents, Partitions: processorPartitions},
		},
		Variants: []Variant{seekAfterAbort(), pollOnAfterAbort(), lastForNext(), withoutTransactions(), outputsInTurn()},
	}
}

func seekAfterAbort() Variant {
	v := processorVariant("after-abort=seek", true)
	v.Kind, v.Claim = evidence.Promise, "each valid order counts once in the committed output, invalid ones nowhere"
	v.Checks = []evidence.Check{
		check(evidence.InputsSkipped, "==", 0),
		check(evidence.InputsTwice, "==", 0),
		check(evidence.Visible, "==", evidence.Intended),
		check(evidence.Torn, "==", 0),
		check(evidence.FencedVisible, "==", 0),
	}
	return v
}

// outputsInTurn is the same with one output in flight at a time.
func outputsInTurn() Variant {
	v := seekAfterAbort()
	v.Name += ",sends=sequential"
	v.Run = startTransactional(true, true).liveTwice
	about := v.About
	v.About = func(p Parameters) string { return about(p) + " One output is handed over after the other." }
	return scaled(v, 4, 10)
}

func pollOnAfterAbort() Variant {
	v := processorVariant("after-abort=poll-on", false)
	v.Kind, v.Claim = evidence.Observation, "after an abort the program polls on: which orders are lost?"
	return v
}

func processorVariant(name string, seek bool) Variant {
	return Variant{
		Name:      name,
		Settings:  transactionSettings("order-processor-1"),
		Consuming: processorGroup(),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true, Groups: true},
		BothViews: true,
		Allowed:   []evidence.AnomalyKind{evidence.Duplicate},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, one transaction each; some answers get lost, %g %% of the events are refused once, one order in ten is invalid, one crash.", plural(ordersOf(p), "order"), refusedOnce*100)
		},
		Plan:    disturbProcessor,
		Records: processorRecords,
		Inputs:  incomingOrders,
		Outputs: []string{processedOrders, orderEvents},
		Run:     startTransactional(seek, false).liveTwice,
	}
}

func withoutTransactions() Variant {
	return Variant{
		Name: "transactions=false", Kind: evidence.Control,
		Claim:     "after the crash orders are processed twice",
		Settings:  map[string]string{"acks": "all", "enable.idempotence": "true"},
		Consuming: processorGroup(),
		Needs:     drivers.Abilities{Idempotence: true, Groups: true},
		Checks: []evidence.Check{
			check(evidence.InputsTwice, ">", 0),
			check(evidence.InputsSkipped, "==", 0),
		},
		Allowed: []evidence.AnomalyKind{evidence.Duplicate, evidence.InputReprocessed},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, no transactions, offsets committed every %d orders; %g %% of the answers to Produce get lost, one crash.", plural(ordersOf(p), "order"), committedEvery, p.DropRate*100)
		},
		Plan: func(p Parameters) fault.Plan {
			return fault.Plan{loseFirstAnswers(p, "")}
		},
		Records: processorRecords,
		Inputs:  incomingOrders,
		Outputs: []string{processedOrders, orderEvents},
		Run:     program(startPlain).liveTwice,
	}
}

// processorGroup is how the processor's consumer reads.
func processorGroup() map[string]string {
	return map[string]string{"group.id": "kcompare-order-processor", "partition.assignment.strategy": "range"}
}

// refusedOnce is the share of events that the broker refuses at the first
// attempt, so that valid orders have aborted transactions too.
const refusedOnce = 0.1

const messageTooLarge = 10 // Kafka's error code: no client repeats the record

// disturbProcessor counts requests only as far as every client sends them: an
// aborted transaction may have none of them.
func disturbProcessor(p Parameters) fault.Plan {
	half := (ordersOf(p) + 1) / 2
	return fault.Plan{
		{
			Name: "refuse-events", Action: fault.AnswerInstead, Code: messageTooLarge,
			Select: fault.Selector{API: "Produce", Role: orderEvents, Attempts: 1, Probability: refusedOnce},
		},
		loseFirstAnswers(p, orderEvents),
		loseCounted(p, "AddPartitionsToTxn", fewOf(p), "Produce itself adds the partition to the transaction (KIP-890)"),
		loseCounted(p, "AddOffsetsToTxn", fewOf(p), "TxnOffsetCommit itself adds the group to the transaction (KIP-890)"),
		loseCounted(p, "TxnOffsetCommit", half, ""),
		loseCounted(p, "EndTxn", half, ""),
	}
}

// isInvalid: one order in ten has a negative amount.
func isInvalid(n int) bool { return n%10 == 7 }

// incomingOrders are written by somebody else.
func incomingOrders(p Parameters) []Input {
	inputs := make([]Input, ordersOf(p))
	for n := range inputs {
		amount := 100 + 10*n
		if isInvalid(n) {
			amount = -amount
		}
		inputs[n] = Input{Valid: !isInvalid(n), Message: Message{
			Topic: orders, ID: evidence.RecordID{Role: orders, N: n}, Key: fmt.Appendf(nil, "order_%d", n),
			Value: fmt.Appendf(nil, `{"order_id": %d, "amount": %d}`, n, amount),
		}}
	}
	return inputs
}

// processorRecords are the outputs of the valid orders.
func processorRecords(p Parameters, place partition.Func) []fault.Record {
	var records []fault.Record
	for _, in := range incomingOrders(p) {
		if !in.Valid {
			continue
		}
		for _, topic := range []string{processedOrders, orderEvents} {
			out := Message{Topic: topic, ID: in.ID, Key: in.Key}
			records = append(records, out.planned(place, p.PartitionsOf(processorPartitions)))
		}
	}
	return records
}
