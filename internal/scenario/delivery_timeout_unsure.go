package scenario

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// Nobody knows whether a record was written: what happens to those that share its
// batch, to itself, and to those that come after it.

const (
	batched = sends("batched") // all at once, in one batch
	fellows = 10               // payments that share a batch, or do not
)

func oneFate() Variant { return ownFate(sequential) }

// nextToIt is the same with the others in flight: a connection that is lost takes them
// along, and each may use up retries of its own that way.
func nextToIt() Variant {
	v := ownFate(concurrent)
	v.Claim = "the payment whose answers are lost fails; nothing that was acknowledged is lost"
	v.Checks = []evidence.Check{check(evidence.FailedRecords, ">", 0), check(evidence.LostRecords, "==", 0)}
	v.Requires = []evidence.Check{check(evidence.Acked, ">", 0)}
	v.Allowed = append(v.Allowed, evidence.Reordered)
	v.Repeats = false
	return v
}

func ownFate(how sends) Variant {
	v := fate(how)
	v.Kind, v.Claim = evidence.Promise, "the payment whose answers are lost fails, and no other"
	v.Checks = []evidence.Check{
		check(evidence.FailedRecords, "==", 1),
		check(evidence.Acked, "==", fellows-1),
		check(evidence.LostRecords, "==", 0),
	}
	v.OneRecordPerBatch = true
	return v
}

func sharedFate() Variant {
	v := fate(batched)
	v.Kind, v.Claim = evidence.Control, "all payments of the batch fail with the one whose answers are lost"
	v.Checks = []evidence.Check{
		check(evidence.FailedRecords, "==", evidence.Intended),
		check(evidence.FailedPresent, "==", evidence.Intended),
	}
	// Long enough to hand all over on a machine that has other things to do. More than the
	// three attempts at one batch means that there were several, and shows nothing.
	v.Settings["linger.ms"] = "500"
	v.Requires = []evidence.Check{check(evidence.ProduceRequests, "==", 3)}
	return v
}

// fate loses every answer to one payment of several, which have one key so that they go
// to one partition.
func fate(how sends) Variant {
	return Variant{
		Name:     "retries=2,sends=" + string(how),
		Settings: map[string]string{"enable.idempotence": "false", "retries": "2"},
		Allowed:  []evidence.AnomalyKind{evidence.Duplicate, evidence.FailedButPresent},
		Repeats:  true,
		About: func(Parameters) string {
			handed := map[sends]string{batched: "in one batch", concurrent: "all handed over at once, each in a batch of its own", sequential: "one at a time"}[how]
			return fmt.Sprintf("%d payments, %s; every answer to one of them gets lost after the broker has written.", fellows, handed)
		},
		Plan: func(Parameters) fault.Plan {
			lost := always("lose-answers-to-fourth", fault.DropResponse, 3)
			if how == concurrent { // a lost connection may cost it a retry
				lost.Certain = 1
			}
			return fault.Plan{lost}
		},
		Records: func(p Parameters, place partition.Func) []fault.Record {
			records := make([]fault.Record, fellows)
			for n := range records {
				records[n] = atOneTill(n).planned(place, p.PartitionsOf(1))
			}
			return records
		},
		Run: func(ctx context.Context, s *Stage) error { return sendAtOneTill(ctx, s, how) },
	}
}

func atOneTill(n int) Message {
	m := payment(n)
	m.Key = []byte("till")
	return m
}

func sendAtOneTill(ctx context.Context, s *Stage, how sends) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	for n := range fellows {
		p.Send(ctx, atOneTill(n))
		if how != sequential {
			continue
		}
		if err := p.Wait(ctx); err != nil {
			return err
		}
		if err := p.settle(ctx); err != nil {
			return err
		}
	}
	return p.Wait(ctx)
}

// toldTimedOut is case D01.
func toldTimedOut(idempotence bool) Variant {
	v := Variant{
		Name:     fmt.Sprintf("answer=REQUEST_TIMED_OUT,enable.idempotence=%t", idempotence),
		Kind:     evidence.Promise,
		Claim:    "each payment stands in the log once, in order",
		Settings: map[string]string{"enable.idempotence": fmt.Sprint(idempotence)},
		Needs:    drivers.Abilities{Idempotence: idempotence},
		Checks: []evidence.Check{
			check(evidence.Acked, "==", evidence.Intended),
			check(evidence.Unique, "==", evidence.Intended),
			check(evidence.Duplicates, "==", 0),
		},
		OneRecordPerBatch: true, Repeats: true,
		About: func(Parameters) string {
			return "2 payments, one at a time; the broker writes the first one, and answers REQUEST_TIMED_OUT."
		},
		Plan:     answerTimedOut,
		Records:  func(p Parameters, place partition.Func) []fault.Record { return firstPayments(p, place, 1, 2) },
		Conclude: func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{toldOffset(o, "0")} },
		Run: func(ctx context.Context, s *Stage) error {
			s.Parameters.Messages = 2
			return sendOneByOne(ctx, s)
		},
	}
	if !idempotence {
		v.Kind, v.Claim = evidence.Control, "the first payment stands in the log twice, and the second copy is reported"
		v.Checks[2] = check(evidence.Duplicates, "==", 1)
		v.Allowed = []evidence.AnomalyKind{evidence.Duplicate}
		v.Conclude = func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{toldOffset(o, "1")} }
	}
	return v
}

// answerTimedOut has the first payment written and the client told otherwise.
func answerTimedOut(Parameters) fault.Plan {
	return fault.Plan{{Name: "time-out-first", Action: fault.ReplaceResponse, Code: requestTimedOut.code, Select: firstAttempt(payment(0))}}
}

func toldOffset(o *evidence.Observed, expected string) evidence.Answer {
	a := evidence.Answer{Question: "offset told of the first payment", Expected: expected}
	for _, s := range o.Sends {
		if s.ID == payment(0).ID && s.Outcome == evidence.OutcomeAcked {
			a.Answer = strconv.FormatInt(s.Offset, 10)
		}
	}
	return a
}

// cancelled gives a payment up between the answer that says nothing and the attempt
// that would.
func cancelled() Variant {
	v := toldTimedOut(true)
	v.Name = "cancel=timed-out,in-flight=default"
	v.Claim = "no payment stands in the log twice, and what was acknowledged is there, whatever became of the one that was given up"
	v.Needs.Cancellation, v.RecordContexts = true, true
	v.Settings["retry.backoff.ms"], v.Settings["retry.backoff.max.ms"] = "2000", "2000" // time to give it up, on a busy machine too
	v.Checks = []evidence.Check{
		check(evidence.LostRecords, "==", 0),
		check(evidence.Duplicates, "==", 0),
		check(evidence.Unique, "==", evidence.Intended),
	}
	v.Requires = []evidence.Check{check(evidence.Acked, ">", 0)}
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent}
	v.About = func(p Parameters) string {
		return toldTimedOut(true).About(p) + " The program gives it up, and sends the second when it was told what became of the first."
	}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{fateOfFirst(o)} }
	v.Run = sendAndCancel
	return v
}

func cancelledInFlight() Variant {
	v := cancelled()
	v.Name, v.GiveUpInFlight = "cancel=timed-out,in-flight=given-up", true
	return v
}

func fateOfFirst(o *evidence.Observed) evidence.Answer {
	a := evidence.Answer{Question: "the payment that was given up"}
	for _, s := range o.Sends {
		if s.ID == payment(0).ID {
			a.Answer = string(s.Outcome)
		}
	}
	return a
}

func sendAndCancel(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	patience, giveUp := context.WithCancel(ctx)
	defer giveUp()
	p.Send(patience, payment(0))
	if _, err := s.Watch.Exchange(ctx, inRequest(payment(0))); err != nil {
		return err
	}
	giveUp()
	if err := p.Wait(ctx); err != nil {
		return err
	}
	p.Send(ctx, payment(1))
	return p.Wait(ctx)
}

// inRequest says whether the record is in a request.
func inRequest(m Message) func(evidence.Exchange) bool {
	return func(e evidence.Exchange) bool { return e.Carries(m.ID) }
}

// tillRefund is the nth refund; the second is larger than its topic allows.
func tillRefund(n int) Message {
	m := refund(n)
	if n == 1 {
		m.Value = append(m.Value, bytes.Repeat([]byte(" "), 2*largestEvent)...)
	}
	return m
}

// epochRaised raises the epoch of a producer for one partition while a record of
// another waits to be sent again, which is in the log already.
func epochRaised() Variant {
	return Variant{
		Name: "epoch=raised", Kind: evidence.Promise,
		Claim: "each payment stands in the log once, although a refund was refused while one waited to be sent again",
		Settings: map[string]string{
			"enable.idempotence": "true",
			"retry.backoff.ms":   "3000", "retry.backoff.max.ms": "3000", // so long it waits
		},
		Needs: drivers.Abilities{Idempotence: true},
		Checks: []evidence.Check{
			check(evidence.Duplicates, "==", 0),
			check(evidence.LostRecords, "==", 0),
			check(evidence.Acked, "==", 2*tills-1),
		},
		Repeats: true,
		About: func(Parameters) string {
			return fmt.Sprintf("%d payments and %d refunds; the answer to the second payment gets lost after the broker has written, and before it is sent again the broker refuses the second refund, which is larger than its topic allows.", tills, tills)
		},
		Plan: func(Parameters) fault.Plan {
			return fault.Plan{{Name: "lose-answer", Action: fault.DropResponse, Select: firstAttempt(payment(1))}}
		},
		Records: func(p Parameters, place partition.Func) []fault.Record {
			var records []fault.Record
			for n := range tills {
				records = append(records, payment(n).planned(place, p.PartitionsOf(1)), tillRefund(n).planned(place, p.PartitionsOf(1)))
			}
			return records
		},
		Run: payAndRefund,
	}
}

const (
	tills = 3 // payments, and refunds, of epochRaised

	// noticed is time for a client to see that a connection has ended. Where one node
	// leads both topics, a refund that goes into it waits as long as the payment does.
	noticed = time.Second
)

func payAndRefund(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	for n := range tills {
		p.Send(ctx, payment(n))
		if _, err := s.Watch.Exchange(ctx, inRequest(payment(n))); err != nil {
			return err
		}
		if n == 1 {
			if err := s.Pause(ctx, noticed); err != nil {
				return err
			}
		}
		p.Send(ctx, tillRefund(n))
		if err := p.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}
