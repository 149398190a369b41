package scenario

import (
	"context"
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// idempotent is the story of a coffee shop's payments: the broker writes one,
// the answer gets lost, the client sends it again.
func idempotent() Scenario {
	return Scenario{
		Name:    "idempotent",
		Core:    true,
		Summary: "answers to Produce get lost after the broker has written; is a payment ever in the log twice?",
		Story: `A payment service sends payment-0000, payment-0001, ... with the order's number as key.
For some of them the broker appends the record and its answer is lost: the proxy
swallows it and closes the connection. The client cannot know that the record is
there, so it sends it again.

With enable.idempotence=true each batch carries a producer id, an epoch and a
sequence number (KIP-98). The broker knows the last five batches of a producer
and partition; it answers a repetition with the offset of the first copy and
appends nothing. Without idempotence the repetition is one more record.

Look at the answers lost beside "duplicates". In the sequential variants one record
is on its way at a time, so that each has its own chain of attempts, and the
planned faults are the same for every client. In the concurrent variants all
records are handed over at once and up to five requests are in flight: closing a
connection then also loses answers that no fault was aimed at ("collateral").

With retries=1 a payment whose answers are lost twice is given up. It is in the log all
the same, under a sequence number that the broker will not take again: a client that
gives the number to the next payment loses that one, and is told that it was written.
franz-go gives nothing up that may be in the log unless it is allowed to
(AllowIdempotentProduceCancellation), which it is here.

With leader=moved and leader=killed no answer is lost on purpose: the brokers change.
What was in flight is answered NOT_LEADER_OR_FOLLOWER, or not at all, and the client
has to find the new leader and send again, with the same sequence numbers.

What to look at in the concurrent control: franz-go sometimes sends a payment again
whose answer it already had, when one before it in the same partition failed; the
causes say so. librdkafka was not seen to.`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: []Variant{
			idempotentVariant(true, sequential),
			idempotentVariant(true, concurrent),
			idempotentVariant(false, sequential),
			idempotentVariant(false, concurrent),
			limitedRetries(sequential),
			limitedRetries(concurrent),
			leaderMoved(),
			leaderKilled(),
		},
	}
}

// sends says how records are handed to the client.
type sends string

const (
	sequential sends = "sequential" // the next one after the report on the last
	concurrent sends = "concurrent" // all at once
)

func idempotentVariant(idempotence bool, how sends) Variant {
	v := Variant{
		Name:              fmt.Sprintf("enable.idempotence=%t,sends=%s", idempotence, how),
		Settings:          map[string]string{"enable.idempotence": fmt.Sprint(idempotence)},
		OneRecordPerBatch: true,
		Repeats:           how == sequential,
		About:             func(p Parameters) string { return aboutLostAnswers(p, how) },
		Plan:              func(p Parameters) fault.Plan { return loseAnswers(p, how) },
		Records:           paymentRecords,
		Run:               func(ctx context.Context, s *Stage) error { return sendPayments(ctx, s, how) },
	}
	if idempotence {
		v.Kind, v.Needs = evidence.Promise, drivers.Abilities{Idempotence: true}
		v.Claim = "each payment stands in the log once, in order"
		v.Checks = []evidence.Check{
			check(evidence.LogRecords, "==", evidence.Intended),
			check(evidence.Unique, "==", evidence.Intended),
		}
	} else {
		v.Kind = evidence.Control
		v.Claim, v.Checks = withoutIdempotence(how)
	}
	// A record that the client gave up on, and said so, may be there or not. It has
	// a lost answer, its last, that no further attempt came after.
	v.Requires = []evidence.Check{check(evidence.Acked, "==", evidence.Intended)}
	v.Allowed = allowedAnomalies(idempotence, how)
	v.FewRetries = func(v Variant, retries int) Variant { return withFewRetries(v, how, retries) }
	return v
}

func withoutIdempotence(how sends) (claim string, checks []evidence.Check) {
	complete := check(evidence.Unique, "==", evidence.Intended)
	if how == sequential {
		return "each lost answer leaves one duplicate",
			[]evidence.Check{complete, check(evidence.Duplicates, "==", evidence.ResponsesDropped)}
	}
	return "lost answers leave duplicates",
		[]evidence.Check{complete, check(evidence.Duplicates, ">", 0)}
}

// allowedAnomalies: a client may give up on a record whose answers were all
// lost, and say so; that breaks no promise of idempotence.
func allowedAnomalies(idempotence bool, how sends) []evidence.AnomalyKind {
	allowed := []evidence.AnomalyKind{evidence.FailedButPresent}
	if !idempotence {
		allowed = append(allowed, evidence.Duplicate)
		if how == concurrent {
			allowed = append(allowed, evidence.Reordered)
		}
	}
	return allowed
}

func aboutLostAnswers(p Parameters, how sends) string {
	percent := p.DropRate * 100
	if how == concurrent {
		return fmt.Sprintf("%s, all handed over at once; for %g %% of them the first answer to Produce gets lost after the broker has written.", plural(p.Messages, "payment"), percent)
	}
	return fmt.Sprintf("%s, one at a time; %g %% of the answers to Produce get lost after the broker has written.", plural(p.Messages, "payment"), percent)
}

// loseAnswers hits every attempt at a record while records go one at a time.
// In flight together, a closed connection makes innocent records go again, as
// often as the client pipelines; only first attempts are comparable then.
func loseAnswers(p Parameters, how sends) fault.Plan {
	lost := fault.Rule{
		Name:   "lose-answers",
		Action: fault.DropResponse,
		Select: fault.Selector{API: "Produce", Role: payments, Probability: p.DropRate},
	}
	if how == concurrent {
		lost.Select.Attempts = 1
	}
	return fault.Plan{lost}
}

func sendPayments(ctx context.Context, s *Stage, how sends) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	for n := range s.Parameters.Messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.Send(ctx, payment(n))
		if how == sequential {
			if err := p.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return p.Wait(ctx)
}
