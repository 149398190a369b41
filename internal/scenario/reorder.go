package scenario

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// reorder is the story of payments that are handed over in a burst while the broker
// refuses some of them for the moment: what is sent again may come behind what was
// sent later.
func reorder() Scenario {
	return Scenario{
		Name:    "reorder",
		Summary: "some batches of a burst are refused for the moment and sent again; does anything overtake them?",
		Story: `The first payment goes alone, so that the connection stands. Then all others are handed
over at once, each in a batch of its own, to one partition. The answer to the next one is
held back for a moment: whatever a client lets be in flight at once is on its way
then, and is counted ("in flight at once"). The one behind it, and a share of the others,
are not written when they come for the first time: they are answered with
NOT_ENOUGH_REPLICAS, which every client may try again.

With idempotence the broker takes the batches of a producer in the order of their
sequence numbers only (KIP-98), so up to five may be in flight and nothing overtakes.
Without it whatever is in flight behind the refused one is written before it. Look at
"reordered", and at "duplicates": franz-go takes all that was in flight behind a refused
batch back and sends it again, although it was answered.

max.in.flight=1 is the old way to keep the order without idempotence. franz-go 1.22.3 does,
and it is its own default: it raises the limit only where it is told to. librdkafka 2.11.1
does not: it builds one more request while the first is in flight
(queue.buffering.backpressure.threshold), and sends that before it comes to the refused
one (issue 1092 calls it fixed). Its default is a million. With idempotence and one in
flight the order is kept, and its broker thread looks again only once a second.

With retries=0 librdkafka fails what was refused and goes on with the rest. franz-go fails
all that it holds for the partition with it: look at "failed, yet in the log".`,
		Topics: []Topic{{Role: payments, Partitions: 1}},
		Variants: []Variant{
			inOrder(true, "1"),
			inOrder(true, "5"),
			inOrder(true, byDefault),
			inOrder(false, "1"),
			overtaken(),
			orderByDefault(),
			refusedForGood(),
		},
	}
}

const (
	maxInFlight = "max.in.flight.requests.per.connection"
	byDefault   = "default" // the setting is left to the library

	// heldBack is long enough for a client to send whatever it will without an answer.
	heldBack = 300 * time.Millisecond

	// smallestBurst has something behind the payments that a fault is aimed at.
	smallestBurst = 6
)

// burst is one way to play the story; its claim comes on top.
func burst(idempotence bool, inFlight string) Variant {
	v := Variant{
		Name:              fmt.Sprintf("enable.idempotence=%t,max.in.flight=%s", idempotence, inFlight),
		Settings:          map[string]string{"enable.idempotence": fmt.Sprint(idempotence)},
		Requires:          []evidence.Check{check(evidence.Acked, "==", evidence.Intended)},
		OneRecordPerBatch: true,
		About: func(p Parameters) string {
			return fmt.Sprintf("%s, and %g %% of the others.", aboutBurst(p), p.DropRate*100)
		},
		Plan:     refuseSome,
		Records:  burstRecords,
		Run:      sendBurst,
		Conclude: inFlightAtOnce,
	}
	v.Needs.Idempotence = idempotence
	if inFlight == byDefault {
		v.Unset = []string{maxInFlight}
	} else {
		v.Settings[maxInFlight] = inFlight
	}
	return v
}

func inOrder(idempotence bool, inFlight string) Variant {
	v := burst(idempotence, inFlight)
	v.Kind, v.Claim = evidence.Promise, "each payment stands in the log once, in order"
	v.Checks = []evidence.Check{
		check(evidence.ReorderedRecords, "==", 0),
		check(evidence.LogRecords, "==", evidence.Intended),
		check(evidence.Unique, "==", evidence.Intended),
	}
	return v
}

// overtaken is what max.in.flight=1 and idempotence are there against.
func overtaken() Variant {
	v := burst(false, "5")
	v.Kind, v.Claim = evidence.Control, "payments stand before others that were sent earlier"
	v.Checks = []evidence.Check{check(evidence.ReorderedRecords, ">", 0)}
	v.Allowed = []evidence.AnomalyKind{evidence.Reordered, evidence.Duplicate}
	return v
}

func orderByDefault() Variant {
	v := burst(false, byDefault)
	v.Kind, v.Claim = evidence.Observation, "whether the order is kept where nothing is set"
	v.Allowed = []evidence.AnomalyKind{evidence.Reordered, evidence.Duplicate}
	return v
}

// refusedForGood refuses one payment only: franz-go gives up all behind it, so that no
// other fault would be met.
func refusedForGood() Variant {
	v := burst(false, "5")
	v.Name, v.Settings["retries"] = "enable.idempotence=false,retries=0", "0"
	v.Kind, v.Claim = evidence.Promise, "what was refused is missing, and nothing overtakes"
	v.Checks = []evidence.Check{
		check(evidence.ReorderedRecords, "==", 0),
		check(evidence.Duplicates, "==", 0),
		check(evidence.LostRecords, "==", 0),
		check(evidence.FailedRecords, ">", evidence.FailedPresent),
	}
	v.Requires = []evidence.Check{check(evidence.Acked, ">", 0)}
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent}
	v.About = func(p Parameters) string { return aboutBurst(p) + "." }
	v.Plan = func(p Parameters) fault.Plan { return refuseSome(p)[:2] }
	return v
}

func aboutBurst(p Parameters) string {
	return fmt.Sprintf("%s to one partition, all but the first at once. When the third comes for the first time it is not written, and answered with NOT_ENOUGH_REPLICAS", plural(burstSize(p), "payment"))
}

// burstSize is few, because librdkafka with one in flight needs a second for each that
// is refused.
func burstSize(p Parameters) int { return max(smallestBurst, p.share(8)) }

// refuseSome answers with a code that says "not written", and that every client tries
// again after.
func refuseSome(p Parameters) fault.Plan {
	return fault.Plan{
		{Name: "hold-back", Action: fault.Delay, Wait: heldBack, Select: firstAttempt(payment(1))},
		{Name: "refuse-third", Action: fault.AnswerInstead, Code: notEnoughReplicas.code, Select: firstAttempt(payment(2))},
		{Name: "take-fourth", Action: fault.Delay, Wait: time.Millisecond, Select: firstAttempt(payment(3))}, // so that there is one that overtakes
		{Name: "refuse-others", Action: fault.AnswerInstead, Code: notEnoughReplicas.code,
			Select: fault.Selector{API: "Produce", Role: payments, Attempts: 1, Probability: p.DropRate}},
	}
}

func burstRecords(p Parameters, place partition.Func) []fault.Record {
	return firstPayments(p, place, 1, burstSize(p))
}

func sendBurst(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	p.Send(ctx, payment(0))
	if err := p.Wait(ctx); err != nil {
		return err
	}
	for n := 1; n < burstSize(s.Parameters); n++ {
		p.Send(ctx, payment(n))
	}
	return p.Wait(ctx)
}

// inFlightAtOnce counts the Produce requests that came on a connection while an answer
// was held back on it, with the one that it belongs to.
func inFlightAtOnce(o *evidence.Observed) []evidence.Answer {
	found := measured("Produce requests in flight at once", "")
	for _, held := range o.Trace.Exchanges {
		if held.Fault != string(fault.Delay) {
			continue
		}
		n, until := 0, held.AnsweredAt+heldBack.Microseconds()
		for _, e := range o.Trace.Exchanges {
			if e.Conn == held.Conn && e.API == "Produce" && e.N >= held.N && e.At < until {
				n++
			}
		}
		found.Answer = strconv.Itoa(n)
		break
	}
	return []evidence.Answer{found}
}
