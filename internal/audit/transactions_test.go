package audit_test

import (
	"maps"
	"slices"
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// transactionalCounts are those of an honest transactional world.
func transactionalCounts() evidence.Counts {
	return evidence.Counts{
		evidence.Intended: 12, evidence.Acked: 12, evidence.FailedRecords: 0, evidence.UnknownRecords: 0,
		evidence.LogDelta: 24, evidence.LogRecords: 12, evidence.Visible: 10, evidence.Unique: 12,
		evidence.Duplicates: 0, evidence.LostRecords: 0, evidence.FailedPresent: 0, evidence.ReorderedRecords: 0,
		evidence.AbortedSeen: 0, evidence.Transactions: 6, evidence.Committed: 5, evidence.AbortedEnds: 1, evidence.Undecided: 0,
		evidence.CommittedRecords: 10, evidence.AbortedRecords: 2, evidence.Torn: 0, evidence.FencedVisible: 0, evidence.Stuck: 0,
	}
}

func TestTorn(t *testing.T) {
	gone := func(more evidence.Counts) evidence.Counts {
		counts := evidence.Counts{
			evidence.Acked: 11, evidence.LogDelta: 23, evidence.LogRecords: 11, evidence.Visible: 9, evidence.Unique: 11,
			evidence.Torn: 1,
		}
		maps.Copy(counts, more)
		return counts
	}
	const key = "event-1"
	lose := func(w *world, said evidence.Outcome) {
		w.lose(key)
		w.send(key).Outcome = said
	}
	half := func(w *world) {
		w.decide(key, evidence.Abort)
		w.transaction(1).Outcome = evidence.TransactionUnknown
	}
	checkPlantedIn(t, transactional, transactionalCounts(), []planted{
		{name: "honest", plant: func(*world) {}},
		{name: "one failed, the rest committed", plant: func(w *world) { lose(w, evidence.OutcomeFailed) },
			counts:    gone(evidence.Counts{evidence.FailedRecords: 1}),
			anomalies: one(evidence.TornTransaction, audit.TornFailed, key)},
		{name: "one unknown, the rest committed", plant: func(w *world) { lose(w, evidence.OutcomeUnknown) },
			counts:    gone(evidence.Counts{evidence.UnknownRecords: 1}),
			anomalies: one(evidence.TornTransaction, audit.TornUnknown, key)},
		{name: "one failed, the client does not know the end", plant: func(w *world) {
			lose(w, evidence.OutcomeFailed)
			w.transaction(1).Outcome = evidence.TransactionUnknown
		}, counts: gone(evidence.Counts{
			evidence.FailedRecords: 1, evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8,
		}), anomalies: one(evidence.TornTransaction, audit.TornFailed, key)},
		{name: "committed in one partition, aborted in another", plant: half, counts: evidence.Counts{
			evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8,
			evidence.AbortedRecords: 3, evidence.Visible: 9, evidence.Torn: 1,
		}, anomalies: one(evidence.TornTransaction, audit.TornAcked, key)},
		{name: "one failed and one acknowledged is not visible", plant: func(w *world) {
			half(w)
			s := *w.send(key)
			s.ID.N, s.Key, s.Send.Ordinal, s.Outcome = 70, "event-70", 70, evidence.OutcomeFailed
			w.Sends = slices.Insert(w.Sends, 0, s)
		}, counts: evidence.Counts{
			evidence.FailedRecords: 1, evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8,
			evidence.AbortedRecords: 3, evidence.Visible: 9, evidence.Torn: 1,
		}, anomalies: one(evidence.TornTransaction, audit.TornAcked, "event-70")},
		{name: "two torn, the first is named", plant: func(w *world) {
			for _, key := range []string{"event-2", "order-0"} {
				w.lose(key)
				w.send(key).Outcome = evidence.OutcomeFailed
			}
		}, counts: evidence.Counts{
			evidence.Acked: 10, evidence.FailedRecords: 2, evidence.LogDelta: 22, evidence.LogRecords: 10, evidence.Visible: 8,
			evidence.Unique: 10, evidence.Torn: 2,
		}, anomalies: []evidence.Anomaly{
			{Kind: evidence.TornTransaction, Count: 2, Cause: audit.TornFailed, First: "order-0"},
		}},
		{name: "a failed record of an aborted transaction is right", plant: func(w *world) {
			w.lose("event-3")
			w.send("event-3").Outcome = evidence.OutcomeFailed
		}, counts: evidence.Counts{
			evidence.Acked: 11, evidence.FailedRecords: 1, evidence.LogDelta: 23, evidence.LogRecords: 11, evidence.Unique: 11,
			evidence.AbortedRecords: 1,
		}},
		{name: "a failed record outside of transactions is right", plant: func(w *world) {
			lose(w, evidence.OutcomeFailed)
			w.send(key).Transaction = 0
		}, counts: gone(evidence.Counts{evidence.FailedRecords: 1, evidence.CommittedRecords: 9, evidence.Torn: 0})},
	})
}

func TestEnds(t *testing.T) {
	const order, event = "order-1", "event-1"
	abort := func(w *world) { w.decide(order, evidence.Abort); w.decide(event, evidence.Abort) }
	wrong := evidence.Counts{
		evidence.Committed: 4, evidence.AbortedEnds: 2, evidence.CommittedRecords: 8, evidence.AbortedSeen: 2,
	}
	two := func(kind evidence.AnomalyKind, cause string) []evidence.Anomaly {
		return []evidence.Anomaly{{Kind: kind, Count: 2, Cause: cause, First: order}}
	}
	again := evidence.Counts{evidence.Acked: 14, evidence.Transactions: 7, evidence.LogDelta: 28, evidence.LogRecords: 14, evidence.Duplicates: 2}
	checkPlantedIn(t, transactional, transactionalCounts(), []planted{
		{name: "told committed, aborted", plant: abort,
			counts:    evidence.Counts{evidence.LostRecords: 2, evidence.Visible: 8, evidence.AbortedRecords: 4},
			anomalies: two(evidence.Lost, audit.LostAborted)},
		{name: "committed, and a further copy aborted", plant: func(w *world) {
			w.repeat(order, func(*evidence.Batch) {})
			w.mark(w.partition(processed, 0), program, evidence.Abort)
			w.readAll()
		}, counts: evidence.Counts{
			evidence.LogDelta: 26, evidence.LogRecords: 13, evidence.Duplicates: 1, evidence.AbortedRecords: 3,
		}, anomalies: one(evidence.Duplicate, audit.DuplicateBroker, order)},
		{name: "told committed, aborted, and sent again in vain: the first sending is named", plant: func(w *world) {
			abort(w)
			s := *w.send(order)
			s.Send.Ordinal, s.Offset = 70, evidence.NoOffset
			w.Sends = append(w.Sends, s)
		}, counts: evidence.Counts{
			evidence.Acked: 13, evidence.CommittedRecords: 11, evidence.LostRecords: 2, evidence.Visible: 8, evidence.AbortedRecords: 4,
		}, anomalies: two(evidence.Lost, audit.LostAborted)},
		{name: "told neither, aborted", plant: func(w *world) {
			abort(w)
			w.transaction(1).Outcome = evidence.TransactionUnknown
		}, counts: evidence.Counts{
			evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8, evidence.Visible: 8, evidence.AbortedRecords: 4,
		}},
		{name: "told neither, committed", plant: func(w *world) { w.transaction(1).Outcome = evidence.TransactionUnknown },
			counts: evidence.Counts{evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8}},
		{name: "told committed, and the trace says that the second sending never came", plant: func(w *world) {
			s := *w.send("order-3")
			s.Send.Ordinal, s.Transaction, s.Offset = 70, 2, evidence.NoOffset
			w.Sends = append(w.Sends, s)
		}, counts: evidence.Counts{
			evidence.Acked: 13, evidence.CommittedRecords: 11, evidence.LostRecords: 1, evidence.Torn: 1,
		}, anomalies: slices.Concat(
			one(evidence.Lost, audit.LostNeverSent, "order-3"),
			one(evidence.TornTransaction, audit.TornAcked, "order-3"))},
		{name: "told aborted, committed", counts: wrong,
			plant:     func(w *world) { w.transaction(1).Outcome = evidence.TransactionAborted },
			anomalies: two(evidence.AbortedVisible, audit.AbortedCommitted)},
		{name: "told aborted, committed, nobody read", counts: wrong, plant: func(w *world) {
			w.transaction(1).Outcome = evidence.TransactionAborted
			w.Reads = nil
		}, anomalies: two(evidence.AbortedVisible, audit.AbortedCommitted)},
		{name: "told aborted, one copy aborted and read, another one visible", plant: func(w *world) {
			w.repeat("order-3", func(b *evidence.Batch) { b.Transactional = false })
			p, _ := w.find("order-3")
			r := p.Batches[6].Records[0]
			w.Reads = slices.Insert(w.Reads, 3, evidence.Read{Topic: processed, Offset: r.Offset, ID: r.ID, Sum: r.Sum})
		}, counts: evidence.Counts{
			evidence.LogDelta: 25, evidence.LogRecords: 13, evidence.Visible: 11, evidence.Duplicates: 1, evidence.AbortedSeen: 1, evidence.Torn: 1,
		}, anomalies: slices.Concat(
			one(evidence.Duplicate, audit.DuplicateBroker, "order-3"),
			one(evidence.AbortedVisible, audit.ReadAborted, "order-3"),
			one(evidence.TornTransaction, audit.TornAcked, "event-3"))},
		{name: "sent again after an abort", plant: func(w *world) { w.processOrder(invalidOrder, program, evidence.Commit); w.readAll() },
			counts: with(again, evidence.Counts{evidence.Committed: 6, evidence.CommittedRecords: 12, evidence.Visible: 12}),
			anomalies: []evidence.Anomaly{
				{Kind: evidence.Duplicate, Count: 2, Cause: audit.DuplicateAborted, First: "order-3"},
			}},
		{name: "sent again after a commit, and aborted", plant: func(w *world) { w.processOrder(1, program, evidence.Abort); w.readAll() },
			counts: with(again, evidence.Counts{evidence.AbortedEnds: 2, evidence.AbortedRecords: 4}),
			anomalies: []evidence.Anomaly{
				{Kind: evidence.Duplicate, Count: 2, Cause: audit.DuplicateApplication, First: order},
			}},
	})
}

func with(counts, more evidence.Counts) evidence.Counts {
	both := maps.Clone(counts)
	maps.Copy(both, more)
	return both
}

func TestFenced(t *testing.T) {
	checkPlantedIn(t, transactional, transactionalCounts(), []planted{
		{name: "handed over too late", plant: func(w *world) { w.send("event-2").Fenced = true },
			counts:    evidence.Counts{evidence.FencedVisible: 1},
			anomalies: one(evidence.FencedWriteVisible, audit.FencedLate, "event-2")},
		{name: "open when the newer instance came", plant: func(w *world) { w.transaction(2).Fenced = true },
			counts: evidence.Counts{evidence.FencedVisible: 2}, anomalies: []evidence.Anomaly{
				{Kind: evidence.FencedWriteVisible, Count: 2, Cause: audit.FencedOpen, First: "order-2"},
			}},
		{name: "both, each record counts once", plant: func(w *world) {
			w.transaction(2).Fenced = true
			w.send("event-2").Fenced = true
		}, counts: evidence.Counts{evidence.FencedVisible: 2}, anomalies: slices.Concat(
			one(evidence.FencedWriteVisible, audit.FencedLate, "event-2"),
			one(evidence.FencedWriteVisible, audit.FencedOpen, "order-2"))},
		{name: "two copies of one record count once", plant: func(w *world) {
			w.send("event-2").Fenced = true
			w.repeat("event-2", func(b *evidence.Batch) { b.Transactional = false })
		}, counts: evidence.Counts{
			evidence.LogDelta: 25, evidence.LogRecords: 13, evidence.Visible: 11, evidence.Duplicates: 1, evidence.FencedVisible: 1,
		}, anomalies: slices.Concat(
			one(evidence.Duplicate, audit.DuplicateBroker, "event-2"),
			one(evidence.FencedWriteVisible, audit.FencedLate, "event-2"))},
		{name: "fenced and aborted is right", plant: func(w *world) {
			w.transaction(invalidOrder).Fenced = true
			w.send("event-3").Fenced = true
		}},
	})
	honestPayments := func() *world { return honest(messages) }
	checkPlantedIn(t, honestPayments, honestCounts(), []planted{
		{name: "without transactions", plant: func(w *world) { w.send("order-0002").Fenced = true },
			counts:    evidence.Counts{evidence.FencedVisible: 1},
			anomalies: one(evidence.FencedWriteVisible, audit.FencedLate, "order-0002")},
	})
}

func TestUncommitted(t *testing.T) {
	at := func(w *world, key string) int {
		p, i := w.find(key)
		return slices.IndexFunc(w.Uncommitted, func(r evidence.Read) bool {
			return r.Topic == p.Topic && r.Offset == p.Batches[i].BaseOffset
		})
	}
	const aborted = "event-3"
	under := func(cause string) string { return cause + audit.UnderUncommitted }
	checkPlantedIn(t, transactional, transactionalCounts(), []planted{
		{name: "an aborted record skipped", plant: func(w *world) {
			w.Uncommitted = slices.Delete(w.Uncommitted, at(w, aborted), at(w, aborted)+1)
		}, anomalies: one(evidence.PollSkipped, under(audit.ReadSkipped), "kcompare-events-0 offset 6")},
		{name: "undecided records are there too", plant: (*world).undecide, counts: evidence.Counts{
			evidence.LogDelta: 22, evidence.Visible: 8, evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8,
		}},
		{name: "an undecided record skipped", plant: func(w *world) {
			w.undecide()
			w.Uncommitted = w.Uncommitted[:len(w.Uncommitted)-1]
		}, counts: evidence.Counts{
			evidence.LogDelta: 22, evidence.Visible: 8, evidence.Committed: 4, evidence.Undecided: 1, evidence.CommittedRecords: 8,
		}, anomalies: one(evidence.PollSkipped, under(audit.ReadSkipped), "kcompare-events-0 offset 10")},
		{name: "invented", plant: func(w *world) {
			w.Uncommitted = append(w.Uncommitted, evidence.Read{Topic: events, Offset: 99})
		}, anomalies: one(evidence.Phantom, under(audit.PhantomRead), "kcompare-events-0 offset 99")},
		{name: "invented, in a partition of its own", plant: func(w *world) {
			w.Uncommitted = append(w.Uncommitted, evidence.Read{Topic: events, Partition: 8})
		}, anomalies: one(evidence.Phantom, under(audit.PhantomRead), "kcompare-events-8 offset 0")},
		{name: "changed", plant: func(w *world) { w.Uncommitted[at(w, aborted)].Sum++ },
			anomalies: one(evidence.Corrupted, under(audit.CorruptedRead), aborted)},
		{name: "returned again", plant: func(w *world) {
			n := at(w, aborted)
			w.Uncommitted = slices.Insert(w.Uncommitted, n+1, w.Uncommitted[n])
		}, anomalies: one(evidence.PollNonmonotonic, under(audit.ReadNonmonotonic), "kcompare-events-0 offset 6")},
		{name: "not read", plant: func(w *world) { w.Uncommitted = nil }},
		{name: "a consumer that was told to read uncommitted data", plant: func(w *world) {
			w.Trial.Reading = map[string]string{"isolation.level": "read_uncommitted"}
			w.Reads, w.Uncommitted = w.Uncommitted, nil
		}, counts: evidence.Counts{evidence.AbortedSeen: 2, evidence.ReadUncommitted: 12}, anomalies: []evidence.Anomaly{
			{Kind: evidence.AbortedVisible, Count: 2, Cause: audit.ReadAborted, First: "event-3"},
		}, absent: []evidence.Metric{evidence.ReadCommitted}},
	})
}
