package scenario

import (
	"fmt"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// sequence is the rules by which a broker tells a repetition from something new: what
// producer id, epoch and sequence in the header of a batch do. Most of it is asked with
// batches made by hand (sequence_by_hand.go), because no library breaks the rules on
// purpose; the rest with the library's own (sequence_library.go, sequence_lies.go).
func sequence() Scenario {
	return Scenario{
		Name:    "sequence",
		Summary: "batches with the sequence numbers that they should and should not have: what is the client told, and what is in the log?",
		Story: `A batch of an idempotent producer carries a producer id, an epoch, and the sequence
number of its first record (KIP-98). Numbers start at 0 in each partition and count
records. The broker remembers the last five batches of each producer and partition.

Most variants send batches made by hand, so that each number is the story's own choice.
They look at the broker, not at a library, and need a driver that can send such a
batch: franz-go can, as a request over its connections; librdkafka has no way to.
  - the next number is accepted, a number left out is refused with
    OUT_OF_ORDER_SEQUENCE_NUMBER
  - a batch that comes again is answered as written, with the offset of its first copy,
    and not appended. The broker never says DUPLICATE_SEQUENCE_NUMBER to a client that is
    within the last five batches. What is older is refused as out of order, and so is a
    batch that has only some of the records of an earlier one
  - the value is not compared. Another record under a number that was used is
    acknowledged and dropped: the control, and what a client does that gives a number
    out twice (transactional abort=unanswered)
  - an older epoch is refused with INVALID_PRODUCER_EPOCH; a new one starts at 0
  - acks=all is a rule of the clients. The broker takes such batches with acks=1 and
    acks=0 too, and recognises repetitions
Look at the answers. Source: ProducerAppendInfo.java, ProducerStateEntry.java in
storage/src/main/java/org/apache/kafka/storage/internals/log.

batch=library looks at what the library itself puts into its headers, and what it is
told when it sends a batch again.

ack=lies: the broker never gets a batch, and the client is told that it was written. With
idempotence the next batch leaves a gap, and the broker refuses it. What the library
makes of that differs: franz-go v1.22.3 raises the epoch by itself, starts again at 0
and goes on, and tells the program nothing; librdkafka 2.11.1 becomes fatal. Without
idempotence, the control, nobody ever notices. Look at "lost" in both.

broker=restarted: after a restart the node knows the last batch of each producer and no
other, because the snapshot has no more. batch=library,broker=restarted shows what that
means with several batches in flight. On one node of Apache Kafka 4.4.0 the first of them,
sent again, is refused as out of order; franz-go v1.22.3 then raises the epoch and writes
all of them a second time, and tells the program nothing; librdkafka 2.11.1 was not seen to,
and sometimes reports one as failed that is there. On three nodes another one leads, which
knows them all.

Variants that the embedded broker answers otherwise (docs/brokers.md) or cannot play
need --broker=kafka.`,
		Topics:   []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: append(handmadeVariants(), libraryBatches(), restartedInFlight(), lyingAck(true), lyingAck(false)),
	}
}

// oneCustomer is the nth payment of one customer, all of which go to one partition.
func oneCustomer(n int) Message {
	m := payment(n)
	m.Key = []byte("customer-42")
	return m
}

// oneCustomerRecords are the payments with these numbers.
func oneCustomerRecords(numbers []int) func(Parameters, partition.Func) []fault.Record {
	return func(p Parameters, place partition.Func) []fault.Record {
		var records []fault.Record
		for _, n := range numbers {
			records = append(records, oneCustomer(n).planned(place, p.PartitionsOf(paymentsPartitions)))
		}
		return records
	}
}

// What else answers say than a code or an offset.
const (
	saysNothing = "no answer asked for"
	emptyLog    = "nothing"
)

// saysOK is an answer without an error.
func saysOK(offset int64) string { return fmt.Sprintf("ok at %d", offset) }

// paymentsInLog is the question what stands in the log in the end, answered by the numbers of
// the payments in the order of their offsets.
func paymentsInLog(o *evidence.Observed, expected string) evidence.Answer {
	stands := ""
	for _, p := range o.Log.Partitions {
		for _, b := range p.Batches {
			for _, r := range b.Records {
				stands += fmt.Sprintf(" %d", r.ID.N)
			}
		}
	}
	if stands == "" {
		stands = " " + emptyLog
	}
	return evidence.Answer{Question: "payments in the log", Answer: stands[1:], Expected: expected}
}
