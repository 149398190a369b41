package audit_test

import (
	"cmp"
	"slices"
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// lateEnd puts an EndTxn on the wire that came before the first record of order 1 and
// that the broker answered right after it; its event comes after that. change makes it
// another one.
func (w *world) lateEnd(commit bool, change func(*evidence.Exchange)) {
	const apart = 100
	for i := range w.Trace.Exchanges {
		e := &w.Trace.Exchanges[i]
		e.N *= apart
		e.AnsweredAt = e.N
	}
	order := w.requests("order-1")[0]
	late := endTxn(order.N-apart/2, order.N+apart/2, commit)
	change(&late)
	w.Trace.Exchanges = append(w.Trace.Exchanges, late)
	w.sortTrace()
}

// endTxn is one of the program that the broker answered.
func endTxn(n, at int64, commit bool) evidence.Exchange {
	e := delivered()
	e.N, e.AnsweredAt, e.API = n, at, "EndTxn"
	e.End = &evidence.TraceEnd{Commit: commit, ProducerID: programProducer, ProducerEpoch: program, Code: "ok"}
	return e
}

func (w *world) sortTrace() {
	slices.SortFunc(w.Trace.Exchanges, func(x, y evidence.Exchange) int { return cmp.Compare(x.N, y.N) })
}

// TestLate: who ended a transaction is said only where the trace proves it. That of
// order 1 is committed, and the client says aborted.
func TestLate(t *testing.T) {
	wrong := evidence.Counts{
		evidence.Committed: 4, evidence.AbortedEnds: 2, evidence.CommittedRecords: 8, evidence.AbortedSeen: 2,
	}
	story := func(commit bool, change func(*world, *evidence.Exchange)) func(*world) {
		return func(w *world) {
			w.transaction(1).Outcome = evidence.TransactionAborted
			w.lateEnd(commit, func(e *evidence.Exchange) { change(w, e) })
			w.sortTrace()
		}
	}
	because := func(cause string) []evidence.Anomaly {
		return []evidence.Anomaly{{Kind: evidence.AbortedVisible, Count: 2, Cause: cause, First: "order-1"}}
	}
	var table []planted
	for _, tt := range []struct {
		name   string
		abort  bool
		change func(*world, *evidence.Exchange)
		cause  string
	}{
		{"a late commit", false, func(*world, *evidence.Exchange) {}, audit.LateCommit},
		{"done when the record was", false, func(_ *world, e *evidence.Exchange) { e.AnsweredAt -= 50 }, audit.LateCommit},
		{"it was an abort", true, func(*world, *evidence.Exchange) {}, audit.AbortedCommitted},
		{"done before the record was", false, func(_ *world, e *evidence.Exchange) { e.AnsweredAt -= 51 }, audit.AbortedCommitted},
		{"it came after the record", false, func(_ *world, e *evidence.Exchange) { e.N += 51 }, audit.AbortedCommitted},
		{"refused", false, func(_ *world, e *evidence.Exchange) { e.End.Code = "PRODUCER_FENCED" }, audit.AbortedCommitted},
		{"of another epoch", false, func(_ *world, e *evidence.Exchange) { e.End.ProducerEpoch++ }, audit.AbortedCommitted},
		{"of another producer", false, func(_ *world, e *evidence.Exchange) { e.End.ProducerID++ }, audit.AbortedCommitted},
		{"the client's own came first", false, func(w *world, e *evidence.Exchange) {
			own := endTxn(e.N+60, e.AnsweredAt-10, true)
			w.Trace.Exchanges = append(w.Trace.Exchanges, own)
		}, audit.AbortedCommitted},
		{"the client's own came later", false, func(w *world, e *evidence.Exchange) {
			own := endTxn(e.N+60, e.AnsweredAt+10, true)
			w.Trace.Exchanges = append(w.Trace.Exchanges, own)
		}, audit.LateCommit},
		{"the end of the one before came first, as it must", false, func(w *world, e *evidence.Exchange) {
			w.Trace.Exchanges = append(w.Trace.Exchanges, endTxn(e.N+10, e.N+20, true))
		}, audit.LateCommit},
		{"it came between the two records, and was done after both", false, func(w *world, e *evidence.Exchange) {
			e.N, e.AnsweredAt = w.requests("order-1")[0].N+50, w.requests("event-1")[0].N+50
		}, audit.AbortedCommitted},
		{"it ended the transaction before", false, func(w *world, e *evidence.Exchange) {
			e.N, e.AnsweredAt = w.requests("order-0")[0].N-50, w.requests("event-0")[0].N+50
		}, audit.AbortedCommitted},
		{"it ended one of the successor", false, func(w *world, e *evidence.Exchange) {
			e.End.ProducerEpoch, e.AnsweredAt = successor, w.requests("order-4")[0].N+50
		}, audit.AbortedCommitted},
		{"the record was never written", false, func(w *world, _ *evidence.Exchange) {
			for _, key := range []string{"order-1", "event-1"} {
				w.requests(key)[0].Batches[0].Code = "NOT_LEADER_OR_FOLLOWER"
			}
		}, audit.AbortedCommitted},
	} {
		table = append(table, planted{
			name: tt.name, plant: story(!tt.abort, tt.change), counts: wrong, anomalies: because(tt.cause),
		})
	}
	checkPlantedIn(t, transactional, transactionalCounts(), table)
}

// TestTornByALateEnd: what was written before it has another end than what came after.
func TestTornByALateEnd(t *testing.T) {
	const order, event = "order-1", "event-1"
	same := func(*evidence.Exchange) {}
	checkPlantedIn(t, transactional, transactionalCounts(), []planted{
		{name: "committed before, aborted after, told aborted", plant: func(w *world) {
			w.transaction(1).Outcome = evidence.TransactionAborted
			w.decide(event, evidence.Abort)
			w.lateEnd(true, same)
		}, counts: evidence.Counts{
			evidence.Committed: 4, evidence.AbortedEnds: 2, evidence.CommittedRecords: 8, evidence.AbortedSeen: 1,
			evidence.AbortedRecords: 3, evidence.Visible: 9, evidence.Torn: 1,
		}, anomalies: slices.Concat(
			one(evidence.AbortedVisible, audit.LateCommit, order), one(evidence.TornTransaction, audit.LateCommit, event))},
		{name: "aborted before, committed after, told committed", plant: func(w *world) {
			w.decide(order, evidence.Abort)
			w.lateEnd(false, same)
		}, counts: evidence.Counts{
			evidence.LostRecords: 1, evidence.AbortedRecords: 3, evidence.Visible: 9, evidence.Torn: 1,
		}, anomalies: slices.Concat(
			one(evidence.Lost, audit.LateAbort, order), one(evidence.TornTransaction, audit.LateAbort, order))},
	})
}

// TestStray: a record that came before the end of its transaction and was written after
// it stands in another transaction.
func TestStray(t *testing.T) {
	story := func(change func(produce, end *evidence.Exchange)) func(*world) {
		return func(w *world) {
			w.transaction(1).Outcome = evidence.TransactionAborted
			w.lateEnd(false, func(end *evidence.Exchange) {
				produce := w.requests("order-1")[0]
				end.N, end.AnsweredAt = produce.N+10, produce.N+20
				produce.AnsweredAt = produce.N + 30
				change(produce, end)
			})
		}
	}
	counts := evidence.Counts{
		evidence.Committed: 4, evidence.AbortedEnds: 2, evidence.CommittedRecords: 8, evidence.AbortedSeen: 2,
	}
	event := evidence.Anomaly{Kind: evidence.AbortedVisible, Count: 1, Cause: audit.AbortedCommitted, First: "event-1"}
	order := evidence.Anomaly{Kind: evidence.AbortedVisible, Count: 1, Cause: audit.LateProduce, First: "order-1"}
	neither := []evidence.Anomaly{{Kind: evidence.AbortedVisible, Count: 2, Cause: audit.AbortedCommitted, First: "order-1"}}
	checkPlantedIn(t, transactional, transactionalCounts(), []planted{
		{name: "written after the end", plant: story(func(_, _ *evidence.Exchange) {}), counts: counts, anomalies: []evidence.Anomaly{order, event}},
		{name: "written before the end", plant: story(func(produce, _ *evidence.Exchange) { produce.AnsweredAt -= 15 }), counts: counts, anomalies: neither},
		{name: "it came after the end", plant: story(func(produce, end *evidence.Exchange) { end.N = produce.N - 1 }), counts: counts, anomalies: neither},
		{name: "the end was refused", plant: story(func(_, end *evidence.Exchange) { end.End.Code = "PRODUCER_FENCED" }), counts: counts, anomalies: neither},
		{name: "another producer ended something", plant: story(func(_, end *evidence.Exchange) { end.End.ProducerID++ }), counts: counts, anomalies: neither},
	})
}

// TestNeverAskedToCommit: what a program only ever asked to abort nobody may see, even
// if its client cannot say how it ended.
func TestNeverAskedToCommit(t *testing.T) {
	unknown := func(w *world) {
		tx := w.transaction(1)
		tx.Asked, tx.Outcome, tx.NoCommit = evidence.AskedAbort, evidence.TransactionUnknown, true
	}
	counts := evidence.Counts{evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8}
	checkPlantedIn(t, transactional, transactionalCounts(), []planted{
		{name: "committed", plant: unknown, counts: with(counts, evidence.Counts{evidence.AbortedSeen: 2}), anomalies: []evidence.Anomaly{
			{Kind: evidence.AbortedVisible, Count: 2, Cause: audit.AbortedUnasked, First: "order-1"},
		}},
		{name: "committed by a late commit", plant: func(w *world) { unknown(w); w.lateEnd(true, func(*evidence.Exchange) {}) },
			counts: with(counts, evidence.Counts{evidence.AbortedSeen: 2}), anomalies: []evidence.Anomaly{
				{Kind: evidence.AbortedVisible, Count: 2, Cause: audit.LateCommit, First: "order-1"},
			}},
		{name: "aborted is right", plant: func(w *world) {
			unknown(w)
			w.decide("order-1", evidence.Abort)
			w.decide("event-1", evidence.Abort)
		}, counts: with(counts, evidence.Counts{evidence.Visible: 8, evidence.AbortedRecords: 4})},
		{name: "asked to commit first, and committed: that is right", plant: func(w *world) {
			unknown(w)
			w.transaction(1).NoCommit = false
		}, counts: counts},
	})
}
