package scenario

import (
	"context"
	"fmt"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// monitoring is the story of somebody who watches a library's own numbers, and of
// somebody else who watches the wire. What is compared stands in
// monitoring_answers.go.
func monitoring() Scenario {
	return Scenario{
		Name:    "monitoring",
		Summary: "what a library says of itself (records sent, in flight, state of the transaction) beside the wire and the log",
		Story: `A payment service has a dashboard, and on it what its Kafka library says of itself. The
program asks the library at certain moments; afterwards each number stands beside what
the proxy saw at that moment: "61, right" or "40, wire 61".

Where the numbers come from. librdkafka sends an event with statistics every
statistics.interval.ms (STATISTICS.md): records taken = msgs of the partitions, records
sent = txmsgs, waiting = msg_cnt, records and requests in flight = waitresp_msg_cnt and
waitresp_cnt, Produce requests = req.Produce, requests repeated = txretries, state and
epoch = eos.txn_state and eos.producer_epoch. franz-go keeps no numbers but that of
buffered records; a program counts in hooks, as plugin/kprom does: records taken in
OnProduceRecordBuffered, sent in OnProduceBatchWritten, Produce requests in
OnBrokerWrite, and those less the ones of OnBrokerE2E are in flight.

  answers=all,sends=sequential    the promise: where nothing gets lost the numbers are
                                  those of the wire. The last answer is 2 s late, so
                                  that there is something in flight
  answers=lost,sends=sequential   with retries: what does "sent" mean?
  answers=lost,sends=concurrent   the same with requests in flight together. Its numbers
                                  differ from run to run, and so are shown as measured
  answers=lost,producer=transactional
                                  two transactions, the first one committed, the second
                                  one aborted; the first answer to EndTxn gets lost too

What to look at. "Records sent" of librdkafka counts attempts, and with several in flight
also those that never reached the wire because their connection had just ended; that of
franz-go counts records that were acknowledged. So the same dashboard shows 61 for one
library and 40 for the other. txretries of librdkafka is no number of repeated Produce:
one at a time it was 0 after 21 of them, and more where requests of other kinds were on
the same connection. franz-go has none at all. Of the state of a transaction franz-go says
nothing, and its epoch grows with each transaction (KIP-890); that of librdkafka 2.11.1
stays.

A trap in franz-go's hooks: a request that was written, and whose connection ended before
its turn to be answered, comes to OnBrokerE2E with a WriteErr, though OnBrokerWrite had
none (kgo/broker.go). Who counts writes without an error less ends without one has
requests in flight for ever after the concurrent variant, 11 to 22 of them here; kcompare
counts all of which any byte was written, and comes back to 0.

What is not here: the Python client has no producer.metrics(), it has stats_cb (T25);
debug=transaction is no context of librdkafka (-186 _INVALID_ARG), eos is (T26). Both are
mistakes in a program, which nothing has to be run for.`,
		Topics: []Topic{{Role: payments, Partitions: paymentsPartitions}},
		Variants: []Variant{
			monitored(answersAll, sequential),
			monitored(answersLost, sequential),
			monitored(answersLost, concurrent),
			monitoredTransactions(),
		},
	}
}

// Whether answers to Produce get lost.
const (
	answersAll  = "all"
	answersLost = "lost"
)

// The moments at which a library is asked.
const (
	oneUnanswered = "one unanswered"
	atTheEnd      = "at the end"
	ready         = "ready"
	committed     = "committed"
	aborted       = "aborted"
)

func inTransaction(n int) string { return fmt.Sprintf("in transaction %d", n) }

// unansweredFor is how long the answer to the last payment is on its way: long enough
// for a library to speak meanwhile.
const unansweredFor = 2 * time.Second

func monitored(answers string, how sends) Variant {
	v := Variant{
		Name:              fmt.Sprintf("answers=%s,sends=%s", answers, how),
		Kind:              evidence.Observation,
		Claim:             "what does the library say of itself, and what does the wire show?",
		Settings:          map[string]string{"acks": "all", "enable.idempotence": "true"},
		Needs:             drivers.Abilities{Idempotence: true, Figures: true},
		OneRecordPerBatch: true, Repeats: how == sequential,
		About: func(p Parameters) string { return aboutMonitored(p, answers, how) },
		Plan:  func(p Parameters) fault.Plan { return watchedFaults(p, answers, how) },
		Records: func(p Parameters, place partition.Func) []fault.Record {
			return firstPayments(p, place, paymentsPartitions, watchedPayments(p))
		},
		Run:      func(ctx context.Context, s *Stage) error { return payWatched(ctx, s, how) },
		Conclude: concludeMonitoring(answers == answersAll, how == concurrent),
	}
	if answers == answersAll {
		v.Kind = evidence.Promise
		v.Claim = "while nothing gets lost, what the library says of itself is what the wire shows"
		v.Checks = []evidence.Check{check(evidence.LogRecords, "==", evidence.Intended)}
	}
	return v
}

func watchedPayments(p Parameters) int { return p.share(5) }

func aboutMonitored(p Parameters, answers string, how sends) string {
	lost := ""
	if answers == answersLost {
		lost = fmt.Sprintf(" %g %% of the answers to Produce get lost.", p.DropRate*100)
	}
	return fmt.Sprintf("%s, %s.%s The answer to the last one comes %v late; the library is asked before that, and at the end.",
		plural(watchedPayments(p), "payment"), map[sends]string{sequential: "one at a time", concurrent: "all but the last at once"}[how], lost, unansweredFor)
}

func watchedFaults(p Parameters, answers string, how sends) fault.Plan {
	last := payment(watchedPayments(p) - 1)
	plan := fault.Plan{{Name: "answer-late", Action: fault.Delay, Wait: unansweredFor, Select: firstAttempt(last)}}
	if answers == answersLost {
		plan = append(plan, loseAnswers(p, how)...)
	}
	return plan
}

func payWatched(ctx context.Context, s *Stage, how sends) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	last := watchedPayments(s.Parameters) - 1
	for n := range last {
		p.Send(ctx, payment(n))
		if how == sequential {
			if err := p.Wait(ctx); err != nil {
				return err
			}
		}
	}
	if err := p.Wait(ctx); err != nil {
		return err
	}
	p.Send(ctx, payment(last))
	if err := p.tellUnanswered(ctx); err != nil {
		return err
	}
	if err := p.Wait(ctx); err != nil {
		return err
	}
	return p.tellAtRest(ctx, atTheEnd)
}

// atRest is how long a library gets until its numbers are asked for: kgo reports on a
// record before it calls the hooks (kgo/sink.go).
const atRest = 200 * time.Millisecond

func (p *Producer) tellAtRest(ctx context.Context, moment string) error {
	if err := p.stage.Pause(ctx, atRest); err != nil {
		return err
	}
	return p.Tell(ctx, moment)
}

// tellUnanswered notes the first figures that show something in flight, or the last ones
// before everything was reported. A library tells nobody when a figure changes, so it is
// asked again and again.
func (p *Producer) tellUnanswered(ctx context.Context) error {
	const pause = 20 * time.Millisecond
	for {
		figures, err := p.Figures(ctx)
		if err != nil {
			return p.stage.failed(p.who, "ask a library of itself", err)
		}
		if p.isReported() || !says(figures, "0") {
			p.stage.Ledger.noteFigures(oneUnanswered, figures)
			return nil
		}
		if err := p.stage.Pause(ctx, pause); err != nil {
			return err
		}
	}
}

// says is whether so many records are in flight, or requests where a library tells of
// those alone.
func says(figures drivers.Figures, number string) bool {
	if records, told := figures[drivers.RecordsInFlight]; told {
		return records == number
	}
	return figures[drivers.RequestsOpen] == number
}

func (p *Producer) isReported() bool {
	select {
	case <-p.outstanding.None():
		return true
	default:
		return false
	}
}

// watchedInTransaction is how many payments each of the two transactions has.
const watchedInTransaction = 5

func monitoredTransactions() Variant {
	return Variant{
		Name: "answers=lost,producer=transactional", Kind: evidence.Observation,
		Claim:             "what does the library say of a transaction?",
		Settings:          transactionSettings("monitoring"),
		Needs:             drivers.Abilities{Idempotence: true, Transactions: true, Figures: true},
		OneRecordPerBatch: true, BothViews: true,
		About: func(p Parameters) string {
			return fmt.Sprintf("Two transactions of %s, one at a time; %g %% of the answers to Produce get lost, and the first one to EndTxn. The first transaction is committed, the second one aborted.",
				plural(watchedInTransaction, "payment"), p.DropRate*100)
		},
		Plan: func(p Parameters) fault.Plan {
			lost := fault.Rule{Name: "lose-answer-to-end", Action: fault.DropResponse, Select: firstEndTxn()}
			return append(fault.Plan{lost}, loseAnswers(p, sequential)...)
		},
		Records: func(p Parameters, place partition.Func) []fault.Record {
			return firstPayments(p, place, paymentsPartitions, 2*watchedInTransaction)
		},
		Run:      watchTransactions,
		Conclude: concludeMonitoredTransactions,
	}
}

func watchTransactions(ctx context.Context, s *Stage) error {
	p, err := s.initialized(ctx)
	if err != nil {
		return err
	}
	if err := p.Tell(ctx, ready); err != nil {
		return err
	}
	if err := p.watch(ctx, 1, p.Commit, committed); err != nil {
		return err
	}
	return p.watch(ctx, 2, p.Abort, aborted)
}

// watch is the nth transaction, and what the library says in it and after it.
func (p *TransactionalProducer) watch(ctx context.Context, n int, end func(context.Context) error, after string) error {
	if err := p.Begin(ctx); err != nil {
		return err
	}
	for i := range watchedInTransaction {
		p.Send(ctx, payment((n-1)*watchedInTransaction+i))
		if err := p.Wait(ctx); err != nil {
			return err
		}
	}
	if err := p.tellAtRest(ctx, inTransaction(n)); err != nil {
		return err
	}
	if err := end(ctx); err != nil {
		return err
	}
	return p.tellAtRest(ctx, after)
}
