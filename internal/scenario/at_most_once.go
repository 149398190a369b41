package scenario

import (
	"context"
	"fmt"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// atMostOnce is the story of measurements that may be missing and must never
// count twice: nobody asks for an answer, or nobody sends again.
func atMostOnce() Scenario {
	return Scenario{
		Name:    "at-most-once",
		Core:    true,
		Summary: "no answer is asked for, or nothing is ever sent again: is a record lost, and does the program know?",
		Story: `Two ways to write each record at most once, and what they cost.

With acks=0 the client does not ask for an answer: a record counts as delivered as
soon as it has been handed to the network. Some requests are lost before the
broker. The client reports success for every one of them, and the log has a hole
that nobody was told about. Look at "lost", and at "collateral" beside it: a client
that has not noticed yet that its connection is gone writes the next record into it.

With acks=1 and retries=0 the broker answers, and some answers are lost after it
has written. The client must not try again, so it reports a failure. The record
is in the log all the same: "failed" is not "not written". A program that sends a
failed record again has made at-least-once of it.

With sends=concurrent all records are handed over at once. The answer to one gets lost, and
with it those of all that are in flight on its connection; none of them may come again.`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: []Variant{
			acksZero(),
			{
				Name: "acks=1,retries=0", Kind: evidence.Promise,
				Claim:    "no record stands in the log twice; each lost answer leaves a record that was reported as failed and is there",
				Settings: map[string]string{"acks": "1", "enable.idempotence": "false", "retries": "0"},
				Checks: []evidence.Check{
					check(evidence.Duplicates, "==", 0),
					check(evidence.FailedPresent, "==", evidence.ResponsesDropped),
				},
				Requires:          []evidence.Check{check(evidence.Acked, ">", 0)},
				Allowed:           []evidence.AnomalyKind{evidence.FailedButPresent},
				OneRecordPerBatch: true, Repeats: true,
				About: func(p Parameters) string {
					return fmt.Sprintf("%s, one at a time, each sent once; %g %% of the answers to Produce get lost after the broker has written.", plural(p.Messages, "payment"), p.DropRate*100)
				},
				Plan:    func(p Parameters) fault.Plan { return loseAnswers(p, sequential) },
				Records: paymentRecords,
				Run:     sendOnce,
			},
			neverAgain(),
		},
	}
}

// neverAgain aims at one payment: franz-go fails all that it holds for its partition, so
// that no other fault would be met there.
func neverAgain() Variant {
	return aimedAtOne(Variant{
		Name: "acks=1,retries=0,sends=concurrent", Kind: evidence.Promise,
		Claim:    "no record stands in the log twice; what failed may be there",
		Settings: map[string]string{"acks": "1", "enable.idempotence": "false", "retries": "0"},
		Checks: []evidence.Check{
			check(evidence.Duplicates, "==", 0),
			check(evidence.LostRecords, "==", 0),
			check(evidence.FailedPresent, ">", 0),
		},
		Requires:          []evidence.Check{check(evidence.Acked, ">", 0)},
		Allowed:           []evidence.AnomalyKind{evidence.FailedButPresent},
		OneRecordPerBatch: true,
		Records:           paymentRecords,
		Run:               func(ctx context.Context, s *Stage) error { return sendPayments(ctx, s, concurrent) },
	})
}

// acksZero shows the loss beside the promise: without any, it is no proof.
func acksZero() Variant {
	v := withoutAcks(evidence.Promise,
		"no record stands in the log twice; records get lost and the client says that they were written",
		check(evidence.Duplicates, "==", 0))
	v.Requires = []evidence.Check{check(evidence.LostRecords, ">", 0)}
	return v
}

// withoutAcks is the program that does not ask for answers. After a connection is
// lost the next record goes over another one, and may overtake.
func withoutAcks(kind evidence.Kind, claim string, checks ...evidence.Check) Variant {
	return Variant{
		Name: "acks=0", Kind: kind, Claim: claim, Checks: checks,
		Settings:          map[string]string{"acks": "0", "enable.idempotence": "false"},
		Requires:          []evidence.Check{check(evidence.Acked, ">", 0)},
		Allowed:           []evidence.AnomalyKind{evidence.Lost, evidence.Reordered},
		OneRecordPerBatch: true,
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, one every %v, without asking for an answer; %g %% of the requests get lost before the broker.", plural(p.Messages, "payment"), pace, p.DropRate*100)
		},
		Plan:    loseUnansweredRequests,
		Records: paymentRecords,
		Run:     sendPaced,
	}
}

// pace gives a client the time to notice that its connection is gone. At full speed
// most records would follow the one that was lost into the same closed connection.
const pace = 2 * time.Millisecond

func sendPaced(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for n := range s.Parameters.Messages {
		p.Send(ctx, payment(n))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p.Wait(ctx)
}

// afterFailure gives a client the time to take a lost connection down. franz-go says
// that the record failed a moment before it does (kgo/broker.go, handleResp): a record
// handed over within that moment is written into the dead connection, and where nothing
// is ever sent again it fails without having been sent.
const afterFailure = 5 * time.Millisecond

func sendOnce(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	for n := range s.Parameters.Messages {
		p.Send(ctx, payment(n))
		if err := p.Wait(ctx); err != nil {
			return err
		}
		if err := p.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle gives that time after a failure.
func (p *Producer) settle(ctx context.Context) error {
	if !p.Failed() {
		return nil
	}
	return p.stage.Pause(ctx, afterFailure)
}

// loseRequests loses requests before the broker sees them.
func loseRequests(p Parameters) fault.Rule {
	return fault.Rule{
		Name:   "lose-requests",
		Action: fault.DropRequest,
		Select: fault.Selector{API: "Produce", Role: payments, Probability: p.DropRate},
	}
}

// loseUnansweredRequests does so at first attempts alone: where no client ever sends a
// record again, or many are in flight.
func loseUnansweredRequests(p Parameters) fault.Plan {
	lost := loseRequests(p)
	lost.Select.Attempts = 1
	return fault.Plan{lost}
}

func sendOneByOne(ctx context.Context, s *Stage) error { return sendPayments(ctx, s, sequential) }
