package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// lyingAck is an acknowledgement that lies: a batch is answered as written, and the
// broker never got it. All payments go to one partition, one at a time.
func lyingAck(idempotence bool) Variant {
	v := Variant{
		Name:     fmt.Sprintf("ack=lies,enable.idempotence=%t", idempotence),
		Kind:     evidence.Promise,
		Claim:    "an acknowledgement that lies leaves a gap, and the broker refuses the next batch",
		Settings: map[string]string{"acks": "all", "enable.idempotence": fmt.Sprint(idempotence)},
		Needs:    drivers.Abilities{Idempotence: idempotence},
		Checks:   []evidence.Check{check(evidence.LostRecords, "==", evidence.RequestsDropped)},
		Allowed:  []evidence.AnomalyKind{evidence.Lost},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s of one customer, one at a time; number %d never reaches the broker, and the client is told that it was written.",
				plural(lyingPayments(p), "payment"), lyingAt(p))
		},
		Plan: func(p Parameters) fault.Plan {
			return fault.Plan{{Name: "lie", Action: fault.FalseAck, Select: firstAttempt(oneCustomer(lyingAt(p)))}}
		},
		OneRecordPerBatch: true, Repeats: true,
		Run: sendToOneCustomer,
	}
	v.Records = func(p Parameters, place partition.Func) []fault.Record {
		return oneCustomerRecords(numbered(0, lyingPayments(p)-1))(p, place)
	}
	expected := map[string]string{answeredNext: outOfOrder.name}
	if !idempotence {
		v.Kind, v.Claim = evidence.Control, "without sequence numbers nobody notices: one payment is lost, and all are acknowledged"
		v.Checks = append(v.Checks, check(evidence.Acked, "==", evidence.Intended))
		expected = map[string]string{answeredNext: "ok", programTold: "nothing"}
	}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return afterLie(o, expected) }
	return v
}

// lyingPayments is at least four: one before the lie, and two after it.
func lyingPayments(p Parameters) int { return max(4, p.share(10)) }

func lyingAt(p Parameters) int { return lyingPayments(p) / 2 }

func sendToOneCustomer(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	var messages []Message
	for n := range lyingPayments(s.Parameters) {
		messages = append(messages, oneCustomer(n))
	}
	return p.sendInTurn(ctx, messages)
}

// The questions after a lie.
const (
	answeredNext = "the broker answers the next batch"
	programTold  = "the program is told"
	goneOn       = "the producer"
)

// afterLie finds the answers: who noticed, and who went on.
func afterLie(o *evidence.Observed, expected map[string]string) []evidence.Answer {
	answers := []evidence.Answer{
		{Question: answeredNext, Answer: nextAnswer(o.Trace)},
		{Question: programTold, Answer: firstTold(o.Sends)},
		{Question: goneOn, Answer: fateOf(o)},
	}
	for i := range answers {
		answers[i].Expected = expected[answers[i].Question]
	}
	return answers
}

// nextAnswer is the broker's word on the first batch behind the lie.
func nextAnswer(t evidence.Trace) string {
	lied := false
	for _, e := range t.Exchanges {
		if e.Fault == string(fault.FalseAck) {
			lied = true
			continue
		}
		for _, b := range e.Batches {
			if lied && b.Code != "" {
				return b.Code
			}
		}
	}
	return ""
}

// firstTold is the first error that a report had.
func firstTold(sends []evidence.Send) string {
	for _, s := range sends {
		if s.Error != nil {
			return s.Error.Code
		}
	}
	return "nothing"
}

// fateOf says how the producer ended: dead, or alive, and then by which numbers.
func fateOf(o *evidence.Observed) string {
	if n := len(o.Sends); n == 0 || o.Sends[n-1].Outcome != evidence.OutcomeAcked {
		return cmp.Or(lastClass(o.Sends), "stopped") + ", writes no more"
	}
	epochs := map[int16]bool{}
	for _, p := range o.Log.Partitions {
		for _, b := range p.Batches {
			epochs[b.ProducerEpoch] = true
		}
	}
	if len(epochs) > 1 {
		return "goes on in a new epoch"
	}
	return "goes on"
}

// lastClass is that of the last error.
func lastClass(sends []evidence.Send) string {
	for _, s := range slices.Backward(sends) {
		if s.Error != nil {
			return s.Error.Class
		}
	}
	return ""
}
