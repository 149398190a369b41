package audit_test

import (
	"slices"
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

func TestReads(t *testing.T) {
	at := func(w *world, key string) int {
		id := w.send(key).ID
		return slices.IndexFunc(w.Reads, func(r evidence.Read) bool { return r.ID == id })
	}
	const key = "order-0020"
	where := placeOf(key)
	refund := func(n int64) evidence.Read {
		w := honest(messages)
		r := w.partition(refunds, 0).Batches[n].Records[0]
		return evidence.Read{Topic: refunds, Offset: r.Offset, ID: r.ID, Sum: r.Sum}
	}
	checkPlanted(t, []planted{
		{name: "skipped", plant: func(w *world) { w.Reads = slices.Delete(w.Reads, at(w, key), at(w, key)+1) },
			anomalies: one(evidence.PollSkipped, audit.ReadSkipped, where)},
		{name: "last one skipped", plant: func(w *world) { w.Reads = w.Reads[:len(w.Reads)-1] },
			anomalies: one(evidence.PollSkipped, audit.ReadSkipped, "kcompare-refunds-0 offset 4")},
		{name: "returned again", plant: func(w *world) { w.Reads = slices.Insert(w.Reads, at(w, key)+2, w.Reads[at(w, key)]) },
			anomalies: one(evidence.PollNonmonotonic, audit.ReadNonmonotonic, where)},
		{name: "two returned again", plant: func(w *world) {
			n := at(w, key)
			w.Reads = slices.Insert(w.Reads, n+3, w.Reads[n:n+2]...)
		}, anomalies: []evidence.Anomaly{
			{Kind: evidence.PollNonmonotonic, Count: 2, Cause: audit.ReadNonmonotonic, First: where},
		}},
		{name: "late", plant: func(w *world) {
			n := at(w, key)
			w.Reads[n], w.Reads[n+1] = w.Reads[n+1], w.Reads[n]
		}, anomalies: one(evidence.PollNonmonotonic, audit.ReadNonmonotonic, where)},
		{name: "changed", plant: func(w *world) { w.Reads[at(w, key)].Sum++ },
			anomalies: one(evidence.Corrupted, audit.CorruptedRead, key)},
		{name: "other record", plant: func(w *world) { w.Reads[at(w, key)].ID.N++ },
			anomalies: one(evidence.Corrupted, audit.CorruptedRead, key)},
		{name: "marker", plant: func(w *world) {
			w.Reads = slices.Insert(w.Reads, messages, evidence.Read{Topic: refunds, Offset: 2})
		}, anomalies: one(evidence.Phantom, audit.PhantomRead, "kcompare-refunds-0 offset 2")},
		{name: "aborted", plant: func(w *world) { w.Reads = slices.Insert(w.Reads, messages, refund(1)) },
			counts:    evidence.Counts{evidence.AbortedSeen: 1},
			anomalies: one(evidence.AbortedVisible, audit.ReadAborted, "refund-1")},
		{name: "undecided", plant: func(w *world) {
			log := w.partition(refunds, 0)
			log.Batches, log.After = log.Batches[:len(log.Batches)-1], log.After-1
		}, counts: evidence.Counts{evidence.LogDelta: 205, evidence.Visible: 200}, anomalies: []evidence.Anomaly{
			{Kind: evidence.UncommittedVisible, Count: 2, Cause: audit.ReadUndecided, First: "refund-2"},
		}},
		{name: "invented", plant: func(w *world) { w.Reads = append(w.Reads, evidence.Read{Topic: refunds, Offset: 5}) },
			anomalies: one(evidence.Phantom, audit.PhantomRead, "kcompare-refunds-0 offset 5")},
		{name: "of another topic", plant: func(w *world) { w.Reads = append(w.Reads, evidence.Read{Topic: "other", Offset: 5}) },
			anomalies: one(evidence.Phantom, audit.PhantomRead, "other-0 offset 5")},
		{name: "none at all", plant: func(w *world) { w.Reads = nil }, absent: []evidence.Metric{evidence.AbortedSeen}},
	})
}

func TestConditions(t *testing.T) {
	const key = "order-0042"
	where := placeOf(key)
	log := []evidence.Metric{
		evidence.LogDelta, evidence.LogRecords, evidence.Visible, evidence.Unique, evidence.Duplicates,
		evidence.LostRecords, evidence.FailedPresent, evidence.ReorderedRecords, evidence.AbortedSeen,
	}
	leak := func(first string) func(*evidence.Conditions) {
		return func(c *evidence.Conditions) { c.Leaks, c.FirstLeak = 1, first }
	}
	checkPlanted(t, []planted{
		{name: "past the proxy", plant: func(w *world) { w.unsend(key) }, conditions: leak(where)},
		{name: "past the proxy, without a producer id", plant: func(w *world) { w.forgetProducer(key); w.unsend(key) },
			conditions: leak(where)},
		{name: "not forwarded", plant: func(w *world) {
			for _, e := range w.requests(key) {
				e.Forwarded = false
			}
		}, conditions: leak(where)},
		{name: "the repetition went past the proxy", plant: func(w *world) {
			const key = "order-0004" // one request brought it
			w.forgetProducer(key)
			w.repeat(key, func(*evidence.Batch) {})
			w.Trace.Exchanges = w.Trace.Exchanges[:len(w.Trace.Exchanges)-1]
		}, conditions: leak(last("order-0004")), counts: evidence.Counts{
			evidence.LogDelta: 207, evidence.LogRecords: 205, evidence.Visible: 203, evidence.Duplicates: 1,
		}, anomalies: one(evidence.Duplicate, audit.DuplicateNoProducer, "order-0004")},
		{name: "past the proxy, and another one of its size twice through it", plant: func(w *world) {
			const other = "order-0001"
			w.forgetProducer(key)
			w.forgetProducer(other)
			w.Trace.Exchanges = append(w.Trace.Exchanges, *w.requests(other)[0])
			w.unsend(key)
		}, conditions: leak(where)},
		{name: "past the proxy, or cut", plant: func(w *world) { w.unsend(key); w.Trace.Cut = 7 },
			conditions: func(c *evidence.Conditions) {
				c.Unchecked = "1 batches in the log, the first at " + where +
					", have no Produce request in the trace, of which 7 exchanges were cut"
			}},
		{name: "undecoded, without a producer id", plant: func(w *world) {
			w.forgetProducer(key)
			for _, e := range w.requests(key) {
				e.Batches[0].Sends = nil
			}
		}},
		{name: "half decoded, without a producer id", plant: func(w *world) {
			w.OneRecordPerBatch = false
			p := w.partition(payments, 1)
			x, y := p.Batches[10].Records[0].Key, p.Batches[11].Records[0].Key
			w.forgetProducer(x)
			w.forgetProducer(y)
			w.unsend(y)
			w.requests(x)[0].Batches[0].Records = 2
			w.merge(p, 10)
		}},
		{name: "something was unchecked before", plant: func(w *world) {
			w.Trial.Conditions.Unchecked = "the weather"
			w.Keys[0].Partitions = 0
		}, conditions: func(c *evidence.Conditions) {
			c.Unchecked = "the weather; partitions of kcompare-payments: 0 declared, expected at least 1"
		}},
		{name: "shared batch", plant: func(w *world) { w.requests(key)[0].Batches[0].Records = 2 },
			conditions: func(c *evidence.Conditions) { c.SharedBatches = 1 }},
		{name: "shared batch where nobody minds", plant: func(w *world) {
			w.OneRecordPerBatch = false
			w.requests(key)[0].Batches[0].Records = 2
		}},
		{name: "read-back not complete", plant: func(w *world) {
			w.lose(key)
			w.Reads[0], w.Reads[1] = w.Reads[1], w.Reads[0]
			w.Trial.Conditions.ReadBack = "kcompare-payments-0 stopped at offset 12"
		}, absent: log},
	})
}
