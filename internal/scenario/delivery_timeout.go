package scenario

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// deliveryTimeout is the story of payments whose answers stay away for longer than the
// program lets its client try. What each variant does stands in the files beside this
// one: giving up in ..._time.go, answers that say "timed out" and what libraries got
// wrong behind them in ..._unsure.go.
func deliveryTimeout() Scenario {
	return Scenario{
		Name:    "delivery-timeout",
		Summary: "retries or time run out while answers get lost: what is the program told, and what stands in the log?",
		Story: `At least six of ten attempts come to nothing: the request is lost before the broker, or
its answer after it has written. A client tries again until it has used up its retries
or its time, and then says that the payment failed. That is not "not written": look at
"failed, yet in the log", the payments whose answers were lost, beside "failed", which
has those too that never got there. Nothing that was acknowledged may be missing.

Which of the two was used up is told by a code, and differs by library: with the retries
librdkafka 2.11.1 says what the last attempt ended with (_TRANSPORT), franz-go 1.22.3 says
ErrRecordRetries; with the time _MSG_TIMED_OUT and ErrRecordTimeout.

franz-go never gives up an idempotent record that may be in the log: compare
in-flight=default, where it waits for as long as it takes, with in-flight=given-up, where it
is allowed to (AllowIdempotentProduceCancellation). librdkafka always gives up. The
epoch of the producer is raised then, so that the next record is not taken for a repetition.

warmup=connection is the lesson's own program: each connection lets some answers pass
before any is lost (--warmup), so that a client gets through its handshake. A client
whose answer was lost comes back on a new connection, and there its next attempt is safe:
no payment ever runs into its timeout, whatever the rate of losses.

sends=batched beside sends=sequential: with records in one batch, the one whose answers are
lost takes the others down with it; with sends=concurrent each has a batch of its own, and
franz-go all the same fails whatever it holds for the partition.

answer=REQUEST_TIMED_OUT: the broker has written and says that it does not know. Both
libraries send again. Without idempotence the second copy is what they report.

Two mistakes of libraries that such an answer leads to. cancel=...: the program gives the
payment up while nobody knows whether it is there. franz-go before 1.20.7 failed it and
gave its sequence number to the next one, which the broker took for the repetition: it was
acknowledged and is nowhere (franz-go issue 1217; played with 1.20.6, where it is lost).
librdkafka has no call that gives up one record.
epoch=raised: the answer to a payment is lost, and while it waits to be sent again a
refund to another topic is refused for good, so that the epoch is raised. librdkafka
2.11.1 waits for what is in flight and forgets what waits: it sends the payment under a new
sequence number, and the broker writes it again (rdkafka_idempotence.c,
rd_kafka_idemp_drain_epoch_bump; rdkafka_partition.c, rd_kafka_toppar_pid_change). franz-go
sends such a batch under its old epoch.`,
		Topics: []Topic{{Role: payments, Partitions: 1}, {Role: refunds, Partitions: 1, Config: map[string]string{"max.message.bytes": strconv.Itoa(largestEvent)}}},
		Variants: []Variant{
			retriesExhausted(),
			neverRetried(),
			timeExhausted(),
			timeExhaustedIdempotent(),
			timeNeverExhausted(),
			warmConnections(),
			oneFate(),
			nextToIt(),
			sharedFate(),
			toldTimedOut(false),
			toldTimedOut(true),
			cancelled(),
			cancelledInFlight(),
			epochRaised(),
		},
	}
}

// leastLosses is the chance of a loss at each attempt from which on a client that gives
// up soon does give up.
const leastLosses = 0.6

func lossy(p Parameters) Parameters {
	p.DropRate = max(p.DropRate, leastLosses)
	return p
}

// givingUp is a promise about payments that go one at a time, some of which fail.
func givingUp(name string, settings map[string]string) Variant {
	return Variant{
		Name: name, Kind: evidence.Promise,
		Claim:    "nothing that was acknowledged is lost; of what failed a part is in the log",
		Settings: settings,
		Checks: []evidence.Check{
			check(evidence.LostRecords, "==", 0),
			check(evidence.FailedPresent, ">", 0),
			check(evidence.FailedRecords, ">", evidence.FailedPresent),
		},
		Requires:          []evidence.Check{check(evidence.Acked, ">", 0)},
		Allowed:           []evidence.AnomalyKind{evidence.FailedButPresent, evidence.Duplicate},
		OneRecordPerBatch: true,
		About:             aboutLosses,
		Plan:              func(p Parameters) fault.Plan { return loseEither(lossy(p)) },
		Records: func(p Parameters, place partition.Func) []fault.Record {
			return firstPayments(p, place, 1, p.Messages)
		},
		Run: sendOnce,
	}
}

func aboutLosses(p Parameters) string {
	percent := lossy(p).DropRate * 50
	return fmt.Sprintf("%s, one at a time; at each attempt %g %% of the requests get lost before the broker, and as many of the answers after it has written.", plural(p.Messages, "payment"), percent)
}

// few are the messages of a story in which each failure takes seconds.
func few(p Parameters, of, least int) Parameters {
	p.Messages = max(least, p.share(of))
	return p
}

// scaled makes a variant tell fewer messages than the user asked for.
func scaled(v Variant, of, least int) Variant {
	if whole := v; whole.FewRetries != nil { // what that changes is scaled as well
		v.FewRetries = func(_ Variant, retries int) Variant { return scaled(whole.FewRetries(whole, retries), of, least) }
	}
	about, plan, records, run := v.About, v.Plan, v.Records, v.Run
	v.About = func(p Parameters) string { return about(few(p, of, least)) }
	v.Plan = func(p Parameters) fault.Plan { return plan(few(p, of, least)) }
	v.Records = func(p Parameters, place partition.Func) []fault.Record { return records(few(p, of, least), place) }
	if inputs := v.Inputs; inputs != nil {
		v.Inputs = func(p Parameters) []Input { return inputs(few(p, of, least)) }
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		s.Parameters = few(s.Parameters, of, least)
		return run(ctx, s)
	}
	return v
}

// codes answers with which codes payments failed.
func codes(question string) func(*evidence.Observed) []evidence.Answer {
	return func(o *evidence.Observed) []evidence.Answer {
		return []evidence.Answer{{Question: question, Answer: cmp.Or(strings.Join(codesOf(o.Sends), ", "), "none")}}
	}
}
