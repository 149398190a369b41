package audit_test

import (
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

const (
	dead               = 6 // the instance that dies in its transaction
	deadProducer int64 = 6000
	abandoned          = "order-8"
)

// abandon has an instance of its own begin a transaction, write one record and die.
func (w *world) abandon() {
	t := evidence.Transaction{N: len(w.Transactions) + 1, Instance: dead, Outcome: evidence.TransactionUnknown}
	w.Transactions = append(w.Transactions, t)
	w.output(processed, abandoned, order(8), t)
	p, i := w.find(abandoned)
	p.Batches[i].ProducerID = deadProducer
	w.requests(abandoned)[0].Batches[0].ProducerID = deadProducer
	w.readAll()
}

// expire ends the transaction of the dead instance, as the broker does at its
// timeout.
func (w *world) expire() {
	p := w.partition(processed, 0)
	appendBatch(p, evidence.Batch{
		BaseOffset: p.After, LastOffset: p.After, ProducerID: deadProducer, BaseSequence: -1,
		Transactional: true, Control: evidence.Abort,
	})
	w.readAll()
}

// stuckWorld: a dead instance left a transaction open in one of two topics, and then
// another one committed orders 6 and 7.
func stuckWorld() *world {
	w := transactional()
	w.abandon()
	w.processOrder(6, successor, evidence.Commit)
	w.processOrder(7, successor, evidence.Commit)
	w.readAll()
	return w
}

// stuckCounts are those of stuckWorld when the transaction is open still.
func stuckCounts() evidence.Counts {
	return with(transactionalCounts(), evidence.Counts{
		evidence.Acked: 17, evidence.LogDelta: 33, evidence.LogRecords: 17, evidence.Unique: 17,
		evidence.Transactions: 9, evidence.Committed: 7, evidence.Undecided: 1, evidence.CommittedRecords: 14,
		evidence.Visible: 12, evidence.Stuck: 2,
	})
}

func stuckOrders(n int64, cause string) []evidence.Anomaly {
	return []evidence.Anomaly{{Kind: evidence.StuckReader, Count: n, Cause: cause, First: "order-6"}}
}

func TestStuck(t *testing.T) {
	held := func(w *world) evidence.Standing {
		p, i := w.find(abandoned)
		return evidence.Standing{Topic: processed, Stable: p.Batches[i].BaseOffset, End: p.After}
	}
	none := evidence.Counts{evidence.Stuck: 0, evidence.Visible: 14, evidence.LogDelta: 34, evidence.AbortedRecords: 3}
	one := with(none, evidence.Counts{evidence.Stuck: 1})
	both := with(none, evidence.Counts{evidence.Stuck: 2})
	checkPlantedIn(t, stuckWorld, stuckCounts(), []planted{
		{name: "open at the end", plant: func(*world) {}, anomalies: stuckOrders(2, audit.StuckAbandoned)},
		{name: "asked for, and not in the log", plant: func(w *world) { w.transaction(6).Asked = evidence.AskedCommit },
			anomalies: stuckOrders(2, audit.StuckUnended)},
		{name: "of a stranger", plant: func(w *world) {
			p, i := w.find(abandoned)
			p.Batches[i].Records[0].Send.Instance = 77
		}, counts: evidence.Counts{evidence.Stuck: 2, evidence.LostRecords: 1}, anomalies: []evidence.Anomaly{
			{Kind: evidence.Lost, Count: 1, Cause: audit.LostByBroker, First: abandoned},
			{Kind: evidence.Phantom, Count: 1, Cause: audit.PhantomUnknown, First: "kcompare-processed-0 offset 12"},
			stuckOrders(2, audit.StuckStranger)[0],
		}},
		{name: "nothing is committed behind it", plant: func(w *world) {
			for _, key := range []string{"order-6", "order-7"} {
				w.decide(key, evidence.Abort)
				w.decide("event"+key[5:], evidence.Abort)
			}
			for n := 7; n < 9; n++ {
				w.transaction(n).Asked, w.transaction(n).Outcome = evidence.AskedAbort, evidence.TransactionAborted
			}
		}, counts: evidence.Counts{
			evidence.Stuck: 0, evidence.Visible: 10, evidence.Committed: 5, evidence.AbortedEnds: 3, evidence.CommittedRecords: 10,
			evidence.AbortedRecords: 6,
		}},
		{name: "ended, and nobody looked", plant: (*world).expire, counts: none},
		{name: "ended, the story looked when both were committed", plant: func(w *world) {
			w.Standing = []evidence.Standing{held(w)}
			w.expire()
		}, counts: both, anomalies: stuckOrders(2, audit.StuckMeanwhile)},
		{name: "ended, the story looked twice", plant: func(w *world) {
			w.Standing = []evidence.Standing{held(w), held(w)}
			w.Standing[0].End -= 2
			w.expire()
		}, counts: both, anomalies: stuckOrders(2, audit.StuckMeanwhile)},
		{name: "ended, the story looked before the marker of the second", plant: func(w *world) {
			w.Standing = []evidence.Standing{held(w)}
			w.Standing[0].End--
			w.expire()
		}, counts: one, anomalies: stuckOrders(1, audit.StuckMeanwhile)},
		{name: "ended by its producer in the end: it was not dead", plant: func(w *world) {
			w.Standing = []evidence.Standing{held(w)}
			w.transaction(6).Asked = evidence.AskedAbort
			w.expire()
		}, counts: none},
		{name: "another partition stood", plant: func(w *world) {
			w.Standing = []evidence.Standing{held(w)}
			w.Standing[0].Topic = events
			w.expire()
		}, counts: none},
		{name: "a record without a transaction behind it", plant: func(w *world) {
			p, i := w.find("order-7")
			p.Batches[i].Transactional = false
			w.readAll()
		}, anomalies: stuckOrders(2, audit.StuckAbandoned)},
	})
}
