package audit_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

const messages = 200

// honestCounts are those of an honest world: 200 payments, two refunds aborted
// and two committed, two markers.
func honestCounts() evidence.Counts {
	return evidence.Counts{
		evidence.Intended: 204, evidence.Acked: 204, evidence.FailedRecords: 0, evidence.UnknownRecords: 0,
		evidence.LogDelta: 206, evidence.LogRecords: 204, evidence.Visible: 202, evidence.Unique: 204,
		evidence.Duplicates: 0, evidence.LostRecords: 0, evidence.FailedPresent: 0, evidence.ReorderedRecords: 0,
		evidence.AbortedSeen: 0, evidence.ProduceRequests: 294, evidence.ReadCommitted: 202,
	}
}

func TestHonest(t *testing.T) {
	w := honest(messages)
	want := w.Trial
	want.Counts, want.Anomalies = honestCounts(), []evidence.Anomaly{}
	if diff := cmp.Diff(want, audit.Audit(&w.Observed)); diff != "" {
		t.Errorf("audit of an honest trial (-want +got):\n%s", diff)
	}
}

// Nothing ran, so that no count is 0: all are absent.
func TestNotSupported(t *testing.T) {
	o := evidence.Observed{Trial: evidence.Trial{
		Counts:     evidence.Counts{},
		Conditions: evidence.Conditions{Unsupported: "transactions: this client has none"},
	}}
	if diff := cmp.Diff(o.Trial, audit.Audit(&o)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// planted is one thing that is wrong with a world, and all that the audit has to
// say of it: exactly these anomalies, these changes of counts and conditions.
type planted struct {
	name       string
	plant      func(*world)
	anomalies  []evidence.Anomaly
	counts     evidence.Counts // that differ from honest ones
	absent     []evidence.Metric
	conditions func(*evidence.Conditions)
}

func one(kind evidence.AnomalyKind, cause, first string) []evidence.Anomaly {
	return []evidence.Anomaly{{Kind: kind, Count: 1, Cause: cause, First: first}}
}

func checkPlanted(t *testing.T, table []planted) {
	t.Helper()
	checkPlantedIn(t, func() *world { return honest(messages) }, honestCounts(), table)
}

// checkPlantedIn plants in a world whose honest counts are given. Those of what
// the consumer returned follow from what it returned.
func checkPlantedIn(t *testing.T, story func() *world, honest evidence.Counts, table []planted) {
	t.Helper()
	for _, tt := range table {
		t.Run(tt.name, func(t *testing.T) {
			w := story()
			tt.plant(w)
			want := w.Trial
			want.Anomalies = append([]evidence.Anomaly{}, tt.anomalies...)
			want.Counts = maps.Clone(honest)
			countReads(w, want.Counts)
			maps.Copy(want.Counts, tt.counts)
			for _, m := range tt.absent {
				delete(want.Counts, m)
			}
			if tt.conditions != nil {
				tt.conditions(&want.Conditions)
			}
			if diff := cmp.Diff(want, audit.Audit(&w.Observed)); diff != "" {
				t.Errorf("audit (-want +got):\n%s", diff)
			}
		})
	}
}

func countReads(w *world, c evidence.Counts) {
	delete(c, evidence.ReadCommitted)
	if w.Reads != nil {
		c[evidence.ReadCommitted] = int64(len(w.Reads))
	}
	if w.Uncommitted != nil {
		c[evidence.ReadUncommitted] = int64(len(w.Uncommitted))
	}
}

func TestLost(t *testing.T) {
	const first, key = "order-0000", "order-0009" // two answers to each were lost
	gone := evidence.Counts{
		evidence.LogDelta: 205, evidence.LogRecords: 203, evidence.Visible: 201, evidence.Unique: 203, evidence.LostRecords: 1,
	}
	each := func(w *world, change func(*evidence.Exchange)) {
		w.lose(key)
		for _, e := range w.requests(key) {
			change(e)
		}
	}
	notForwarded := func(e *evidence.Exchange) { e.Forwarded, e.Answered, e.Delivered = false, false, false }
	table := []planted{
		{name: "the broker lied", plant: func(w *world) { w.lose(key) },
			anomalies: one(evidence.Lost, audit.LostByBroker, key)},
		{name: "never sent", plant: func(w *world) { w.lose(key); w.unsend(key) },
			anomalies: one(evidence.Lost, audit.LostNeverSent, key)},
		{name: "never sent, as far as a cut trace shows", plant: func(w *world) { w.lose(key); w.unsend(key); w.Trace.Cut = 3 },
			anomalies: one(evidence.Lost, audit.TraceSilent, key)},
		{name: "never sent, as far as undecoded batches show", plant: func(w *world) {
			each(w, func(e *evidence.Exchange) { e.Batches[0].Sends = nil })
		}, anomalies: one(evidence.Lost, audit.TraceSilent, key)},
		{name: "on the way", plant: func(w *world) { each(w, notForwarded) },
			anomalies: one(evidence.Lost, audit.LostOnTheWay, key)},
		{name: "answered by the proxy", plant: func(w *world) {
			each(w, func(e *evidence.Exchange) { notForwarded(e); e.Delivered, e.Fault = true, "false-ack" })
		}, anomalies: one(evidence.Lost, audit.LostForged, key)},
		{name: "answered by the proxy, in a cut trace", plant: func(w *world) {
			each(w, func(e *evidence.Exchange) { notForwarded(e); e.Delivered, e.Fault = true, "false-ack" })
			w.Trace.Cut = 3
		}, anomalies: one(evidence.Lost, audit.LostForged, key)},
		{name: "answered by the proxy with an error", plant: func(w *world) {
			each(w, func(e *evidence.Exchange) { notForwarded(e); e.Delivered, e.Fault = true, "answer-instead" })
		}, anomalies: one(evidence.Lost, audit.LostOnTheWay, key)},
		{name: "refused", plant: func(w *world) {
			each(w, func(e *evidence.Exchange) { e.Batches[0].Code = "NOT_ENOUGH_REPLICAS" })
		}, anomalies: one(evidence.Lost, audit.LostRefused, key)},
		{name: "never answered", plant: func(w *world) {
			each(w, func(e *evidence.Exchange) { e.Answered, e.Delivered = false, false })
		}, anomalies: one(evidence.Lost, audit.LostNoAnswer, key)},
		{name: "sequence of another record", plant: func(w *world) {
			p, i := w.find(key)
			before := p.Batches[i-1].BaseSequence
			each(w, func(e *evidence.Exchange) { e.Batches[0].BaseSequence = before })
		}, anomalies: one(evidence.Lost, audit.LostReused, key)},
		{name: "sequence of another record, on the way", plant: func(w *world) {
			p, i := w.find(key)
			before := p.Batches[i-1].BaseSequence
			each(w, func(e *evidence.Exchange) {
				notForwarded(e)
				e.Batches[0].BaseSequence = before
			})
		}, anomalies: one(evidence.Lost, audit.LostOnTheWay, key)},
		{name: "sequence of another record, or of its neighbour in the batch", plant: func(w *world) {
			p, i := w.find(key)
			before := p.Batches[i-1].BaseSequence
			w.OneRecordPerBatch = false
			each(w, func(e *evidence.Exchange) { e.Batches[0].BaseSequence, e.Batches[0].Records = before, 2 })
		}, anomalies: one(evidence.Lost, audit.LostByBroker, key)},
		{name: "sequence that no other record has, all of it zero", plant: func(w *world) {
			w.lose(first)
			for _, e := range w.requests(first) {
				e.Batches[0].ProducerID, e.Batches[0].BaseSequence = 0, 0
			}
		}, anomalies: one(evidence.Lost, audit.LostByBroker, first)},
	}
	for i := range table {
		table[i].counts = gone
	}
	checkPlanted(t, table)
}

func TestDuplicate(t *testing.T) {
	const key = "order-0004"
	same := func(*evidence.Batch) {}
	renumber := func(b *evidence.Batch) { b.BaseSequence = 9000 }
	counts := func(acked int64, copies int64) evidence.Counts {
		return evidence.Counts{
			evidence.Acked: acked, evidence.LogDelta: 206 + copies, evidence.LogRecords: 204 + copies,
			evidence.Visible: 202 + copies, evidence.Duplicates: copies,
		}
	}
	checkPlanted(t, []planted{
		{name: "broker", plant: func(w *world) { w.repeat(key, same) }, counts: counts(204, 1),
			anomalies: one(evidence.Duplicate, audit.DuplicateBroker, key)},
		{name: "other sequence", plant: func(w *world) { w.repeat(key, renumber) }, counts: counts(204, 1),
			anomalies: one(evidence.Duplicate, audit.DuplicateRenumbered, key)},
		{name: "other epoch", plant: func(w *world) { w.repeat(key, func(b *evidence.Batch) { b.ProducerEpoch = 1 }) },
			counts: counts(204, 1), anomalies: one(evidence.Duplicate, audit.DuplicateRenumbered, key)},
		{name: "no producer id", plant: func(w *world) { w.forgetProducer(key); w.repeat(key, same) },
			counts: counts(204, 1), anomalies: one(evidence.Duplicate, audit.DuplicateNoProducer, key)},
		{name: "no producer id, after the answer", plant: func(w *world) {
			w.forgetProducer(key)
			w.repeat(key, same)
			requests := w.requests(key)
			requests[len(requests)-2].AnsweredAt = 1000
			requests[len(requests)-1].At = 1001
		}, counts: counts(204, 1), anomalies: one(evidence.Duplicate, audit.DuplicateAnswered, key)},
		{name: "no producer id, while the answer was on its way", plant: func(w *world) {
			w.forgetProducer(key)
			w.repeat(key, same)
			requests := w.requests(key)
			requests[len(requests)-2].AnsweredAt = 1002
			requests[len(requests)-1].At = 1001
		}, counts: counts(204, 1), anomalies: one(evidence.Duplicate, audit.DuplicateNoProducer, key)},
		{name: "the client tells the second copy", plant: func(w *world) {
			w.forgetProducer(key)
			w.repeat(key, same)
			p, _ := w.find(key)
			w.send(key).Offset = p.After - 1
		}, counts: counts(204, 1), anomalies: one(evidence.Duplicate, audit.DuplicateNoProducer, key)},
		{name: "second instance", plant: func(w *world) {
			w.resend(key, 3, 0, func(b *evidence.Batch) { b.ProducerID, b.BaseSequence = 3000, 0 })
		}, counts: counts(205, 1), anomalies: one(evidence.Duplicate, audit.DuplicateSession, key)},
		{name: "application", plant: func(w *world) { w.resend(key, firstInstance, messages, renumber) },
			counts: counts(205, 1), anomalies: one(evidence.Duplicate, audit.DuplicateApplication, key)},
		{name: "application of the second instance", plant: func(w *world) {
			w.resend(key, 3, 0, func(b *evidence.Batch) { b.ProducerID, b.BaseSequence = 3000, 0 })
			w.resend(key, 3, 1, func(b *evidence.Batch) { b.ProducerID, b.BaseSequence = 3000, 1 })
		}, counts: counts(206, 2), anomalies: slices.Concat(
			one(evidence.Duplicate, audit.DuplicateApplication, key),
			one(evidence.Duplicate, audit.DuplicateSession, key))},
		{name: "renumbered, and then repeated by the broker", plant: func(w *world) {
			w.repeat(key, renumber)
			w.repeat(key, renumber)
		}, counts: counts(204, 2), anomalies: slices.Concat(
			one(evidence.Duplicate, audit.DuplicateBroker, key),
			one(evidence.Duplicate, audit.DuplicateRenumbered, key))},
		{name: "renumbered twice, and each of these repeated by the broker", plant: func(w *world) {
			for range 2 {
				w.repeat(key, renumber)
				w.repeat(key, func(b *evidence.Batch) { b.BaseSequence = 9001 })
			}
		}, counts: counts(204, 4), anomalies: []evidence.Anomaly{
			{Kind: evidence.Duplicate, Count: 2, Cause: audit.DuplicateBroker, First: key},
			{Kind: evidence.Duplicate, Count: 2, Cause: audit.DuplicateRenumbered, First: key},
		}},
		{name: "several of a cause, the first that was sent is named", plant: func(w *world) {
			for _, k := range []string{"order-0150", "order-0017", "order-0099"} {
				w.repeat(k, renumber)
			}
		}, counts: counts(204, 3), anomalies: []evidence.Anomaly{
			{Kind: evidence.Duplicate, Count: 3, Cause: audit.DuplicateRenumbered, First: "order-0017"},
		}},
		{name: "allowed", plant: func(w *world) {
			w.Trial.Allowed = []evidence.AnomalyKind{evidence.Duplicate}
			w.repeat(key, same)
		}, counts: counts(204, 1), anomalies: []evidence.Anomaly{
			{Kind: evidence.Duplicate, Count: 1, Allowed: true, Cause: audit.DuplicateBroker, First: key},
		}},
		{name: "neither of two sends of a record is in the log", plant: func(w *world) {
			s := *w.send(key)
			s.Send.Ordinal = messages
			w.Sends = append(w.Sends, s)
			w.lose(key)
		}, counts: evidence.Counts{
			evidence.Acked: 205, evidence.LogDelta: 205, evidence.LogRecords: 203, evidence.Visible: 201,
			evidence.Unique: 203, evidence.LostRecords: 1,
		}, anomalies: one(evidence.Lost, audit.LostByBroker, key)},
		{name: "only one of two sends of a record is in the log", plant: func(w *world) {
			s := *w.send(key)
			s.Send.Ordinal = messages
			w.Sends = append(w.Sends, s)
		}, counts: counts(205, 0), anomalies: one(evidence.OffsetMismatch, audit.OffsetOfNothing, key)},
	})
}

func TestPlaceAndContent(t *testing.T) {
	const key = "order-0010"
	const newest = "order-0199" // nothing that was sent later stands anywhere
	flip := func(w *world, change func(*evidence.LogRecord)) {
		p, i := w.find(key)
		change(&p.Batches[i].Records[0])
		w.readAll()
	}
	checkPlanted(t, []planted{
		{name: "two swapped", plant: func(w *world) { w.swap(w.partition(payments, 1), 10) },
			counts:    evidence.Counts{evidence.ReorderedRecords: 1},
			anomalies: one(evidence.Reordered, audit.ReorderedLater, nth(1, 11))},
		{name: "one arrives three later", plant: func(w *world) {
			for i := range 3 {
				w.swap(w.partition(payments, 1), 10+i)
			}
		}, counts: evidence.Counts{evidence.ReorderedRecords: 3}, anomalies: []evidence.Anomaly{
			{Kind: evidence.Reordered, Count: 3, Cause: audit.ReorderedLater, First: nth(1, 11)},
		}},
		{name: "three in reverse", plant: func(w *world) { w.reverse(w.partition(payments, 1), 10, 3) },
			counts: evidence.Counts{evidence.ReorderedRecords: 2}, anomalies: []evidence.Anomaly{
				{Kind: evidence.Reordered, Count: 2, Cause: audit.ReorderedLater, First: nth(1, 11)},
			}},
		{name: "content", plant: func(w *world) { flip(w, func(r *evidence.LogRecord) { r.Sum++ }) },
			anomalies: one(evidence.Corrupted, audit.CorruptedLog, key)},
		{name: "logical id", plant: func(w *world) { flip(w, func(r *evidence.LogRecord) { r.ID.N++ }) },
			anomalies: one(evidence.Corrupted, audit.CorruptedLog, key)},
		{name: "checksum header", plant: func(w *world) { flip(w, func(r *evidence.LogRecord) { r.Send.Sum++ }) },
			anomalies: one(evidence.Corrupted, audit.CorruptedLog, key)},
		{name: "not where told", plant: func(w *world) { w.move(newest, false) },
			anomalies: one(evidence.WrongPartition, audit.WrongTold, newest)},
		{name: "where told, not where keyed", plant: func(w *world) { w.move(newest, true) },
			anomalies: one(evidence.WrongPartition, audit.WrongKeyed, newest)},
		{name: "other topic", plant: func(w *world) { w.send(key).Topic = refunds },
			anomalies: one(evidence.WrongPartition, audit.WrongTopic, key)},
		{name: "other partitioner", plant: func(w *world) { w.Keys[0].Partitioner = "consistent_random" },
			anomalies: []evidence.Anomaly{{
				Kind: evidence.WrongPartition, Count: crcDiffers(), Cause: audit.WrongKeyed, First: firstCRCDiffers(),
			}}},
		{name: "unknown partitioner", plant: func(w *world) { w.Keys[0].Partitioner = "murmur" },
			conditions: func(c *evidence.Conditions) {
				c.Unchecked = `partitions of kcompare-payments: partitioner "murmur": expected one of murmur2_random, murmur2, consistent_random, consistent, fnv1a_random, fnv1a`
			}},
		{name: "no partitions declared", plant: func(w *world) { w.Keys[0].Partitions = 0 },
			conditions: func(c *evidence.Conditions) {
				c.Unchecked = "partitions of kcompare-payments: 0 declared, expected at least 1"
			}},
		{name: "a partitioner puts records without a key anywhere", plant: func(w *world) {
			for i := range w.Log.Partitions {
				r := &w.Log.Partitions[i].Batches[0].Records[0]
				w.send(r.Key).Key, r.Key = "", ""
			}
		}},
		{name: "no partition told", plant: func(w *world) { w.send(key).Partition = evidence.AnyPartition }},
		{name: "partition told of an unknown record", plant: func(w *world) {
			w.send(key).Partition, w.send(key).Outcome = 7, evidence.OutcomeUnknown
		}, counts: evidence.Counts{evidence.Acked: 203, evidence.UnknownRecords: 1}},
		{name: "offset told", plant: func(w *world) { w.send(key).Offset += 1000 },
			anomalies: one(evidence.OffsetMismatch, audit.OffsetNotThere, key)},
		{name: "offset told with acks=0 means nothing", plant: func(w *world) { w.send(key).Offset, w.send(key).NoAck = 0, true }},
		{name: "no offset told", plant: func(w *world) { w.send(key).Offset = evidence.NoOffset }},
		{name: "hole", plant: func(w *world) {
			p, i := w.find(key)
			w.shift(p, p.Batches[i].BaseOffset, 3)
			w.readAll()
		}, counts: evidence.Counts{evidence.LogDelta: 209}, anomalies: []evidence.Anomaly{
			{Kind: evidence.OffsetGap, Count: 3, Cause: audit.OffsetsMissing, First: placeOf(key)},
		}},
		{name: "hole at the end", plant: func(w *world) { w.partition(refunds, 0).After++ },
			counts:    evidence.Counts{evidence.LogDelta: 207},
			anomalies: one(evidence.OffsetGap, audit.OffsetsMissing, "kcompare-refunds-0 offset 6")},
		{name: "hole before a marker", plant: func(w *world) {
			p := w.partition(refunds, 0)
			w.shift(p, 5, 1)
		}, counts: evidence.Counts{evidence.LogDelta: 207},
			anomalies: one(evidence.OffsetGap, audit.OffsetsMissing, "kcompare-refunds-0 offset 5")},
		{name: "hole within a batch", plant: func(w *world) {
			p := w.partition(refunds, 0)
			w.shift(p, p.Batches[4].BaseOffset, 1)
			w.merge(p, 3)
			w.readAll()
		}, counts: evidence.Counts{evidence.LogDelta: 207},
			anomalies: one(evidence.OffsetGap, audit.OffsetsMissing, "kcompare-refunds-0 offset 4")},
		{name: "what stood there before", plant: func(w *world) {
			p := w.partition(payments, 0)
			p.Batches = slices.Insert(p.Batches, 0, evidence.Batch{
				BaseOffset: 4, LastOffset: 4, ProducerID: -1, Records: []evidence.LogRecord{{Offset: 4, Foreign: true}},
			})
		}},
	})
}

func TestPhantomAndFailed(t *testing.T) {
	const key = "order-0007"
	more := evidence.Counts{
		evidence.LogDelta: 207, evidence.LogRecords: 205, evidence.Visible: 203, evidence.Unique: 205,
	}
	failed := evidence.Counts{evidence.Acked: 203, evidence.FailedRecords: 1, evidence.FailedPresent: 1}
	fail := func(w *world, change func(*evidence.Exchange)) {
		w.send(key).Outcome = evidence.OutcomeFailed
		for _, e := range w.requests(key) {
			change(e)
		}
	}
	checkPlanted(t, []planted{
		{name: "foreign", counts: more, plant: func(w *world) {
			w.repeat(key, func(b *evidence.Batch) {
				b.BaseSequence = 9000
				b.Records[0] = evidence.LogRecord{Offset: b.BaseOffset, Foreign: true}
			})
		}, anomalies: one(evidence.Phantom, audit.PhantomForeign, last(key))},
		{name: "foreign, without a producer id", counts: more, plant: func(w *world) {
			w.repeat(key, func(b *evidence.Batch) {
				b.ProducerID, b.ProducerEpoch, b.BaseSequence = -1, -1, -1
				b.Records[0] = evidence.LogRecord{Offset: b.BaseOffset, Foreign: true}
			})
		}, anomalies: one(evidence.Phantom, audit.PhantomForeign, last(key))},
		{name: "foreign, of which the consumer makes more than the reader", counts: more, plant: func(w *world) {
			w.repeat(key, func(b *evidence.Batch) {
				b.BaseSequence = 9000
				b.Records[0] = evidence.LogRecord{Offset: b.BaseOffset, Foreign: true}
			})
			at := slices.IndexFunc(w.Reads, func(r evidence.Read) bool { return r.ID == evidence.RecordID{} })
			w.Reads[at].ID.Role = "payments"
		}, anomalies: one(evidence.Phantom, audit.PhantomForeign, last(key))},
		{name: "never sent, without a producer id", counts: more, plant: func(w *world) {
			w.repeat(key, func(b *evidence.Batch) {
				b.ProducerID, b.Records[0].Send.Ordinal = -1, 999
			})
		}, anomalies: one(evidence.Phantom, audit.PhantomUnknown, last(key))},
		{name: "never sent", counts: more, plant: func(w *world) {
			w.repeat(key, func(b *evidence.Batch) { b.BaseSequence, b.Records[0].Send.Ordinal = 9000, 999 })
		}, anomalies: one(evidence.Phantom, audit.PhantomUnknown, last(key))},
		{name: "failed, though answered", counts: failed, plant: func(w *world) { fail(w, func(*evidence.Exchange) {}) },
			anomalies: one(evidence.FailedButPresent, audit.FailedAnswered, key)},
		{name: "failed, answer replaced", counts: failed, plant: func(w *world) {
			fail(w, func(e *evidence.Exchange) { e.Fault = "replace-response" })
		}, anomalies: one(evidence.FailedButPresent, audit.FailedReplaced, key)},
		{name: "failed, answer lost", counts: failed, plant: func(w *world) {
			fail(w, func(e *evidence.Exchange) { e.Delivered = false })
		}, anomalies: one(evidence.FailedButPresent, audit.FailedSilent, key)},
		{name: "failed, trace cut", counts: failed, plant: func(w *world) {
			fail(w, func(e *evidence.Exchange) { e.Delivered = false })
			w.Trace.Cut = 1
		}, anomalies: one(evidence.FailedButPresent, audit.TraceSilent, key)},
		{name: "failed and absent is right", plant: func(w *world) {
			w.lose(key)
			w.send(key).Outcome = evidence.OutcomeFailed
		}, counts: evidence.Counts{
			evidence.Acked: 203, evidence.FailedRecords: 1,
			evidence.LogDelta: 205, evidence.LogRecords: 203, evidence.Visible: 201, evidence.Unique: 203,
		}},
		{name: "unknown and present is right", plant: func(w *world) { w.send(key).Outcome = evidence.OutcomeUnknown },
			counts: evidence.Counts{evidence.Acked: 203, evidence.UnknownRecords: 1}},
		{name: "never handed over is unknown too", plant: func(w *world) { w.Intended++ },
			counts: evidence.Counts{evidence.Intended: 205, evidence.UnknownRecords: 1}},
	})
}
