package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// The part of graceful-shutdown that ends in the middle of a transaction.

const (
	firstInstance = "first instance"
	nextInstance  = "next instance"

	firstClient = "kcompare-first" // client.id, by which its requests are known on the wire
)

const (
	askedEndTxn = "EndTxn that the process sent"
	askedOpen   = "left open when it had ended"

	nothing        = "nothing"
	theTransaction = "the transaction"
)

// endsInTransaction is a first instance that writes half of the payments in a transaction
// and ends as the variant has it, and a next one with the same transactional.id that
// writes the others.
type endsInTransaction struct {
	name    string
	verbs   []verb // what the first instance does after its payments are reported
	handles bool   // SIGTERM
	signal  func(*Contestant) error

	// What the claim says; "" where there is none.
	ended, endTxn, leavesOpen string
}

func (w endsInTransaction) variant() Variant {
	return Variant{
		Name: w.name, Processes: true, Terminates: w.signal != nil,
		Settings: transactionSettings("payment-service"),
		Needs:    drivers.Abilities{Idempotence: true, Transactions: true, PlainClose: slices.Contains(w.verbs, closePlainly)},
		Plan:     noFaults,
		Records: func(p Parameters, place partition.Func) []fault.Record {
			return firstPayments(p, place, paymentsPartitions, 2*half(p))
		},
		Run: w.play,
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return []evidence.Answer{{Question: askedEndTxn, Answer: endTxnOf(o.Trace, firstClient), Expected: w.endTxn}}
		},
		About: func(p Parameters) string {
			return fmt.Sprintf("%s: the first instance writes %d in a transaction and ends; the next one has the same transactional.id and writes the others.",
				plural(2*half(p), "payment"), half(p))
		},
	}
}

func half(p Parameters) int { return max(1, p.share(20)) }

// play ends with the next instance, which ends whatever the first has left open: the
// log is not read back before everything in it is decided.
func (w endsInTransaction) play(ctx context.Context, s *Stage) error {
	verbs := append([]verb{initID, begin, produce, reports}, w.verbs...)
	first, err := s.start(ctx, firstInstance, script{To: half(s.Parameters), Verbs: verbs, Handles: w.handles}, Setting{"client.id", firstClient})
	if err != nil {
		return err
	}
	written, err := first.Did(ctx, reports)
	if err != nil {
		return err
	}
	asked, from := "last report to end of process", written.at
	if w.signal != nil {
		asked, from = askedSignalled, s.Elapsed()
		if err := w.signal(first); err != nil {
			return err
		}
	}
	ended, err := first.Ended(ctx)
	if err != nil {
		return err
	}
	s.Answer(evidence.Answer{Question: askedEnd, Answer: ended, Expected: w.ended})
	s.Answer(measured(asked, millis(s.Elapsed()-from)))
	s.Answer(evidence.Answer{Question: askedOpen, Answer: leftOpen(ctx, s), Expected: w.leavesOpen})
	return w.playNext(ctx, s)
}

func (w endsInTransaction) playNext(ctx context.Context, s *Stage) error {
	next, err := s.NewTransactionalProducer(nextInstance)
	if err != nil {
		return err
	}
	started := s.Elapsed()
	if err := next.Init(ctx); err != nil {
		return err
	}
	s.Answer(measured("init of the next instance", millis(s.Elapsed()-started)))
	if err := next.Begin(ctx); err != nil {
		return err
	}
	if err := next.pay(ctx, half(s.Parameters), 2*half(s.Parameters)); err != nil {
		return err
	}
	return next.Commit(ctx)
}

// What a process that is gone has sent reaches the proxy soon; how long a broker takes
// to write markers after EndTxn is its own affair.
const (
	arrivesSoon = 500 * time.Millisecond
	decidedThen = 10 * time.Second
)

// leftOpen says whether a transaction is open when its producer is gone.
func leftOpen(ctx context.Context, s *Stage) string {
	patience := arrivesSoon
	if anyEndTxn(ctx, s) {
		patience = decidedThen
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	switch err := s.Watch.Decided(ctx); {
	case err == nil:
		return nothing
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return theTransaction
	}
	return "" // nobody could look
}

// anyEndTxn says whether the first instance asked for an end.
func anyEndTxn(ctx context.Context, s *Stage) bool {
	ctx, cancel := context.WithTimeout(ctx, arrivesSoon)
	defer cancel()
	_, err := s.Watch.Exchange(ctx, func(e evidence.Exchange) bool { return e.API == "EndTxn" && e.Client == firstClient })
	return err == nil
}

// endTxnOf is how a client asked for the end of its transactions: "none", "abort".
func endTxnOf(t evidence.Trace, client string) string {
	var asked []string
	for _, e := range t.Exchanges {
		if end := endOf(e); end != "" && e.Client == client {
			asked = append(asked, string(end))
		}
	}
	if len(asked) == 0 {
		return "none"
	}
	return strings.Join(asked, ", ")
}

// nothingVisible are the checks where only the next instance may have come through.
func nothingVisible() []evidence.Check {
	return []evidence.Check{
		check(evidence.Committed, "==", 1),
		check(evidence.Visible, "==", evidence.CommittedRecords),
		check(evidence.FencedVisible, "==", 0),
	}
}

func wroteSomething() []evidence.Check {
	return []evidence.Check{check(evidence.AbortedRecords, ">", 0)}
}

func termUnhandled() Variant {
	v := endsInTransaction{
		name: "handler=none,signal=term", verbs: []verb{stay}, signal: (*Contestant).Terminate,
		ended: "signal: terminated", endTxn: "none", leavesOpen: theTransaction,
	}.variant()
	v.Kind, v.Claim = evidence.Control, "the transaction stays open until the next instance; nothing of it is visible"
	v.Checks, v.Requires = nothingVisible(), wroteSomething()
	return v
}

func termAborted() Variant {
	v := endsInTransaction{
		name: "handler=abort,signal=term", verbs: []verb{stay, abortIt, closeIt}, handles: true, signal: (*Contestant).Terminate,
		ended: endedWell, endTxn: "abort", leavesOpen: nothing,
	}.variant()
	v.Kind, v.Claim = evidence.Promise, "the open transaction is aborted, and nothing is left"
	v.Checks = append(nothingVisible(), check(evidence.AbortedEnds, "==", 1))
	v.Requires = wroteSomething()
	return v
}

func termCommitted() Variant {
	v := endsInTransaction{
		name: "handler=commit,signal=term", verbs: []verb{stay, commitIt, closeIt}, handles: true, signal: (*Contestant).Terminate,
		ended: endedWell, endTxn: "commit", leavesOpen: nothing,
	}.variant()
	v.Kind, v.Claim = evidence.Promise, "the transaction is finished, and all of it is visible"
	v.Checks = []evidence.Check{
		check(evidence.Committed, "==", 2),
		check(evidence.Visible, "==", evidence.Intended),
	}
	return v
}

func killed() Variant {
	v := endsInTransaction{
		name: "handler=abort,signal=kill", verbs: []verb{stay, abortIt, closeIt}, handles: true, signal: (*Contestant).Kill,
		ended: "signal: killed", endTxn: "none", leavesOpen: theTransaction,
	}.variant()
	v.Kind, v.Claim = evidence.Promise, "no handler runs, and all the same nothing of the transaction is visible"
	v.Checks, v.Requires = nothingVisible(), wroteSomething()
	return v
}

func closedInTransaction() Variant {
	v := endsInTransaction{
		name: "end=close,transaction=open", verbs: []verb{closePlainly}, ended: endedWell,
	}.variant()
	v.Kind, v.Claim = evidence.Promise, "whatever a library's close does with an open transaction, nothing of it is visible"
	v.Checks, v.Requires = nothingVisible(), wroteSomething()
	return v
}

// Terminate sends SIGTERM.
func (c *Contestant) Terminate() error { return c.signalled("SIGTERM", c.process.Terminate()) }

// Kill sends SIGKILL.
func (c *Contestant) Kill() error { return c.signalled("SIGKILL", c.process.Kill()) }

func (c *Contestant) signalled(name string, err error) error {
	if err != nil {
		return fmt.Errorf("send %s to %s: %w", name, c.who, err)
	}
	return nil
}
