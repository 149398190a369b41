package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// This file has the variants of transaction-timeout in which the broker does not get to
// abort anything: a commit that is faster than its sweep, a newer instance that is, and
// a timeout that it does not grant.

// A sweep comes every half second. A commit that follows the timeout so closely is nearly
// always ahead of it; where it is not, the program tries again.
const (
	justAfter   = 25 * time.Millisecond
	sweepTrials = 6
)

func commitBeforeSweep() Variant {
	v := timeoutVariant("then=commit-before-sweep", evidence.Promise,
		"a commit after the timeout succeeds until the broker has looked", inTime, timedOut)
	timesOut(v.Settings, hasty)
	v.NeedsKafka = "the embedded broker aborts a transaction exactly at its timeout"
	v.Requires = []evidence.Check{check(evidence.Committed, "==", 2)}
	v.Checks = []evidence.Check{
		check(evidence.Visible, "==", evidence.CommittedRecords),
		check(evidence.AbortedSeen, "==", 0),
	}
	v.About = func(Parameters) string {
		return fmt.Sprintf("transaction.timeout.ms is %v. The program commits %v after that, and tries again if the broker was faster.", hasty, justAfter)
	}
	v.Run = func(ctx context.Context, s *Stage) error { return (&overtime{stage: s}).commitInTime(ctx) }
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{lateCommit(o)} }
	return v
}

// commitInTime tries until a commit was faster than the broker's sweep.
func (o *overtime) commitInTime(ctx context.Context) error {
	if err := o.open(ctx); err != nil {
		return err
	}
	for n := 1; ; n++ {
		if err := o.stage.Pause(ctx, hasty+justAfter); err != nil {
			return err
		}
		err := o.producer.Commit(ctx)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		if n == sweepTrials {
			return fmt.Errorf("commit after the timeout and before the sweep: the broker was faster %d times, the last answer: %w", n, err)
		}
		if o.producer, err = o.producer.restart(ctx); err != nil {
			return err
		}
		if err := o.producer.begins(ctx, payment(timedOut)); err != nil {
			return err
		}
	}
}

// lateCommit looks on the wire for a commit that was answered ok, so long after the write
// before it was answered that its transaction had timed out.
func lateCommit(o *evidence.Observed) evidence.Answer {
	answer := evidence.Answer{Question: "committed after the timeout", Answer: "no", Expected: "yes"}
	var written *evidence.Exchange
	for i := range o.Trace.Exchanges {
		e := &o.Trace.Exchanges[i]
		switch {
		case e.Carries(payment(timedOut).ID):
			written = e
		case endOf(*e) == evidence.AskedCommit && e.Result == okResult && written != nil && since(*written, *e) > timeoutOf(o):
			answer.Answer = "yes"
		}
	}
	return answer
}

// fencedInstead has a newer instance take over, which is told to the old one in the same
// words as a timeout.
func fencedInstead() Variant {
	v := nothingOfIt(timeoutVariant("cause=newer-instance,then=commit", evidence.Control,
		"a newer instance leads to the same words, and is named as the cause", inTime, timedOut, nextOne))
	v.BrokerRows = []string{"zombie-commit", "zombie-commit-old", "zombie-abort", "zombie-abort-old", "init-over-open"}
	v.About = func(Parameters) string {
		return "Nothing times out: a newer instance with the same transactional.id takes over while a transaction is open, and then its producer commits."
	}
	v.Run = func(ctx context.Context, s *Stage) error { return (&overtime{stage: s}).commitFenced(ctx) }
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{timeoutCause(o, byInstance)} }
	return v
}

func (o *overtime) commitFenced(ctx context.Context) error {
	if err := o.open(ctx); err != nil {
		return err
	}
	heir, err := o.stage.NewTransactionalProducer(newInstance)
	if err != nil {
		return err
	}
	if err := heir.Init(ctx); err != nil {
		return err
	}
	o.commit(ctx)
	return heir.commits(ctx, payment(nextOne))
}

// beyondLimit is more than transaction.max.timeout.ms grants by default.
const beyondLimit = "1200000"

func timeoutTooLong() Variant {
	v := timeoutVariant("transaction.timeout.ms="+beyondLimit, evidence.Promise, "a timeout above the broker's limit is refused before anything is written", inTime)
	v.Settings["transaction.timeout.ms"] = beyondLimit
	v.Checks = []evidence.Check{
		check(evidence.LogRecords, "==", 1), // of the producer that asked for less
		check(evidence.Committed, "==", 1),
	}
	v.About = func(Parameters) string {
		return "A producer asks for 20 minutes; a broker grants 15 by default (transaction.max.timeout.ms). Then one asks for a minute, and writes."
	}
	v.Run = askTooMuch
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{refusedTimeout(o)} }
	return v
}

func askTooMuch(ctx context.Context, s *Stage) error {
	p, err := s.NewTransactionalProducer("")
	s.Answer(evidence.Answer{Question: "making it is told", Answer: toldOf(err)})
	if err != nil {
		return err
	}
	err = p.Init(ctx)
	s.Answer(evidence.Answer{Question: "init is told", Answer: toldOf(err)})
	s.Answer(evidence.Answer{Question: "of class", Answer: classOf(err)})
	s.Answer(evidence.Answer{Question: "its text names", Answer: settingIn(err)})
	if err := p.Close(); err != nil || ctx.Err() != nil {
		return cmp.Or(err, ctx.Err())
	}
	modest, err := s.NewTransactionalProducer("", Setting{"transaction.timeout.ms", "60000"})
	if err != nil {
		return err
	}
	if err := modest.Init(ctx); err != nil {
		return err
	}
	return modest.commits(ctx, payment(inTime))
}

// settingIn is the first word of an error's text that looks like a setting.
func settingIn(err error) string {
	var e *drivers.Error
	if errors.As(err, &e) {
		for word := range strings.FieldsFuncSeq(e.Text, func(r rune) bool { return strings.ContainsRune(" ,;:()`'\"", r) }) {
			if strings.Count(word, ".") > 1 {
				return word
			}
		}
	}
	return "no setting"
}

// refusedTimeout has no answer where the cluster's limit is a higher one.
func refusedTimeout(o *evidence.Observed) evidence.Answer {
	answer := evidence.Answer{Question: "InitProducerId is answered", Expected: "INVALID_TRANSACTION_TIMEOUT"}
	for _, e := range o.Trace.Exchanges {
		if e.API == initProducerID && e.Answered && e.Result != okResult {
			answer.Answer = e.Result
		}
	}
	return answer
}
