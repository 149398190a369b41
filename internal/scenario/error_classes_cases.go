package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// This file has the cases E01, E06 and E07: errors whose code alone leads astray.

// forEver answers an API with an error whatever is asked. The first answer is the one
// that the plan counts on; how often a client asks again is its own business.
func forEver(api string, e kafkaError) fault.Plan {
	once := fault.Rule{Name: e.name, Action: fault.AnswerInstead, Code: e.code, Select: fault.Selector{API: api, First: 1, Probability: 1}}
	again := once
	again.Name, again.Select.First = e.name+" again", 0
	return fault.Plan{once, again}
}

// caseRecords are the orders of a case that sends so many.
func caseRecords(count int) func(Parameters, partition.Func) []fault.Record {
	return func(p Parameters, place partition.Func) []fault.Record {
		var records []fault.Record
		for n := range count {
			records = append(records, caseOrder(n).planned(place, p.PartitionsOf(shopPartitions)))
		}
		return records
	}
}

func caseOrder(n int) Message { return errorCell{n: n}.message(orders, hitTurn) }

// noRight is E01. librdkafka purges what waits for a producer id, and each report says
// _PURGE_QUEUE; what the producer died of stands in its fatal error alone. The driver
// hands that on, and so must a report.
func noRight() Variant {
	const records = 2
	return Variant{
		Name: "case=E01", Kind: evidence.Promise,
		Claim:    "a producer without the right to write is told of the missing right, whatever its reports are called",
		Settings: map[string]string{"acks": "all", "enable.idempotence": "true"},
		Needs:    drivers.Abilities{Idempotence: true},
		Checks:   []evidence.Check{check(evidence.FailedRecords, "==", records), check(evidence.LogRecords, "==", 0)},
		About: func(Parameters) string {
			return "Every InitProducerId is answered CLUSTER_AUTHORIZATION_FAILED; two records, the second after the report on the first."
		},
		Plan:    func(Parameters) fault.Plan { return forEver("InitProducerId", clusterForbidden) },
		Records: caseRecords(records),
		Run: func(ctx context.Context, s *Stage) error {
			p, err := s.NewProducer("")
			for n := 0; err == nil && n < records; n++ {
				p.Send(ctx, caseOrder(n))
				err = p.Wait(ctx)
			}
			return err
		},
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return []evidence.Answer{{Question: "cause", Answer: reportedCause(o.Sends), Expected: "authorization"}}
		},
	}
}

// reportedCause is what the reports on failed records have in common, told by their codes.
func reportedCause(sends []evidence.Send) string {
	codes := codesOf(sends)
	if len(codes) > 0 && !slices.ContainsFunc(codes, func(code string) bool { return !strings.HasSuffix(code, "_AUTHORIZATION_FAILED") }) {
		return "authorization"
	}
	return strings.Join(codes, ", ")
}

const (
	purged = 5 // records of E06

	// lingers is much longer than the story: nothing is sent by itself.
	lingers = 20 * time.Second
)

// lingering is a setting of E06's producers.
func lingering() Setting { return Setting{"linger.ms", fmt.Sprint(lingers.Milliseconds())} }

// purgedByAbort is E06: failures that the program asked for.
func purgedByAbort() Variant {
	v := purging()
	v.Name, v.Kind = "case=E06,purge=abort", evidence.Promise
	v.Claim = "records that an abort throws away are reported as failed, and no cause for alarm"
	v.Settings = transactionSettings(cellID)
	v.Needs = drivers.Abilities{Idempotence: true, Transactions: true}
	v.About = func(Parameters) string {
		return "5 records that linger in a transaction, which the program aborts at once."
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		p, err := s.NewTransactionalProducer("", lingering())
		if err != nil {
			return err
		}
		if err := p.Init(ctx); err != nil {
			return err
		}
		if err := p.Begin(ctx); err != nil {
			return err
		}
		p.sendPurged(ctx)
		if err := p.Abort(ctx); err != nil {
			return err
		}
		return p.Wait(ctx)
	}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return tellAlarms(o, "0") }
	return v
}

// purgedByClose is the other half of E06, and its control: the same reports, and nobody
// asked for them.
func purgedByClose() Variant {
	v := purging()
	v.Name, v.Kind = "case=E06,purge=close", evidence.Control
	v.Claim = "outside of an aborted transaction the same reports are loss"
	v.Settings = map[string]string{"acks": "all", "enable.idempotence": "true"}
	v.Needs = drivers.Abilities{Idempotence: true}
	v.About = func(Parameters) string {
		return "One record that is written, by another producer; then 5 records that linger, and their producer is closed without a flush."
	}
	v.Checks = []evidence.Check{check(evidence.LogRecords, "==", 1), check(evidence.Acked, "==", 1)}
	v.Records = caseRecords(purged + 1)
	v.Run = closeWithoutFlush
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return tellAlarms(o, fmt.Sprint(purged)) }
	return v
}

// closeWithoutFlush writes a record first, which shows that nothing stood in the way.
func closeWithoutFlush(ctx context.Context, s *Stage) error {
	one, err := s.NewProducer("")
	if err != nil {
		return err
	}
	one.Send(ctx, caseOrder(purged))
	if err := one.Wait(ctx); err != nil {
		return err
	}
	p, err := s.NewProducer("", lingering())
	if err != nil {
		return err
	}
	p.sendPurged(ctx)
	return p.Close()
}

func purging() Variant {
	return Variant{
		Checks:  []evidence.Check{check(evidence.LogRecords, "==", 0), check(evidence.Acked, "==", 0)},
		Plan:    noFaults,
		Records: caseRecords(purged),
	}
}

func (p *Producer) sendPurged(ctx context.Context) {
	for n := range purged {
		p.Send(ctx, caseOrder(n))
	}
}

// tellAlarms tells failures that were asked for from those that were not: a record whose
// transaction the program aborted, and was told so, had to fail.
func tellAlarms(o *evidence.Observed, alarms string) []evidence.Answer {
	aborted := map[int]bool{}
	for _, t := range o.Transactions {
		aborted[t.N] = t.Asked == evidence.AskedAbort && t.Outcome == evidence.TransactionAborted
	}
	asked, others := 0, 0
	for _, s := range o.Sends {
		switch {
		case s.Outcome == evidence.OutcomeAcked:
		case aborted[s.Transaction]:
			asked++
		default:
			others++
		}
	}
	return []evidence.Answer{
		{Question: "records that were to fail", Answer: fmt.Sprint(asked)},
		{Question: "loss, or nobody knows", Answer: fmt.Sprint(others), Expected: alarms},
	}
}

// readyTime is how long a client of E07 tries to get ready.
const readyTime = 3 * time.Second

// noCoordinatorEver is E07: a program that hangs in its first call, on whatever library.
func noCoordinatorEver() Variant {
	return Variant{
		Name: "case=E07", Kind: evidence.Promise,
		Claim:    "without a coordinator no client gets ready, and the cause is the cluster",
		Settings: transactionSettings(cellID),
		Needs:    drivers.Abilities{Idempotence: true, Transactions: true},
		Checks:   []evidence.Check{check(evidence.LogRecords, "==", 0)},
		About: func(Parameters) string {
			return fmt.Sprintf("Every FindCoordinator is answered COORDINATOR_NOT_AVAILABLE; the program gives its producer %v to get ready.", readyTime)
		},
		Plan:     func(Parameters) fault.Plan { return forEver("FindCoordinator", noCoordinator) },
		Records:  caseRecords(1),
		Run:      tryToGetReady,
		Conclude: tellWhomToAsk,
	}
}

func tryToGetReady(ctx context.Context, s *Stage) error {
	p, err := s.NewTransactionalProducer("")
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	if p.Init(limited) != nil {
		return ctx.Err()
	}
	return p.tryOut(ctx, []Message{caseOrder(0)}, evidence.AskedCommit, nil)
}

// tellWhomToAsk: a client that asked, was told by every answer that there is no
// coordinator, and went no further did what it could.
func tellWhomToAsk(o *evidence.Observed) []evidence.Answer {
	asked, refused := 0, 0
	for _, e := range o.Trace.Exchanges {
		switch {
		case e.API != "FindCoordinator" || !e.Delivered:
		case e.Result == noCoordinator.name:
			refused++
			fallthrough
		default:
			asked++
		}
	}
	where := "the client"
	if asked > 0 && refused == asked && len(o.Trial.Errors) > 0 {
		where = "the cluster"
	}
	return []evidence.Answer{{Question: "where to look for the cause", Answer: where, Expected: "the cluster"}}
}
