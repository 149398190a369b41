package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// gracefulShutdown is the story of programs that end: too early, on request, or
// killed. Its clients run as processes of their own, which get real signals.
func gracefulShutdown() Scenario {
	return Scenario{
		Name:    "graceful-shutdown",
		Summary: "a program ends, by itself or by a signal: what is lost, what is silent, how long does it take?",
		Story: `Each client runs as a process of its own, which really ends: its main function returns,
or it gets SIGTERM or SIGKILL. What it did not say before its end nobody knows.

end=... hands over payments that linger, and ends. Without a flush none of them is
written; the one in the log is another program's. A process that returns at once hears
nothing from any library. One that calls its library's own close first hears of each
payment from franz-go (ErrClientClosed), if it stays for a moment: kgo.Client.Close
returns while its promises are still being called, so that a program which ends right
after it hears of some, or of none. From librdkafka it hears nothing: the binding closes
its channel of reports (kafka.Producer.Close), and then rd_kafka_destroy throws away what
is queued. All that it leaves is a line on stderr, and with go.logs.channel.enable not
even that. A flush before the close is the cure, for both. With a deadline it is half of
one: the broker has written, and the program gives up before it hears so. franz-go says
of each record that it was closed, librdkafka nothing; neither means that it is not
there. Look at "failed, yet in the log" and at "unknown".

signal=... stops a program in the middle of a transaction. Without a handler, or by
SIGKILL, the transaction stays open. Nothing of it becomes visible, but readers under
read_committed stand still before it until its timeout, or until the next instance
with the same transactional.id starts (InitProducerId, KIP-98). A handler that aborts,
or commits, leaves nothing open. end=close,transaction=open shows what a library's own
close does with an open transaction; on the wire it would be an EndTxn.

member=... is a consumer in a group of two. Its close sends LeaveGroup, and the other
member has its partitions as soon as it hears of it. Without it the coordinator waits
for the session timeout.`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}, {Role: refunds, Partitions: 1}},
		Variants: []Variant{
			endReturn(), endClose(), endFlushed(), endDeadline(),
			termUnhandled(), termAborted(), termCommitted(), killed(),
			closedInTransaction(),
			memberLeaves(), memberVanishes(),
		},
	}
}

// lingerFor keeps payments in the client for far longer than a program takes to hand
// them over and to end.
const lingerFor = "10000" // linger.ms

// listening is how long a program goes on after a close that may still report: as long
// as it takes to hear of a thousand records on a busy machine.
const listening = 3 * time.Second

// othersWrite is a payment that another program has written, so that there is a log to hold
// the others against: one that ends at once may never have connected. The program
// itself flushes nothing before: librdkafka 2.11.1 was seen, on a busy machine, to send
// records at once that are handed over just after a flush, whatever linger.ms says.
const othersWrite = 0

// endsBy is a program that produces payments and ends.
func endsBy(name string, count func(Parameters) int, verbs ...verb) Variant {
	return Variant{
		Name: name, Processes: true,
		Settings: map[string]string{"acks": "all", "enable.idempotence": "true"},
		Wants:    map[string]string{"linger.ms": lingerFor, "delivery.timeout.ms": "60000"},
		Needs:    drivers.Abilities{Idempotence: true, PlainClose: slices.Contains(verbs, closePlainly)},
		Plan:     noFaults,
		Records: func(p Parameters, place partition.Func) []fault.Record {
			return firstPayments(p, place, paymentsPartitions, count(p))
		},
		Run: func(ctx context.Context, s *Stage) error {
			if err := s.writeFirst(ctx, payment(othersWrite)); err != nil {
				return err
			}
			return runToEnd(ctx, s, script{From: othersWrite + 1, To: count(s.Parameters), Verbs: verbs, ListenMS: listening.Milliseconds()})
		},
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return []evidence.Answer{{Question: askedHeard, Answer: heard(lingered(o.Sends))}}
		},
	}
}

func (s *Stage) writeFirst(ctx context.Context, m Message) error {
	other, err := s.NewProducer("other program", Setting{"linger.ms", "0"})
	if err != nil {
		return err
	}
	other.Send(ctx, m)
	return other.Wait(ctx)
}

// The questions that several variants answer.
const (
	askedEnd       = "how the process ended"
	askedHeard     = "what it heard of its records"
	askedSignalled = "signal to end of process"
)

const (
	endedWell = "exit status 0"
	theOne    = "program" // who plays alone

	programClient = "kcompare-program" // its client.id
)

// manyPayments is 1000 by default, as in case F01, and few enough for one batch of
// each partition, so that only the linger sends them.
func manyPayments(p Parameters) int { return min(5*p.Messages, 5000) }

// runToEnd plays a program that ends by itself.
func runToEnd(ctx context.Context, s *Stage, p script) error {
	c, err := s.start(ctx, theOne, p, Setting{"client.id", programClient})
	if err != nil {
		return err
	}
	ended, err := c.Ended(ctx)
	if err != nil {
		return err
	}
	gone := s.Elapsed()
	s.Answer(evidence.Answer{Question: askedEnd, Answer: ended, Expected: endedWell})
	last := p.Verbs[len(p.Verbs)-1]
	if it, err := c.Did(ctx, closePlainly); err == nil {
		s.Answer(measured("reports when its close returned", fmt.Sprint(it.reported)))
	}
	if it, err := c.Did(ctx, last); err == nil {
		s.Answer(measured("last step to end of process", millis(gone-it.at)))
	}
	return nil
}

// lingered leaves out the first record, which another program wrote.
func lingered(sends []evidence.Send) []evidence.Send {
	return slices.DeleteFunc(slices.Clone(sends), func(s evidence.Send) bool { return s.ID.N == othersWrite })
}

// heard is what a program was told of its records: "nothing", "all acked", "all
// failed: ErrClientClosed", or how many of each.
func heard(sends []evidence.Send) string {
	counts, order := map[string]int{}, []string{}
	for _, s := range sends {
		said := nothing
		switch {
		case s.Outcome == evidence.OutcomeFailed && s.Error != nil:
			said = "failed: " + s.Error.Code
		case s.Outcome != evidence.OutcomeUnknown:
			said = string(s.Outcome)
		}
		if counts[said]++; counts[said] == 1 {
			order = append(order, said)
		}
	}
	if len(order) == 1 && order[0] == nothing {
		return nothing
	}
	if len(order) == 1 {
		return "all " + order[0]
	}
	for i, said := range order {
		order[i] = fmt.Sprintf("%d %s", counts[said], said)
	}
	return strings.Join(order, ", ")
}

func endReturn() Variant {
	v := endsBy("end=return", manyPayments, produce)
	v.Kind = evidence.Control
	v.Claim = "what lingers is not written, and nobody hears of it"
	v.Checks = append(onlyTheFirst(), check(evidence.FailedRecords, "==", 0))
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, the first one written by another program, the others all handed over at once; the program ends without a flush or a close.", plural(manyPayments(p), "payment"))
	}
	return v
}

// onlyTheFirst stands in the log, and no other payment was said to.
func onlyTheFirst() []evidence.Check {
	return []evidence.Check{check(evidence.LogRecords, "==", 1), check(evidence.Acked, "==", 1)}
}

func endClose() Variant {
	v := endsBy("end=close", manyPayments, produce, closePlainly, listen)
	v.Kind = evidence.Control
	v.Claim = "what lingers is not written"
	v.Checks = onlyTheFirst()
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, the first one written by another program, the others all handed over at once; the program calls its library's close without a flush before it.", plural(manyPayments(p), "payment"))
	}
	return v
}

func endFlushed() Variant {
	v := endsBy("end=flush-then-close", manyPayments, produce, flush, closePlainly)
	v.Kind = evidence.Promise
	v.Claim = "each payment is written and reported before the program ends"
	v.Checks = []evidence.Check{
		check(evidence.Acked, "==", evidence.Intended),
		check(evidence.LogRecords, "==", evidence.Intended),
		check(evidence.Unique, "==", evidence.Intended),
	}
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, the first one written by another program, the others all handed over at once; the program flushes, and closes.", plural(manyPayments(p), "payment"))
	}
	return v
}

// refundsOf: they go to a topic of one partition, so that all of them are in one
// request, or at least on one connection: where that is stalled none is answered.
func refundsOf(p Parameters) int { return max(2, min(p.share(4), 1000)) }

// flushing is enough for a client to get everything out on a busy machine.
const flushing = 3 * time.Second

func endDeadline() Variant {
	verbs := []verb{produceRefunds, flush, closePlainly, listen}
	v := endsBy("end=flush-deadline", refundsOf, verbs...)
	v.Kind = evidence.Observation
	v.Claim = "the flush ends at its deadline: what is told of the refunds that the broker has written?"
	v.Requires = []evidence.Check{check(evidence.LogRecords, ">", 1)}
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent}
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, the first one written by another program, the others all handed over at once; the broker writes them and its answers do not come. The program flushes for %v, closes and ends.",
			plural(refundsOf(p), "refund"), flushing)
	}
	v.Plan = func(Parameters) fault.Plan {
		return fault.Plan{{Name: "no-answer", Action: fault.Stall, Select: fault.Selector{
			API: "Produce", Client: programClient, Role: refunds, Nth: 1, Probability: 1,
		}}}
	}
	v.Records = func(p Parameters, place partition.Func) []fault.Record {
		var records []fault.Record
		for n := range refundsOf(p) {
			records = append(records, refund(n).planned(place, p.PartitionsOf(1)))
		}
		return records
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		if err := s.writeFirst(ctx, refund(othersWrite)); err != nil {
			return err
		}
		return runToEnd(ctx, s, script{
			From: othersWrite + 1, To: refundsOf(s.Parameters), FlushMS: flushing.Milliseconds(), ListenMS: listening.Milliseconds(),
			Verbs: verbs,
		})
	}
	return v
}
