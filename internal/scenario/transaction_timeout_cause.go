package scenario

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/internal/evidence"
)

// Why a producer was refused. Brokers and libraries say "fenced" of both.
const (
	byTimeout  = "the timeout"
	byInstance = "a newer instance"
	byNeither  = "neither"
)

// What the trace calls requests and answers.
const (
	initProducerID = "InitProducerId"
	okResult       = "ok"
)

// timeoutCause computes why the transaction of the payment timedOut was refused: what was on
// the wire between its write and the first refusal. Nothing is known where nothing was
// refused.
func timeoutCause(o *evidence.Observed, expected string) evidence.Answer {
	answer := evidence.Answer{Question: "cause", Expected: expected}
	all := o.Trace.Exchanges
	wrote := slices.IndexFunc(all, func(e evidence.Exchange) bool { return e.Carries(payment(timedOut).ID) && e.Result == okResult })
	if wrote < 0 {
		return answer
	}
	refused := slices.IndexFunc(all[wrote:], refusesProducer)
	if refused < 0 {
		return answer
	}
	refused += wrote
	switch {
	case slices.ContainsFunc(all[wrote:refused], isStart):
		answer.Answer = byInstance
	case aboutAfter(all[wrote], all[refused], timeoutOf(o)):
		answer.Answer = byTimeout
	default:
		answer.Answer = byNeither
	}
	return answer
}

// refusals are the codes with which brokers refuse a producer that was fenced or whose
// transaction is gone. Others, as CONCURRENT_TRANSACTIONS, only put it off.
var refusals = []string{"INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED", "INVALID_TXN_STATE", "TRANSACTION_ABORTABLE"}

// refusesProducer says whether a broker refused what a transaction is made of.
func refusesProducer(e evidence.Exchange) bool {
	switch e.API {
	case "Produce", "AddPartitionsToTxn", "EndTxn":
		return e.Answered && slices.ContainsFunc(refusals, func(code string) bool { return strings.Contains(e.Result, code) })
	}
	return false
}

// isStart says whether an instance asked for its first epoch, which fences every other
// one. A client that has an id asks with it, to get over an error of its own (KIP-360).
func isStart(e evidence.Exchange) bool {
	return e.API == initProducerID && e.Forwarded && strings.Contains(e.Summary, " pid=-1 ")
}

// since is how long after the answer to one request another one came.
func since(e, f evidence.Exchange) time.Duration {
	return time.Duration(f.At-e.AnsweredAt) * time.Microsecond
}

// aboutAfter leaves some room: a transaction begins before its first write is answered.
func aboutAfter(e, f evidence.Exchange, d time.Duration) bool {
	const room = 500 * time.Millisecond
	return d > 0 && since(e, f) > d-room
}

// timeoutOf is the trial's transaction.timeout.ms.
func timeoutOf(o *evidence.Observed) time.Duration {
	ms, err := strconv.Atoi(o.Trial.Config["transaction.timeout.ms"])
	if err != nil {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// writeTold is what the client reported of the payment writtenOn.
func writeTold(o *evidence.Observed) evidence.Answer {
	answer := evidence.Answer{Question: "the late write is told"}
	for _, s := range o.Sends {
		switch {
		case s.ID != payment(writtenOn).ID:
		case s.Error != nil:
			answer.Answer = s.Error.Code
		case s.Outcome == evidence.OutcomeAcked:
			answer.Answer = okResult
		}
	}
	return answer
}
