package scenario

import (
	"context"
	"fmt"
	"strconv"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// atLeastOnce is the story of payments that must not get lost and may come twice:
// whatever is not answered is sent again.
func atLeastOnce() Scenario {
	return Scenario{
		Name:    "at-least-once",
		Core:    true,
		Summary: "whatever is not answered is sent again: is anything lost that the client said was written?",
		Story: `Idempotence is off. Some requests are lost before the broker, some answers after it
has written; the client cannot tell one from the other and sends the record again.

With acks=all nothing that was acknowledged may be missing in the log. Each lost
answer leaves a duplicate, each lost request leaves none: look at "duplicates"
beside the answers and requests that were lost. This is what a consumer has to cope
with that reads the topic of such a program.

With sends=concurrent all payments are handed over at once, and a lost connection takes what
else is in flight with it: what is sent again then may also come behind what was sent
later. "reordered" is no broken promise here.

flush=each loses nothing on purpose. Its program waits for a flush after each payment, and
then sends as many again with one flush at the end: look at the two times. A flush costs
what a round trip costs, and whatever a client would have put into one batch goes
alone. confluent-kafka-go's Flush moreover sits out its step of up to 100 ms (50 ms here) for
a report that somebody else took meanwhile. The times are those of this machine.

The control is the same program with acks=0. Its requests get lost just the same,
and since it does not wait for answers there is nothing that would make it send
again: records are missing that were reported as written.`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: []Variant{
			{
				Name: "acks=all", Kind: evidence.Promise,
				Claim:    "nothing that was acknowledged is lost; duplicates are allowed",
				Settings: map[string]string{"acks": "all", "enable.idempotence": "false"},
				Checks: []evidence.Check{
					check(evidence.LostRecords, "==", 0),
					check(evidence.Unique, ">=", evidence.Acked),
				},
				Requires:          []evidence.Check{check(evidence.Acked, ">", 0)},
				Allowed:           []evidence.AnomalyKind{evidence.Duplicate, evidence.FailedButPresent},
				OneRecordPerBatch: true, Repeats: true,
				About: func(p Parameters) string {
					return fmt.Sprintf("%s, one at a time; %g %% of the requests get lost before the broker, and as many of the answers after it has written.", plural(p.Messages, "payment"), p.DropRate*50)
				},
				Plan:    loseEither,
				Records: paymentRecords,
				Run:     sendOneByOne,
			},
			allAtOnce(),
			flushEach(),
			withoutAcks(evidence.Control, "without answers something is lost", check(evidence.LostRecords, ">", 0)),
		},
	}
}

// allAtOnce aims at first attempts only, as the concurrent variants of idempotent do, and
// with one rule: where a request has records of several partitions, a second rule would
// not come to those that are planned for it.
func allAtOnce() Variant {
	return Variant{
		Name: "acks=all,sends=concurrent", Kind: evidence.Promise,
		Claim:    "nothing that was acknowledged is lost; duplicates and another order are allowed",
		Settings: map[string]string{"acks": "all", "enable.idempotence": "false"},
		Checks: []evidence.Check{
			check(evidence.LostRecords, "==", 0),
			check(evidence.Unique, ">=", evidence.Acked),
		},
		Requires:          []evidence.Check{check(evidence.Acked, ">", 0)},
		Allowed:           []evidence.AnomalyKind{evidence.Duplicate, evidence.Reordered, evidence.FailedButPresent},
		OneRecordPerBatch: true,
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, all handed over at once; for %g %% of them the first request gets lost before the broker, and with its connection the answers to what is in flight.", plural(p.Messages, "payment"), p.DropRate*100)
		},
		Plan:       loseUnansweredRequests,
		FewRetries: func(v Variant, _ int) Variant { return aimedAtOne(v) },
		Records:    paymentRecords,
		Run:        func(ctx context.Context, s *Stage) error { return sendPayments(ctx, s, concurrent) },
	}
}

// aimedAtOne loses the answer to one payment half way, and to nothing else: a payment that
// uses up its retries may take others with it that were not sent yet.
func aimedAtOne(v Variant) Variant {
	v.Plan = func(p Parameters) fault.Plan {
		return fault.Plan{{Name: "lose-answer", Action: fault.DropResponse, Select: firstAttempt(payment(p.Messages / 2))}}
	}
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, all handed over at once; the answer to one of them gets lost after the broker has written.", plural(p.Messages, "payment"))
	}
	return v
}

// loseEither loses a request or its answer, each half as often as asked for. An answer
// is at risk only where the request was spared.
func loseEither(p Parameters) fault.Plan {
	requests, answers := p, p
	requests.DropRate = p.DropRate / 2
	answers.DropRate = requests.DropRate / (1 - requests.DropRate)
	return append(fault.Plan{loseRequests(requests)}, loseAnswers(answers, sequential)...)
}

// flushEach is case G03: what it costs to flush after every message.
func flushEach() Variant {
	v := Variant{
		Name: "flush=each", Kind: evidence.Observation,
		Claim:    "what a flush after every payment costs, beside one flush for as many",
		Settings: map[string]string{"acks": "all", "enable.idempotence": "false", "linger.ms": "5"},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s with a flush after each, then as many with one flush at the end. Nothing is lost on purpose.", plural(p.Messages, "payment"))
		},
		Plan: noFaults,
		Records: func(p Parameters, place partition.Func) []fault.Record {
			p.Messages *= 2
			return paymentRecords(p, place)
		},
		Run:      sendAndFlush,
		Conclude: flushedBatches,
	}
	return scaled(v, 4, 1)
}

func sendAndFlush(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	begin, n := s.Elapsed(), 0
	for ; n < s.Parameters.Messages; n++ {
		p.Send(ctx, payment(n))
		if err := p.Flush(ctx); err != nil {
			return err
		}
	}
	middle := s.Elapsed()
	for ; n < 2*s.Parameters.Messages; n++ {
		p.Send(ctx, payment(n))
	}
	err = p.Flush(ctx)
	s.Answer(measured("time, flush after each", millis(middle-begin)))
	s.Answer(measured("time, one flush at the end", millis(s.Elapsed()-middle)))
	return err
}

// flushedBatches counts the batches of each half of the payments.
func flushedBatches(o *evidence.Observed) []evidence.Answer {
	each, once := 0, 0
	for _, e := range o.Trace.Exchanges {
		for _, b := range e.Batches {
			if len(b.IDs) > 0 && b.IDs[0].N >= int(o.Intended)/2 {
				once++
			} else {
				each++
			}
		}
	}
	return []evidence.Answer{
		{Question: "batches, flush after each", Answer: strconv.Itoa(each)},
		measured("batches, one flush at the end", strconv.Itoa(once)),
	}
}
