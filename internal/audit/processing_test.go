package audit_test

import (
	"slices"
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

func TestProcessing(t *testing.T) {
	honest := with(transactionalCounts(), evidence.Counts{
		evidence.Inputs: 5, evidence.InputsSkipped: 0, evidence.InputsTwice: 0,
	})
	twice := evidence.Counts{
		evidence.Acked: 14, evidence.Transactions: 7, evidence.Committed: 6, evidence.CommittedRecords: 12,
		evidence.LogDelta: 28, evidence.LogRecords: 14, evidence.Visible: 12, evidence.Duplicates: 2, evidence.InputsTwice: 1,
	}
	again := func(instance int) func(*world) {
		return func(w *world) { w.processOrder(1, instance, evidence.Commit); w.readAll() }
	}
	both := func(kind evidence.AnomalyKind, cause, first string) evidence.Anomaly {
		return evidence.Anomaly{Kind: kind, Count: 2, Cause: cause, First: first}
	}
	checkPlantedIn(t, processor, honest, []planted{
		{name: "honest", plant: func(*world) {}},
		{name: "never written", plant: func(w *world) {
			w.Processing.Inputs = append(w.Processing.Inputs, evidence.Input{ID: order(6), Valid: true})
		}, counts: evidence.Counts{evidence.Inputs: 6, evidence.InputsSkipped: 1},
			anomalies: one(evidence.InputSkipped, audit.SkippedUnwritten, "orders/6")},
		{name: "never written by a program that did not end", plant: func(w *world) {
			w.Processing.Inputs = append(w.Processing.Inputs, evidence.Input{ID: order(6), Valid: true})
			w.Trial.Conditions.Finished = false
		}, counts: evidence.Counts{evidence.Inputs: 6}, absent: []evidence.Metric{evidence.InputsSkipped}},
		{name: "never written by a program that failed", plant: func(w *world) {
			w.Processing.Inputs = append(w.Processing.Inputs, evidence.Input{ID: order(6), Valid: true})
			w.Trial.Conditions.Error = "the scenario could not go on"
		}, counts: evidence.Counts{evidence.Inputs: 6}, absent: []evidence.Metric{evidence.InputsSkipped}},
		{name: "aborted", plant: func(w *world) {
			w.decide("order-2", evidence.Abort)
			w.decide("event-2", evidence.Abort)
			w.transaction(2).Outcome = evidence.TransactionAborted
		}, counts: evidence.Counts{
			evidence.Committed: 4, evidence.AbortedEnds: 2, evidence.CommittedRecords: 8, evidence.Visible: 8,
			evidence.AbortedRecords: 4, evidence.InputsSkipped: 1,
		}, anomalies: one(evidence.InputSkipped, audit.SkippedAborted, "order-2")},
		{name: "not ended", plant: (*world).undecide, counts: evidence.Counts{
			evidence.LogDelta: 22, evidence.Visible: 8, evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8,
			evidence.InputsSkipped: 1,
		}, anomalies: one(evidence.InputSkipped, audit.SkippedUndecided, "order-5")},
		{name: "one of two outputs", plant: func(w *world) { w.forget("event-2"); w.Intended-- }, counts: evidence.Counts{
			evidence.Intended: 11, evidence.Acked: 11, evidence.LogDelta: 23, evidence.LogRecords: 11, evidence.Visible: 9,
			evidence.Unique: 11, evidence.CommittedRecords: 9, evidence.InputsSkipped: 1,
		}, anomalies: one(evidence.InputSkipped, audit.SkippedPart, "order-2")},
		{name: "an input that is not valid needs no output", plant: func(w *world) {
			w.Processing.Inputs = append(w.Processing.Inputs, evidence.Input{ID: order(6)})
		}},
		{name: "by another instance again", plant: again(successor), counts: twice, anomalies: slices.Concat(
			[]evidence.Anomaly{both(evidence.Duplicate, audit.DuplicateSession, "order-1")},
			one(evidence.InputReprocessed, audit.ReprocessedOther, "order-1"))},
		{name: "by the same instance again", plant: again(program), counts: twice, anomalies: slices.Concat(
			[]evidence.Anomaly{both(evidence.Duplicate, audit.DuplicateApplication, "order-1")},
			one(evidence.InputReprocessed, audit.ReprocessedSame, "order-1"))},
		{name: "by another instance again, and aborted, is right", plant: func(w *world) {
			w.processOrder(1, successor, evidence.Abort)
			w.readAll()
		}, counts: with(twice, evidence.Counts{
			evidence.Committed: 5, evidence.AbortedEnds: 2, evidence.CommittedRecords: 10, evidence.Visible: 10,
			evidence.AbortedRecords: 4, evidence.InputsTwice: 0,
		}), anomalies: []evidence.Anomaly{both(evidence.Duplicate, audit.DuplicateSession, "order-1")}},
		{name: "doubled by the broker", plant: func(w *world) {
			w.repeat("order-1", func(b *evidence.Batch) { b.Transactional = false })
		}, counts: evidence.Counts{
			evidence.LogDelta: 25, evidence.LogRecords: 13, evidence.Visible: 11, evidence.Duplicates: 1, evidence.InputsTwice: 1,
		}, anomalies: slices.Concat(
			one(evidence.Duplicate, audit.DuplicateBroker, "order-1"),
			one(evidence.InputReprocessed, audit.ReprocessedDoubled, "order-1"))},
		{name: "an invalid input goes through", plant: func(w *world) {
			w.decide("order-3", evidence.Commit)
			w.decide("event-3", evidence.Commit)
			w.transaction(invalidOrder).Outcome = evidence.TransactionCommitted
		}, counts: evidence.Counts{
			evidence.Committed: 6, evidence.AbortedEnds: 0, evidence.CommittedRecords: 12, evidence.AbortedRecords: 0, evidence.Visible: 12,
		}, anomalies: []evidence.Anomaly{both(evidence.Phantom, audit.PhantomOutput, "event-3")}},
		{name: "outputs of no input", plant: func(w *world) { w.Processing.Inputs = w.Processing.Inputs[:5] },
			counts:    evidence.Counts{evidence.Inputs: 4},
			anomalies: []evidence.Anomaly{both(evidence.Phantom, audit.PhantomOutput, "event-5")}},
		{name: "not an output topic", plant: func(w *world) {
			w.Processing.Outputs, w.Processing.Inputs = w.Processing.Outputs[:1], w.Processing.Inputs[:5]
		}, counts: evidence.Counts{evidence.Inputs: 4},
			anomalies: one(evidence.Phantom, audit.PhantomOutput, "order-5")},
	})
}
