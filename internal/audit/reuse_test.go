package audit_test

import (
	"slices"
	"testing"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// tried puts a request on the wire that had a record under the sequence number of another
// one: the broker took it for a repetition, answered so, and the answer is not that which
// the client went by.
func (w *world) tried(key, under string, forwarded bool) {
	p, i := w.find(under)
	b := w.batchOf(p, *w.send(key))
	number := p.Batches[i]
	b.ProducerID, b.ProducerEpoch, b.BaseSequence = number.ProducerID, number.ProducerEpoch, number.BaseSequence
	w.produce(p, b, evidence.Exchange{Forwarded: forwarded, Answered: forwarded, Fault: "drop-response"})
}

// TestReusedSequences: a producer gave the sequence number of a record to another one.
// Two records of a partition that come one behind the other are enough (kafkajs issue
// 1005): the second is acknowledged and absent, the first stands twice.
func TestReusedSequences(t *testing.T) {
	before, after := nth(1, 20), nth(1, 21)
	renumber := func(b *evidence.Batch) { b.BaseSequence = 9000 }
	twice := evidence.Counts{
		evidence.LogDelta: 207, evidence.LogRecords: 205, evidence.Visible: 203, evidence.Duplicates: 1,
	}
	swapped := evidence.Counts{evidence.Unique: 203, evidence.LostRecords: 1, evidence.Duplicates: 1}
	checkPlanted(t, []planted{
		{name: "as kafkajs does", plant: func(w *world) {
			p, i := w.find(before)
			first := p.Batches[i]
			w.repeat(before, renumber)
			for _, e := range w.requests(after) {
				e.Batches[0].BaseSequence = first.BaseSequence
			}
			w.lose(after)
			w.send(after).Offset = first.BaseOffset
		}, counts: swapped, anomalies: slices.Concat(
			one(evidence.Lost, audit.LostReused, after),
			one(evidence.Duplicate, audit.DuplicateReused, before))},
		{name: "twice, and another record was tried under its number", plant: func(w *world) {
			w.tried(after, before, true)
			w.repeat(before, renumber)
		}, counts: twice, anomalies: one(evidence.Duplicate, audit.DuplicateReused, before)},
		{name: "twice, and the other record got lost on the way", plant: func(w *world) {
			w.tried(after, before, false)
			w.repeat(before, renumber)
		}, counts: twice, anomalies: one(evidence.Duplicate, audit.DuplicateRenumbered, before)},
		{name: "twice, and only its own requests had the number", plant: func(w *world) {
			w.tried(before, before, true)
			w.repeat(before, renumber)
		}, counts: twice, anomalies: one(evidence.Duplicate, audit.DuplicateRenumbered, before)},
		{name: "another offset, that of the record under whose number it was tried", plant: func(w *world) {
			w.tried(after, before, true)
			w.send(after).Offset = w.send(before).Offset
		}, anomalies: one(evidence.OffsetMismatch, audit.OffsetReused, after)},
		{name: "another offset, and its own number alone", plant: func(w *world) {
			w.tried(after, after, true)
			w.send(after).Offset = w.send(before).Offset
		}, anomalies: one(evidence.OffsetMismatch, audit.OffsetNotThere, after)},
		{name: "lost under the number of a second copy", plant: func(w *world) {
			w.repeat(before, renumber)
			for _, e := range w.requests(after) {
				e.Batches[0].BaseSequence = 9000
			}
			w.lose(after)
		}, counts: swapped, anomalies: slices.Concat(
			one(evidence.Lost, audit.LostReused, after),
			one(evidence.Duplicate, audit.DuplicateRenumbered, before))},
	})
}
