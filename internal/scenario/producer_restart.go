package scenario

import (
	"context"
	"fmt"
	"slices"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// producerRestart is the story of a program that ends while an answer is outstanding,
// and of the next session, which has to decide what to send again.
func producerRestart() Scenario {
	return Scenario{
		Name:    "producer-restart",
		Summary: "the program ends before an answer comes, and starts again: what does it send twice?",
		Story: `The payment service writes a payment, the broker appends it, and before the answer comes
the process ends. The next session does not know what became of it. To be safe it sends
it again.

With plain idempotence each session gets a producer id of its own (InitProducerId,
KIP-98). For the broker the second copy comes from another producer, so both stand: one
duplicate for each record without a report. "acks=all with idempotence" is not exactly
once; it is once per session. producer=idempotent is the control.

With a transactional.id the producer id stays and the epoch grows. InitProducerId of the
new session aborts what the old one had open, so a payment that was written and not
committed is never seen, and may be written again (producer=transactional).

That leaves the commit itself. If its answer is lost, the transaction may be committed
or not, and no call of the producer tells which. A program that sends the payment again
doubles it (commit=unanswered,position=none, a control). The way out is to let the
transaction itself tell: it contains the position of the program, an offset of its
consumer group (SendOffsets). Payment and position are committed together or not at all.
After InitProducerId, which ends whatever was open, the new session asks for the
position and goes on from there (commit=unanswered,position=in-transaction).

With sends=concurrent all payments are on their way when the program ends, and the new session
sends again whatever it has no report of, written or not.

sends=twice and producers=two are what idempotence never meant to cover: a program that sends the same
key and value twice (sends=twice), and two producers that send it once each
(producers=two). Two records, and no fault of the library: look at the causes, and at
the answer what the copies differ in.

Look at "duplicates" beside "unknown", and at producer ids and epochs among the answers.
Which epoch it is differs from broker to broker (docs/brokers.md, init-over-open); that
it grows does not. franz-go v1.22.3 and librdkafka 2.11.1 were seen to do the same in
all of these; they differ in how long the end of a session takes while an answer is
outstanding (librdkafka's commit cannot be interrupted).`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: []Variant{
			restartedIdempotent(),
			restartedTransactional(),
			restartedUnanswered(false),
			restartedUnanswered(true),
			sentTwice(),
			sentByTwo(),
			burstIdempotent(),
			burstTransactional(),
		},
	}
}

// restartPayments is how many the variants write. Each death costs a session, and
// librdkafka takes up to a second to end with an answer outstanding.
func restartPayments(p Parameters) int { return max(10, p.share(20)) }

func restartRecords(p Parameters, place partition.Func) []fault.Record {
	return firstPayments(p, place, paymentsPartitions, restartPayments(p))
}

// silentBroker takes answers to writes away and leaves the connection up, so that the
// client waits and has no reason to try again before its process ends. One write is
// always among them, whatever the seed.
func silentBroker(p Parameters) fault.Plan {
	return fault.Plan{silentWrite(4), {
		Name: "no-answer", Action: fault.Stall,
		Select: fault.Selector{API: "Produce", Role: payments, Probability: p.DropRate},
	}}
}

func silentWrite(n int) fault.Rule {
	return fault.Rule{Name: fmt.Sprintf("no-answer-to-payment-%d", n), Action: fault.Stall, Select: firstAttempt(payment(n))}
}

func restartedIdempotent() Variant {
	return Variant{
		Name: "producer=idempotent", Kind: evidence.Control,
		Claim:    "each record without a report is sent again by the next session, and then stands twice",
		Settings: map[string]string{"acks": "all", "enable.idempotence": "true"},
		Needs:    drivers.Abilities{Idempotence: true},
		Checks: []evidence.Check{
			check(evidence.Duplicates, "==", evidence.UnknownRecords),
			check(evidence.Duplicates, "==", evidence.ResponsesDropped),
			check(evidence.Unique, "==", evidence.Intended),
		},
		Requires: []evidence.Check{check(evidence.UnknownRecords, ">", 0)},
		Allowed:  []evidence.AnomalyKind{evidence.Duplicate},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, one at a time. Of one write and of %g %% of the others no answer comes, and the program ends; a new session sends that payment again.",
				plural(restartPayments(p), "payment"), p.DropRate*100)
		},
		Plan:              silentBroker,
		OneRecordPerBatch: true, Repeats: true,
		Records: restartRecords,
		Run:     restartPlain,
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return append(sessionAnswers(o, "a new producer id", ""), copiesDifferIn(o, otherProducer))
		},
	}
}

func restartPlain(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	for n := 0; err == nil && n < restartPayments(s.Parameters); {
		var lost bool
		if lost, err = p.pays(ctx, payment(n)); lost {
			p.Crash()
			p, err = s.NewProducer("")
		} else {
			n++
		}
	}
	return err
}

// pays sends a payment and waits for its report; lost says that there will be none.
func (p *Producer) pays(ctx context.Context, m Message) (lost bool, err error) {
	p.Send(ctx, m)
	return p.UntilLost(ctx, p.sentLast(m), p.Wait)
}

// sentLast is a condition for the requests with the last send of the producer.
func (p *Producer) sentLast(m Message) func(evidence.Exchange) bool {
	id := evidence.SendID{Instance: p.instance, Ordinal: p.sent - 1, Sum: evidence.Checksum(m.Key, m.Value, m.ID)}
	return func(e evidence.Exchange) bool {
		return slices.ContainsFunc(e.Batches, func(b evidence.TraceBatch) bool { return slices.Contains(b.Sends, id) })
	}
}

func restartedTransactional() Variant {
	return Variant{
		Name: "producer=transactional", Kind: evidence.Promise,
		Claim:     "what a session has written and not committed is aborted by the next one, and each payment is visible once",
		Settings:  transactionSettings("payment-service"),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true},
		BothViews: true,
		Checks: []evidence.Check{
			check(evidence.Visible, "==", evidence.Intended),
			check(evidence.Unique, "==", evidence.Intended),
			check(evidence.Duplicates, "==", evidence.AbortedRecords),
		},
		Requires: []evidence.Check{
			check(evidence.AbortedRecords, ">", 0),
			check(evidence.Undecided, "==", evidence.ResponsesDropped), // every commit was answered
		},
		Allowed: []evidence.AnomalyKind{evidence.Duplicate},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, one transaction each. Of one write and of %g %% of the others no answer comes, and the program ends; a new session with the same transactional.id writes that payment again.",
				plural(restartPayments(p), "payment"), p.DropRate*100)
		},
		Plan:              silentBroker,
		OneRecordPerBatch: true, Repeats: true,
		Records: restartRecords,
		Run: func(ctx context.Context, s *Stage) error {
			return (&restartPayer{stage: s}).payAll(ctx)
		},
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return append(sessionAnswers(o, "the same producer id", "grows"), copiesDifferIn(o, ""))
		},
	}
}

// restartedUnanswered loses answers to commits. With a position it also loses answers
// to writes: the next session has to tell the two apart.
func restartedUnanswered(position bool) Variant {
	v := Variant{
		Name: "commit=unanswered,position=none", Kind: evidence.Control,
		Claim:     "a session that cannot know whether the last commit was done sends the payment again, and it is visible twice",
		Settings:  transactionSettings("payment-service"),
		Needs:     drivers.Abilities{Idempotence: true, Transactions: true},
		BothViews: true,
		Checks: []evidence.Check{
			check(evidence.Duplicates, "==", evidence.Undecided),
			check(evidence.Visible, "==", evidence.LogRecords),
			check(evidence.Unique, "==", evidence.Intended),
		},
		Requires:          []evidence.Check{check(evidence.Undecided, ">", 0)},
		Allowed:           []evidence.AnomalyKind{evidence.Duplicate},
		About:             func(p Parameters) string { return aboutUnanswered(p, 0) + " A new session sends that payment again." },
		Plan:              func(Parameters) fault.Plan { return silentCommits() },
		Records:           restartRecords,
		OneRecordPerBatch: true, Repeats: true,
		Run: func(ctx context.Context, s *Stage) error {
			return (&restartPayer{stage: s}).payAll(ctx)
		},
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return append(sessionAnswers(o, "the same producer id", "grows"), copiesDifferIn(o, ""))
		},
	}
	if !position {
		return v
	}
	v.Name, v.Kind = "commit=unanswered,position=in-transaction", evidence.Promise
	v.Claim = "a session that finds its position in the last transaction knows what was committed, and each payment is visible once"
	v.Needs.Groups, v.Consuming = true, map[string]string{"group.id": "kcompare-payment-service"}
	v.Checks = []evidence.Check{
		check(evidence.Visible, "==", evidence.Intended),
		check(evidence.Unique, "==", evidence.Intended),
		check(evidence.Duplicates, "==", evidence.AbortedRecords),
	}
	v.About = func(p Parameters) string {
		return aboutUnanswered(p, len(silentWrites())) + " Each transaction has the number of the next payment as an offset of the program's group, and a new session goes on from there."
	}
	v.Plan = func(Parameters) fault.Plan { return append(silentCommits(), silentWrites()...) }
	v.Run = func(ctx context.Context, s *Stage) error {
		return (&restartPayer{stage: s, remembers: true}).payAll(ctx)
	}
	return v
}

func aboutUnanswered(p Parameters, writes int) string {
	lost := fmt.Sprintf("%d commits", len(silentCommits()))
	if writes > 0 {
		lost += fmt.Sprintf(" and %d writes", writes)
	}
	return fmt.Sprintf("%s, one transaction each. %s are done and never answered, and the program ends.", plural(restartPayments(p), "payment"), lost)
}

// silentCommits are some of the first ten, of which there is one for each payment.
func silentCommits() fault.Plan {
	var plan fault.Plan
	for _, nth := range []int{2, 5, 8} {
		plan = append(plan, fault.Rule{
			Name: fmt.Sprintf("no-answer-to-commit-%d", nth), Action: fault.Stall,
			Select: fault.Selector{API: "EndTxn", End: "commit", Nth: nth, Probability: 1},
		})
	}
	return plan
}

// silentWrites are of payments whose commits are answered.
func silentWrites() fault.Plan { return fault.Plan{silentWrite(3), silentWrite(6)} }

func sentTwice() Variant {
	v := doubled("sends=twice", "what the program sends twice is written twice, idempotence or not", sameProducer)
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, each handed over twice by the same producer, with the same key and value.", plural(restartPayments(p), "payment"))
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		p, err := s.NewProducer("")
		if err != nil {
			return err
		}
		return payTwice(ctx, restartPayments(s.Parameters), p, p)
	}
	return v
}

func sentByTwo() Variant {
	v := doubled("producers=two", "what two producers send once each is written twice, idempotence or not", otherProducer)
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, each handed over once by each of two producers, with the same key and value.", plural(restartPayments(p), "payment"))
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		one, err := s.NewProducer("first producer")
		if err != nil {
			return err
		}
		two, err := s.NewProducer("second producer")
		if err != nil {
			return err
		}
		return payTwice(ctx, restartPayments(s.Parameters), one, two)
	}
	return v
}

// doubled is a payment that was sent twice by somebody who could have known.
func doubled(name, claim, copies string) Variant {
	return Variant{
		Name: name, Kind: evidence.Control, Claim: claim,
		Settings: map[string]string{"acks": "all", "enable.idempotence": "true"},
		Needs:    drivers.Abilities{Idempotence: true},
		Checks: []evidence.Check{
			check(evidence.Duplicates, "==", evidence.Intended),
			check(evidence.LogRecords, "==", evidence.Acked),
			check(evidence.Unique, "==", evidence.Intended),
		},
		Allowed: []evidence.AnomalyKind{evidence.Duplicate},
		Plan:    noFaults, Repeats: true,
		Records:  restartRecords,
		Conclude: func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{copiesDifferIn(o, copies)} },
	}
}

func payTwice(ctx context.Context, count int, first, second *Producer) error {
	for n := range count {
		for _, p := range []*Producer{first, second} {
			p.Send(ctx, payment(n))
			if err := p.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
