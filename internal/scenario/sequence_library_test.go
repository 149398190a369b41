package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// sentBatch is a batch of payments as the trace has it, one record for each number.
func sentBatch(sequence int32, code string, offset int64, ordinals ...int) evidence.Exchange {
	b := evidence.TraceBatch{
		Topic: "t", ProducerID: 7, BaseSequence: sequence, Records: int32(len(ordinals)), Code: code, BaseOffset: offset,
	}
	for _, n := range ordinals {
		b.Sends = append(b.Sends, evidence.SendID{Instance: 1, Ordinal: n})
	}
	return evidence.Exchange{API: "Produce", Forwarded: true, Batches: []evidence.TraceBatch{b}}
}

// TestBatchesAreCounted: what is wrong with one header is what the answer says.
func TestBatchesAreCounted(t *testing.T) {
	honest := batchHeaders{
		first: "0", next: "last + records", again: "the same number", told: "ok, first offset", epoch: "0", largest: 3,
	}
	for name, tt := range map[string]struct {
		change func([]evidence.Exchange)
		want   func(*batchHeaders)
	}{
		"honest": {func([]evidence.Exchange) {}, func(*batchHeaders) {}},
		"starts at 1": {func(e []evidence.Exchange) {
			for i := range e {
				e[i].Batches[0].BaseSequence++
			}
		}, func(w *batchHeaders) { w.first = "1" }},
		"counts batches": {func(e []evidence.Exchange) { e[2].Batches[0].BaseSequence = 2 },
			func(w *batchHeaders) { w.next = "last + records; 2 after 1 with 3" }},
		"another number": {func(e []evidence.Exchange) { e[3].Batches[0].BaseSequence = 9 },
			func(w *batchHeaders) { w.again = "another number" }},
		"another epoch": {func(e []evidence.Exchange) { e[3].Batches[0].ProducerEpoch = 1 },
			func(w *batchHeaders) { w.again = "another number" }},
		"refused": {func(e []evidence.Exchange) { e[3].Batches[0].Code = "DUPLICATE_SEQUENCE_NUMBER" },
			func(w *batchHeaders) { w.told = "DUPLICATE_SEQUENCE_NUMBER" }},
		"another offset": {func(e []evidence.Exchange) { e[3].Batches[0].BaseOffset = 4 },
			func(w *batchHeaders) { w.told = "ok, another offset" }},
		"never answered": {func(e []evidence.Exchange) { e[3].Batches[0].Code = "" },
			func(w *batchHeaders) { w.told = "" }},
		"never forwarded": {func(e []evidence.Exchange) { e[3].Forwarded = false },
			func(w *batchHeaders) { w.told, w.again = "", "" }},
	} {
		t.Run(name, func(t *testing.T) {
			trace := []evidence.Exchange{
				sentBatch(0, "ok", 0, 0), sentBatch(1, "ok", 1, 1, 2, 3), sentBatch(4, "ok", 4, 4), sentBatch(1, "ok", 1, 1, 2, 3),
			}
			tt.change(trace)
			want := honest
			tt.want(&want)
			got := headersOf(evidence.Trace{Exchanges: trace})
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(batchHeaders{})); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}
