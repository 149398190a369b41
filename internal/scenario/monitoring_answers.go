package scenario

import (
	"fmt"
	"strconv"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

const notTold = "not told"

// compared is a figure at a moment, and what the wire shows of it.
type compared struct {
	moment   string
	figure   drivers.Figure
	wire     string // "" where the wire has no word for it
	measured bool   // it depends on time
}

// answer is "40, right" or "40, wire 61"; a claim expects the first.
func (c compared) answer(o *evidence.Observed, claimed bool) evidence.Answer {
	a := evidence.Answer{Question: fmt.Sprintf("%s: %s", c.moment, c.figure), Measured: c.measured}
	asked, told, value := saidAt(o, c.moment, c.figure)
	switch right := c.wire + ", right"; {
	case !asked:
		return a
	case !told:
		a.Answer = notTold
	case c.wire == "":
		a.Answer = value
	default:
		a.Answer = fmt.Sprintf("%s, wire %s", value, c.wire)
		if value == c.wire {
			a.Answer = right
		}
		if claimed && !c.measured {
			a.Expected = right
		}
	}
	return a
}

// saidAt is what the library said at a moment.
func saidAt(o *evidence.Observed, moment string, figure drivers.Figure) (asked, told bool, value string) {
	for _, t := range o.Told {
		if t.Moment == moment {
			value, told = t.Figures[string(figure)]
			return true, told, value
		}
	}
	return false, false, ""
}

// onTheWire is what the trace has of a producer.
type onTheWire struct {
	requests, records, again int64
	epoch                    int16 // of the last batch
}

func produced(t evidence.Trace) onTheWire {
	var w onTheWire
	for _, e := range t.Exchanges {
		if e.API == "Produce" {
			w.requests++
		}
		repeated := false
		for _, b := range e.Batches {
			w.records += int64(b.Records)
			w.epoch = b.ProducerEpoch
			repeated = repeated || b.Attempt > 1
		}
		if repeated {
			w.again++
		}
	}
	return w
}

// concludeMonitoring compares what was said while the last answer was on its way, and
// at the end. Requests in flight and requests repeated are those of every kind where
// librdkafka counts, so that they depend on what else it asks.
func concludeMonitoring(claimed, concurrent bool) func(*evidence.Observed) []evidence.Answer {
	return func(o *evidence.Observed) []evidence.Answer {
		w := produced(o.Trace)
		number := func(n int64) string { return strconv.FormatInt(n, 10) }
		var answers []evidence.Answer
		for _, c := range []compared{
			{oneUnanswered, drivers.RecordsWaiting, "1", false},
			{oneUnanswered, drivers.RecordsInFlight, "1", false},
			{oneUnanswered, drivers.RequestsOpen, "1", true},
			{atTheEnd, drivers.RecordsTaken, number(int64(len(o.Sends))), false},
			{atTheEnd, drivers.RecordsSent, number(w.records), false},
			{atTheEnd, drivers.ProduceRequests, number(w.requests), false},
			{atTheEnd, drivers.RequestsAgain, number(w.again), true},
			{atTheEnd, drivers.RecordsWaiting, "0", false},
			{atTheEnd, drivers.RecordsInFlight, "0", false},
			{atTheEnd, drivers.RequestsOpen, "0", true},
			{atTheEnd, drivers.ProducerEpoch, number(int64(w.epoch)), false},
		} {
			c.measured = c.measured || concurrent
			answers = append(answers, c.answer(o, claimed))
		}
		return answers
	}
}

// concludeMonitoredTransactions compares epochs with those of the batches of each
// transaction; what is told between two is the epoch of the next one. The wire has no
// word for a state.
func concludeMonitoredTransactions(o *evidence.Observed) []evidence.Answer {
	first, second := epochOf(o, 1), epochOf(o, 2)
	var answers []evidence.Answer
	for _, c := range []compared{
		{moment: ready, figure: drivers.TransactionState},
		{moment: inTransaction(1), figure: drivers.TransactionState},
		{moment: committed, figure: drivers.TransactionState},
		{moment: inTransaction(2), figure: drivers.TransactionState},
		{moment: aborted, figure: drivers.TransactionState},
		{moment: inTransaction(1), figure: drivers.ProducerEpoch, wire: first},
		{moment: committed, figure: drivers.ProducerEpoch, wire: second},
		{moment: inTransaction(2), figure: drivers.ProducerEpoch, wire: second},
	} {
		answers = append(answers, c.answer(o, false))
	}
	return answers
}

// epochOf is that of the last batch of a transaction; "" if none was sent.
func epochOf(o *evidence.Observed, transaction int) string {
	id, wrote := identityOf(o, transaction)
	if !wrote {
		return ""
	}
	return strconv.Itoa(int(id.Epoch))
}
