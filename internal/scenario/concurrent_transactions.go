package scenario

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// concurrentTransactions is the story of transactions that follow each other faster than
// a broker is done with the one before.
func concurrentTransactions() Scenario {
	return Scenario{
		Name:    "concurrent-transactions",
		Summary: "the broker is not done with the transaction before (CONCURRENT_TRANSACTIONS): who waits, who asks again, who is told?",
		Story: `A payment service pays one payment a transaction, one transaction straight after the
other. A broker answers EndTxn before it has written the markers of the transaction
into its partitions, and CONCURRENT_TRANSACTIONS (51) to whatever comes for the next one
in between. It is no failure, only "not yet". (G02)

Each variant has the proxy give that answer, instead of the broker, to some of the first
requests of one API: AddPartitionsToTxn, Produce, EndTxn, InitProducerId,
AddOffsetsToTxn. Every payment has to be committed once all the same, and a reader gets
all of a transaction or nothing. "51 reached the program" says whether the library asked
again by itself or left it to the program, which then aborts and pays again.

Which client differs: librdkafka takes 51 for an answer to AddPartitionsToTxn (asked
again after 20 ms), AddOffsetsToTxn, EndTxn and InitProducerId (after 500 ms), and not to
Produce: a record so answered fails, and its transaction has to be aborted
(rdkafka_txnmgr.c, rdkafka_request.c). No broker answers its Produce so, because it sends
a version (10) from before KIP-890. franz-go sends version 13 there, with which Produce
itself adds the partition to the transaction, gets 51 as an answer to it from a busy
Apache Kafka 4.4 ("answered so by the broker", answered=nothing), and asks again
(kgo/sink.go). It sends no AddPartitionsToTxn and no AddOffsetsToTxn to such a broker: these
variants are not-supported then. The embedded broker never answers 51 by itself.

answered=EndTxn,times=always is the control: 51 without end. The transaction is not
committed then, however often the library asks, and the program finds out at its own
deadline; look at how often it asked.

init=over-open is where programs meet 51 most: a second instance with the same
transactional.id starts while a transaction of the first one is open. Apache Kafka has to
abort that one first, and says 51 until it has. librdkafka waits half a second before it
asks again, franz-go 20 ms.`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: []Variant{
			answeredNothing(),
			answeredPlainly("AddPartitionsToTxn", "Produce itself adds the partition to the transaction (KIP-890)"),
			answeredProduce(),
			answeredPlainly("EndTxn", ""),
			answeredInit(),
			answeredOffsets(),
			answeredAlways(),
			initOverOpen(),
		},
	}
}

const halfOfThem = 0.5

// concurrentPayments is how many transactions there are: enough that half of them are
// some, whatever the seed.
func concurrentPayments(p Parameters) int { return max(10, p.share(20)) }

// fewStarts is how many instances there are where each transaction has its own. The
// first of them is answered 51 so often: librdkafka waits half a second each time.
func fewStarts(Parameters) int { return 3 }

// hurried is a variant: what is special about its program, and how many payments it pays.
func hurried(name, claim string, count func(Parameters) int, program hurry) Variant {
	return Variant{
		Name: name, Kind: evidence.Promise, Claim: claim,
		Settings:  transactionSettings("payment-service"),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true},
		BothViews: true,
		Checks: []evidence.Check{
			check(evidence.Visible, "==", evidence.Intended),
			check(evidence.Torn, "==", 0),
			check(evidence.AbortedSeen, "==", 0),
		},
		Plan: noFaults,
		Records: func(p Parameters, place partition.Func) []fault.Record {
			return firstPayments(p, place, paymentsPartitions, count(p))
		},
		About: func(p Parameters) string {
			return plural(count(p), "payment") + ", one transaction each, one straight after the other."
		},
		Run: func(ctx context.Context, s *Stage) error {
			own := program
			own.stage = s
			return own.payAll(ctx, count(s.Parameters))
		},
		Conclude: concludeConcurrent,
	}
}

// answeredNothing shows what a broker answers by itself.
func answeredNothing() Variant {
	v := hurried("answered=nothing", "each payment is committed once, and nobody tells the program of 51", concurrentPayments, hurry{})
	v.Conclude = quiet(concludeConcurrent)
	return v
}

// answeredPlainly is for requests that a library repeats by itself.
func answeredPlainly(api, notSent string) Variant {
	v := hurried("answered="+api, "each payment is committed once, and nobody tells the program of 51", concurrentPayments, hurry{})
	return answeringConcurrent(v, fault.Rule{NotSent: notSent, Select: fault.Selector{API: api}})
}

// answeringConcurrent gives the answer to half of the first requests, one for each payment.
func answeringConcurrent(v Variant, rule fault.Rule) Variant {
	rule.Name, rule.Action, rule.Code = "answer-"+rule.Select.API, fault.AnswerInstead, concurrentTxns.code
	rule.Select.Probability = halfOfThem
	about := v.About
	v.About = func(p Parameters) string {
		return about(p) + fmt.Sprintf(" About half of the first %d requests %s are answered CONCURRENT_TRANSACTIONS.", concurrentPayments(p), rule.Select.API)
	}
	v.Plan = func(p Parameters) fault.Plan {
		if rule.Select.Attempts == 0 {
			rule.Select.First = concurrentPayments(p)
		}
		return fault.Plan{rule}
	}
	v.Conclude = quiet(concludeConcurrent)
	return v
}

// answeredProduce: what librdkafka does not repeat the program pays again.
func answeredProduce() Variant {
	v := hurried("answered=Produce", "each payment is committed once, by the library or by a program that aborts and pays again", concurrentPayments, hurry{})
	v = answeringConcurrent(v, fault.Rule{Select: fault.Selector{API: "Produce", Attempts: 1}})
	v.Conclude = concludeConcurrent
	return v
}

func answeredInit() Variant {
	v := hurried("answered=InitProducerId", "each start succeeds in the end, and nobody tells the program of 51", fewStarts, hurry{restarting: true})
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, each with a new instance of the same transactional.id. The first %d requests InitProducerId are answered CONCURRENT_TRANSACTIONS.", plural(fewStarts(p), "payment"), fewStarts(p))
	}
	v.Plan = func(p Parameters) fault.Plan {
		return fault.Plan{{
			Name: "answer-InitProducerId", Action: fault.AnswerInstead, Code: concurrentTxns.code,
			Select: fault.Selector{API: initProducerID, First: fewStarts(p), Probability: 1},
		}}
	}
	v.Conclude = quiet(concludeConcurrent)
	return v
}

func answeredOffsets() Variant {
	v := hurried("answered=AddOffsetsToTxn", "each payment is committed once, and nobody tells the program of 51", concurrentPayments, hurry{withOffsets: true})
	v.Needs.Groups = true
	v.Consuming = map[string]string{"group.id": "kcompare-payment-reader"}
	return answeringConcurrent(v, fault.Rule{
		NotSent: "TxnOffsetCommit itself adds the group to the transaction (KIP-890)",
		Select:  fault.Selector{API: "AddOffsetsToTxn"},
	})
}

// ownDeadline is how long the program of the control waits for its commit.
const ownDeadline = 2 * time.Second

func answeredAlways() Variant {
	v := hurried("answered=EndTxn,times=always", "without end it is not committed, and the program is told", func(Parameters) int { return 1 }, hurry{})
	v.Kind = evidence.Control
	v.About = func(Parameters) string {
		return fmt.Sprintf("One payment. Every request to commit it is answered CONCURRENT_TRANSACTIONS; the program waits %v, and starts again.", ownDeadline)
	}
	v.Plan = func(Parameters) fault.Plan {
		always := fault.Rule{
			Name: "answer-always", Action: fault.AnswerInstead, Code: concurrentTxns.code,
			Select: fault.Selector{API: "EndTxn", End: "commit", Probability: 1},
		}
		first := always
		first.Name, first.Select.First = "answer-first", 1 // one is sent, whatever a library does after it
		return fault.Plan{first, always}
	}
	v.Requires = []evidence.Check{check(evidence.Acked, "==", evidence.Intended)}
	v.Checks = []evidence.Check{check(evidence.Visible, "==", 0), check(evidence.Committed, "==", 0)}
	v.Run = func(ctx context.Context, s *Stage) error { return (&hurry{stage: s}).commitInVain(ctx) }
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		asked := countRequests(o, func(e evidence.Exchange) bool { return endOf(e) == evidence.AskedCommit })
		return []evidence.Answer{measured("asked to commit so often", fmt.Sprint(asked))}
	}
	return v
}

// concludeConcurrent tells what the broker answered by itself, and what came through to
// the program.
func concludeConcurrent(o *evidence.Observed) []evidence.Answer {
	own := countRequests(o, func(e evidence.Exchange) bool {
		return e.Fault == "" && e.Answered && strings.Contains(e.Result, concurrentTxns.name)
	})
	return []evidence.Answer{
		{Question: "51 reached the program", Answer: yesNo(toldConcurrent(o))},
		measured("answered so by the broker", fmt.Sprint(own)),
	}
}

// quiet adds the claim that the program is told nothing.
func quiet(conclude func(*evidence.Observed) []evidence.Answer) func(*evidence.Observed) []evidence.Answer {
	return func(o *evidence.Observed) []evidence.Answer {
		answers := conclude(o)
		answers[0].Expected = "no"
		return answers
	}
}

// toldConcurrent says whether any call or record of the program ended with it.
func toldConcurrent(o *evidence.Observed) bool {
	for _, e := range o.Trial.Errors {
		if e.Code == concurrentTxns.name {
			return true
		}
	}
	return false
}
