package scenario

import (
	"fmt"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

const receipts = "receipts" // topic role

// lateRequests is the story of a request that the network holds back until the
// transaction that it belongs to is over. What the programs do stands in
// late_commit_story.go, what is found out in late_commit_answers.go.
func lateRequests() Scenario {
	return Scenario{
		Name:    "late-commit",
		Summary: "a request of transaction 1 that the network held back arrives in transaction 2: what does it do there?",
		Story: `A shop writes payment 1 and its receipt in one transaction and commits. The network
holds the commit back. The client gets no answer, asks again, is told "committed", and
begins transaction 2 with payment 2. Now the held commit arrives.

Before KIP-890 an EndTxn request says who asks (transactional.id, producer id, epoch) and
not for which transaction. Transaction 2 has the same three, so the broker takes the late
request for its end: payment 2 is committed, whatever the program wants. KIP-890 gives
each transaction an epoch of its own, and the late request is refused. That takes both
sides: a broker with transaction.version 2 (the default of Kafka 4) and a client that ends
its transactions with EndTxn v5.

  late=commit        transaction 2 is to be aborted. Is anything of it visible?
  late=abort         transaction 1 was aborted, 2 is to be committed. Is it complete?
    then=end         the program ends transaction 2 right after payment 2
    then=write       it writes a receipt to another partition first
  late=produce       the request with payment 1 is held, not the end of transaction 1
    of=committed     the client sent it again, and committed; the held one comes then
    of=aborted       the client was refused when it sent it again, and aborted
      partition=idle   transaction 2 does not write to the partition of payment 1 ...
      partition=open   ... or is about to, when the held request comes
  answer=lost        the commit is done and its answer lost; nothing comes late
  client=gone        the control: the client gives up before the held commit arrives, and
                     nobody asks again. It commits all the same

Which client differs. franz-go 1.22.3 speaks EndTxn v5, and what comes late is refused.
librdkafka 2.11.1 speaks EndTxn v1 to every broker. With then=end it learns of it: its own
EndTxn is answered INVALID_TXN_STATE and it becomes fatal, though after late=commit payment
2 is visible by then. With then=write nobody learns of it: adding the receipt's partition
makes the broker begin one more transaction, and the end of that one succeeds. The client
says "aborted" while payment 2 is visible, or "committed" while payment 2 is gone. With
--broker=kafka --feature=transaction.version=0 franz-go does the same. librdkafka issue
5423 asks for KIP-890.

A late Produce meets the other part of KIP-890: since Kafka 3.6 a broker refuses a write to
a partition that is in no open transaction, from old clients too (partition=idle). With
partition=open it is in one: payment 1, which the client said was not written, becomes
visible with transaction 2. franz-go under transaction.version 0 gives payment 2 the
sequence number of payment 1, so that payment 2 is acknowledged, committed and gone. And
with of=committed the refused request is not without effect on Kafka 4.4.0: the partition
remembers its sequence number, and the next transaction of the same epoch is answered
OUT_OF_ORDER_SEQUENCE_NUMBER, which librdkafka does not survive. The embedded broker does
not do that.

docs/late-commit.md has all answers side by side.`,
		Topics: []Topic{{Role: payments, Partitions: 1}, {Role: receipts, Partitions: 1}},
		Variants: []Variant{
			lateEnd(evidence.AskedCommit, thenEnd), lateEnd(evidence.AskedCommit, thenWrite),
			lateEnd(evidence.AskedAbort, thenEnd), lateEnd(evidence.AskedAbort, thenWrite),
			lateOfCommitted(), lateOfAborted(partitionIdle), lateOfAborted(partitionOpen),
			lostEndAnswer(), lateOfTheGone(),
		},
	}
}

// heldAtMost is how long a request is held if what releases it does not come. Then
// the fault fires too late to show anything, and the trial ends soon.
const heldAtMost = 20 * time.Second

// What the program does in transaction 2 after the late request.
const (
	thenEnd   = "end"
	thenWrite = "write"
)

// Whether transaction 2 writes to the partition of the late record.
const (
	partitionIdle = "idle"
	partitionOpen = "open"
)

// lateVariant has what all variants share. In the story a payment is followed by its
// receipt, in a topic of its own. The same seed does not repeat all counts: Kafka may
// refuse the first write of a transaction for as long as it ends the one before
// (CONCURRENT_TRANSACTIONS), and how often a client asks again is a matter of time.
func lateVariant(name, about string, story lateStory) Variant {
	return Variant{
		Name: name, Kind: evidence.Promise,
		Settings:  transactionSettings("late-commit"),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true},
		BothViews: true, OneRecordPerBatch: true,
		About: func(Parameters) string { return about },
		Records: func(p Parameters, place partition.Func) []fault.Record {
			var records []fault.Record
			for _, m := range slices.Concat(story.first.messages, story.second.messages) {
				records = append(records, m.planned(place, p.PartitionsOf(1)))
			}
			return records
		},
		Run: story.run,
	}
}

// held is a rule that holds the request until a broker answers one of API until.
func held(what fault.Selector, until string) fault.Rule {
	return fault.Rule{Name: "hold", Action: fault.HoldRequest, Select: what, Until: until, Wait: heldAtMost}
}

func firstEndTxn() fault.Selector { return fault.Selector{API: "EndTxn", Nth: 1, Probability: 1} }

// lateEnd holds the end of transaction 1 until payment 2 is written. The program asks
// for the other end of transaction 2.
func lateEnd(late evidence.End, then string) Variant {
	story := lateStory{first: purchase(1, late), second: purchase(2, evidence.AskedAbort)}
	if late == evidence.AskedAbort {
		story.second.end = evidence.AskedCommit
	}
	writes := "payment 2 and then its receipt"
	if then == thenEnd {
		story.second.messages = story.second.messages[:1]
		writes = "payment 2 alone"
	}
	v := lateVariant(fmt.Sprintf("late=%s,then=%s", late, then), fmt.Sprintf(
		"Transaction 1 is to %s. The request is held, the client asks again and goes on. Transaction 2 has %s; the held request arrives when payment 2 is written; the program asks to %s.",
		late, writes, story.second.end), story)
	v.Plan = func(Parameters) fault.Plan { return fault.Plan{held(firstEndTxn(), "Produce")} }
	v.Checks = []evidence.Check{check(evidence.Torn, "==", 0), check(evidence.LostRecords, "==", 0), check(evidence.Visible, "==", evidence.CommittedRecords)}
	if late == evidence.AskedCommit {
		v.Claim = "nothing of transaction 2, which is aborted, is visible"
		v.Requires = []evidence.Check{check(evidence.Committed, ">", 0)}
	} else {
		v.Claim = "all of transaction 2 is visible if the client says committed"
		v.Requires = []evidence.Check{check(evidence.AbortedEnds, ">", 0)}
	}
	v.Conclude = concludeLate(lateEndAnswers(late))
	return v
}

// lateOfCommitted holds the request with payment 1 until transaction 1 is committed
// with all its markers, so that it arrives between the two transactions. What releases
// it is that another producer starts, which has nothing to do with it otherwise.
func lateOfCommitted() Variant {
	story := lateStory{
		first: purchase(1, evidence.AskedCommit), between: bystanderStarts, second: purchase(2, evidence.AskedCommit),
	}
	v := lateVariant("late=produce,of=committed",
		"The request with payment 1 is held, the client sends it again and commits. The held request arrives when all is written, before transaction 2 has begun.", story)
	v.NeedsKafka = "kfake keeps no mark of a write that it refused (docs/brokers.md, late-write-old)"
	v.Claim = "nothing is visible twice, and nothing but what the client says is committed"
	v.Plan = func(Parameters) fault.Plan {
		return fault.Plan{held(firstAttempt(story.first.messages[0]), "InitProducerId")}
	}
	v.Requires = []evidence.Check{check(evidence.Committed, ">", 0)}
	v.Checks = []evidence.Check{check(evidence.Visible, "==", evidence.CommittedRecords), check(evidence.LogRecords, "==", evidence.Unique)}
	v.Conclude = concludeLate(lateProduceAnswers)
	return v
}

// lateOfAborted holds the request with payment 1 until transaction 2 has begun: until
// its first partition is added, or written to by a client that adds none. The repetition
// is answered as if somebody had lowered the topic's limit meanwhile: libraries fail the
// record and live on.
func lateOfAborted(partition string) Variant {
	story := lateStory{first: purchase(1, evidence.AskedCommit), second: purchase(2, evidence.AskedCommit)}
	story.first.messages = story.first.messages[:1]
	writes := "a receipt alone"
	if partition == partitionIdle {
		story.second.messages = story.second.messages[1:]
	} else {
		writes = "payment 2 and its receipt"
	}
	v := lateVariant("late=produce,of=aborted,partition="+partition, fmt.Sprintf(
		"The request with payment 1 is held, the client sends it again and is refused, the program aborts. Transaction 2 writes %s; the held request arrives as soon as transaction 2 has its first partition.",
		writes), story)
	v.Claim = "a record of an aborted transaction is never visible, and keeps nothing open"
	v.Plan = func(Parameters) fault.Plan {
		payment := story.first.messages[0]
		again := firstAttempt(payment)
		again.Attempts = 2 // the first one is held already
		return fault.Plan{
			held(firstAttempt(payment), "AddPartitionsToTxn,Produce"),
			{Name: "refuse-the-next", Action: fault.AnswerInstead, Code: tooLarge.code, Select: again},
		}
	}
	v.Requires = []evidence.Check{check(evidence.FailedRecords, ">", 0)}
	v.Checks = []evidence.Check{check(evidence.AbortedSeen, "==", 0), check(evidence.Visible, "==", evidence.CommittedRecords), check(evidence.Torn, "==", 0)}
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent} // not visible, but it may stand there
	v.Conclude = concludeLate(lateProduceAnswers)
	return v
}

// lostEndAnswer: nothing comes late, the client repeats what was done already.
func lostEndAnswer() Variant {
	story := lateStory{first: purchase(1, evidence.AskedCommit), second: purchase(2, evidence.AskedAbort)}
	v := lateVariant("answer=lost",
		"Transaction 1 is committed, the answer gets lost, the client asks again and goes on. The program aborts transaction 2.", story)
	v.Claim = "transaction 1 is visible once, nothing of transaction 2 is"
	v.Plan = func(Parameters) fault.Plan {
		return fault.Plan{{Name: "lose-answer", Action: fault.DropResponse, Select: firstEndTxn()}}
	}
	v.Requires = []evidence.Check{check(evidence.Committed, ">", 0), check(evidence.AbortedEnds, ">", 0)}
	v.Checks = []evidence.Check{check(evidence.Visible, "==", evidence.CommittedRecords), check(evidence.Torn, "==", 0)}
	v.Conclude = concludeLate(nil)
	return v
}

// aMomentLater is when the held commit of a client that is gone arrives; what the
// client sends meanwhile is lost, so that it matters to nobody how long that is.
const aMomentLater = 200 * time.Millisecond

// lateOfTheGone is the control: the held request is a whole one, and does its work if
// nothing has overtaken it.
func lateOfTheGone() Variant {
	story := lateStory{first: purchase(1, evidence.AskedCommit)}
	v := lateVariant("client=gone,late=commit",
		"The commit of transaction 1 is held, every repetition of it is lost, and the client gives up. Then the held request arrives.", story)
	v.Kind = evidence.Control
	v.Claim = "a late commit commits, though the client could not say that it did"
	v.Plan = func(Parameters) fault.Plan {
		return fault.Plan{
			{Name: "hold", Action: fault.HoldRequest, Wait: aMomentLater, Select: firstEndTxn()},
			{Name: "lose-the-others", Action: fault.DropRequest, Select: fault.Selector{API: "EndTxn", Probability: 1}},
		}
	}
	v.Checks = []evidence.Check{check(evidence.Committed, "==", 0), check(evidence.Visible, "==", evidence.Intended)}
	v.Conclude = concludeLate(lateEndAnswers(evidence.AskedCommit))
	v.Run = story.runAndGiveUp
	return v
}
