package scenario

import (
	"context"
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// The idempotent producer while brokers change: a partition gets another leader, or
// the node that leads it dies with requests in flight. Both need three nodes that
// the run may do such a thing to.

// leaderVariant is the payments, all handed over at once, while something happens
// to the leaders of their partitions.
func leaderVariant(what, claim, about string, plan func(Parameters) fault.Plan) Variant {
	return Variant{
		Name: "leader=" + what, Kind: evidence.Promise, Claim: claim,
		Nodes: 3,
		Needs: drivers.Abilities{Idempotence: true},
		// A cluster takes seconds to find a new leader, at ten milliseconds a retry.
		Settings: map[string]string{"enable.idempotence": "true", "acks": "all", "retries": "2147483647"},
		// A record whose outcome the client does not know it may give up: franz-go does so
		// when the first answer on a connection is the one that got lost (ErrFirstReadEOF).
		Checks: []evidence.Check{
			check(evidence.Duplicates, "==", 0),
			check(evidence.LostRecords, "==", 0),
		},
		Requires:          []evidence.Check{check(evidence.Acked, ">", 0)},
		Allowed:           []evidence.AnomalyKind{evidence.FailedButPresent},
		OneRecordPerBatch: true,
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, all handed over at once; %s", plural(p.Messages, "payment"), about)
		},
		Plan:    plan,
		Records: paymentRecords,
		Run:     func(ctx context.Context, s *Stage) error { return sendPayments(ctx, s, concurrent) },
	}
}

// One change a story: two rules that hit the same request would be one change.
func leaderMoved() Variant {
	return leaderVariant("moved", "no payment stands in the log twice, none that was acknowledged is missing, all are in order, wherever the leader is",
		"half way the partition of the next one gets another leader just before it arrives.",
		func(p Parameters) fault.Plan {
			return fault.Plan{atPayment("move-leader", fault.MoveLeader, p.Messages/2)}
		})
}

func leaderKilled() Variant {
	return leaderVariant("killed", "no payment stands in the log twice, none that was acknowledged is missing, all are in order, although a leader died",
		"half way the node dies that one of them is on its way to.",
		func(p Parameters) fault.Plan {
			return fault.Plan{atPayment("kill-leader", fault.KillNode, p.Messages/2)}
		})
}

// atPayment strikes when the nth payment arrives for the first time.
func atPayment(rule string, action fault.Action, n int) fault.Rule {
	return fault.Rule{Name: rule, Action: action, Select: firstAttempt(payment(n))}
}
