package scenario

import (
	"context"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// restartedInFlight is what broker=restarted means to a library: it has several batches
// in flight, all are written, no answer comes, and the broker is restarted before it
// sends the first one again. On one node nobody remembers that one any more.
//
//	client    batches 1 to 5 ──────────>  broker writes them
//	          <─ the answers are lost
//	          batch 1 again ───────────>  broker restarts, and knows the last batch only
//	          batch 1 again ───────────>  ?
func restartedInFlight() Variant {
	return Variant{
		Name: "batch=library,broker=restarted", Kind: evidence.Observation,
		Claim:      "several batches are written and not answered, and the broker restarts: is each payment in the log once?",
		Settings:   map[string]string{"acks": "all", "enable.idempotence": "true", "retries": "2147483647"},
		Needs:      drivers.Abilities{Idempotence: true},
		NeedsKafka: "the embedded broker has no disk and keeps its state in memory, so its restart proves nothing",
		About: func(Parameters) string {
			return "One payment; then five more of the same customer at once. All are written, the answers to the five are lost, and the broker restarts when the first of them comes again."
		},
		Plan: func(Parameters) fault.Plan {
			again := firstAttempt(oneCustomer(1))
			again.Attempts = 2
			return fault.Plan{
				// Kept back until the last one is written too, or fewer might be in flight.
				{Name: "keep-answers", Action: fault.Stall, Select: firstAttempt(oneCustomer(1))},
				{Name: "lose-answers", Action: fault.DropResponse, Select: firstAttempt(oneCustomer(5))},
				{Name: "restart-broker", Action: fault.RestartNode, Select: again},
			}
		},
		OneRecordPerBatch: true,
		Records:           oneCustomerRecords(numbered(0, 5)),
		Run:               sendThroughRestart,
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return []evidence.Answer{
				{Question: "the batch sent again is answered", Answer: afterRestart(o.Trace)},
				paymentsInLog(o, ""),
				// librdkafka takes a refused batch for written or for failed: that depends on
				// which of the others was answered first.
				measured(programTold, firstTold(o.Sends)),
				measured(goneOn, fateOf(o)),
			}
		},
	}
}

func sendThroughRestart(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	p.Send(ctx, oneCustomer(0)) // opens the connection
	if err := p.Wait(ctx); err != nil {
		return err
	}
	for _, n := range numbered(1, 5) {
		p.Send(ctx, oneCustomer(n))
	}
	return p.Wait(ctx)
}

// afterRestart is the first answer that the restarted broker gave.
func afterRestart(t evidence.Trace) string {
	restarted := false
	for _, e := range t.Exchanges {
		restarted = restarted || e.Fault == string(fault.RestartNode)
		for _, b := range e.Batches {
			if restarted && b.Code != "" && b.Code != notLeader.name {
				return b.Code
			}
		}
	}
	return ""
}
