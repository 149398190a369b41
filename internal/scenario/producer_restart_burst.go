package scenario

import (
	"context"
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// The end of a program that has many payments on their way: what the next session sends
// again is all of which nothing was heard, written or not.

// burstIdempotent is producer=idempotent with all payments handed over at once.
func burstIdempotent() Variant {
	v := burstOf("producer=idempotent,sends=concurrent", map[string]string{"acks": "all", "enable.idempotence": "true"})
	v.Kind, v.Claim = evidence.Control, "a record without a report is sent again by the next session, and stands twice if it was written"
	v.Checks = []evidence.Check{
		check(evidence.Duplicates, ">", 0),
		check(evidence.UnknownRecords, ">=", evidence.Duplicates),
		check(evidence.Unique, "==", evidence.Intended),
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		p, err := s.NewProducer("")
		if err != nil {
			return err
		}
		if lost, err := p.payUntilLost(ctx, s.unreported()); !lost {
			return err
		}
		p.Crash()
		if p, err = s.NewProducer(""); err != nil {
			return err
		}
		for _, n := range s.unreported() {
			p.Send(ctx, payment(n))
		}
		return p.Wait(ctx)
	}
	return v
}

// burstTransactional is producer=transactional with all payments in one transaction.
func burstTransactional() Variant {
	v := burstOf("producer=transactional,sends=concurrent", transactionSettings("payment-service"))
	v.Kind, v.Claim = evidence.Promise, "what a session has written and not committed is aborted by the next one, and each payment is visible once"
	v.Needs.Transactions, v.BothViews = true, true
	v.Checks = []evidence.Check{
		check(evidence.Visible, "==", evidence.Intended),
		check(evidence.Unique, "==", evidence.Intended),
		check(evidence.Duplicates, "==", evidence.AbortedRecords),
	}
	v.Requires = append(v.Requires, check(evidence.AbortedRecords, ">", 0))
	v.Run = func(ctx context.Context, s *Stage) error {
		p, err := s.initialized(ctx)
		if err != nil {
			return err
		}
		if err := p.Begin(ctx); err != nil {
			return err
		}
		all := s.unreported()
		if lost, err := p.payUntilLost(ctx, all); !lost {
			return err
		}
		p.Crash()
		if p, err = s.initialized(ctx); err != nil {
			return err
		}
		if err := p.Begin(ctx); err != nil {
			return err
		}
		if err := p.pay(ctx, 0, len(all)); err != nil {
			return err
		}
		return p.Commit(ctx)
	}
	return v
}

func burstOf(name string, settings map[string]string) Variant {
	return Variant{
		Name: name, Settings: settings,
		Needs:    drivers.Abilities{Idempotence: true},
		Requires: []evidence.Check{check(evidence.UnknownRecords, ">", 0)},
		Allowed:  []evidence.AnomalyKind{evidence.Duplicate},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, all handed over at once. The answer to one of them and all behind it on its connection do not come, and the program ends; a new session sends again whatever it has no report of.",
				plural(restartPayments(p), "payment"))
		},
		Plan:              func(Parameters) fault.Plan { return fault.Plan{silentWrite(4)} },
		OneRecordPerBatch: true,
		Records:           restartRecords,
	}
}

// unreported are the payments of which nothing was heard so far.
func (s *Stage) unreported() (numbers []int) {
	heard := map[int]bool{}
	for _, sent := range s.Ledger.Sends() {
		heard[sent.ID.N] = heard[sent.ID.N] || sent.Outcome != evidence.OutcomeUnknown
	}
	for n := range restartPayments(s.Parameters) {
		if !heard[n] {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// payUntilLost hands the payments over at once and waits for their reports, or until an
// answer is known not to come.
func (p *Producer) payUntilLost(ctx context.Context, numbers []int) (lost bool, err error) {
	for _, n := range numbers {
		p.Send(ctx, payment(n))
	}
	return p.UntilLost(ctx, func(e evidence.Exchange) bool { return e.API == "Produce" }, p.Wait)
}
