package audit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// threeTransactions is one partition with commit 2, abort 2, commit 2.
func threeTransactions() *world {
	w := &world{}
	w.Intended = 6
	w.Log.Partitions = []evidence.PartitionLog{{Topic: refunds}}
	w.refund(0, evidence.Commit)
	w.refund(2, evidence.Abort)
	w.refund(4, evidence.Commit)
	w.readAll()
	w.Trial = evidence.Trial{
		Kind: evidence.Promise, Counts: evidence.Counts{},
		Conditions: evidence.Conditions{Finished: true, ReadBack: evidence.ReadBackComplete, Exchanges: 6},
	}
	return w
}

// TestD09MarkersExplainEveryGap: somebody took the end offset minus the records that a
// consumer got for the number of lost ones, and it was five. The markers at 2, 5 and 8
// and the aborted records at 3 and 4 explain all of it. Without its marker an offset is
// a gap.
func TestD09MarkersExplainEveryGap(t *testing.T) {
	w := threeTransactions()
	var data, markers, visible []int64
	for _, b := range w.partition(refunds, 0).Batches {
		if b.Control != "" {
			markers = append(markers, b.BaseOffset)
		}
		for _, r := range b.Records {
			data = append(data, r.Offset)
		}
	}
	for _, r := range w.Reads {
		visible = append(visible, r.Offset)
	}
	if diff := cmp.Diff([][]int64{{0, 1, 3, 4, 6, 7}, {2, 5, 8}, {0, 1, 6, 7}}, [][]int64{data, markers, visible}); diff != "" {
		t.Fatalf("offsets of data, of markers, and what is visible (-D09 +this log):\n%s", diff)
	}
	got := audit.Audit(&w.Observed)
	if len(got.Anomalies) > 0 || got.Counts[evidence.LogDelta] != 9 || got.Counts[evidence.LogRecords] != 6 ||
		got.Counts[evidence.Visible] != 4 || got.Counts[evidence.LostRecords] != 0 {
		t.Errorf("anomalies %v, counts %v", got.Anomalies, got.Counts)
	}

	w = threeTransactions()
	p := w.partition(refunds, 0)
	p.Batches = append(p.Batches[:2:2], p.Batches[3:]...) // the first marker
	got = audit.Audit(&w.Observed)
	gap := evidence.Anomaly{Kind: evidence.OffsetGap, Count: 1, Cause: audit.OffsetsMissing, First: "kcompare-refunds-0 offset 2"}
	found := false
	for _, a := range got.Anomalies {
		found = found || cmp.Equal(a, gap)
	}
	if !found {
		t.Errorf("anomalies are %v, want %v among them", got.Anomalies, gap)
	}
}
