package scenario

import (
	"fmt"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
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
			withoutAcks(evidence.Control, "without answers something is lost", check(evidence.LostRecords, ">", 0)),
		},
	}
}

// loseEither loses a request or its answer, each half as often as asked for.
func loseEither(p Parameters) fault.Plan {
	half := p
	half.DropRate /= 2
	return append(fault.Plan{loseRequests(half)}, loseAnswers(half, sequential)...)
}
