package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// TestCompared: what a library says beside the wire, and when that is a claim.
func TestCompared(t *testing.T) {
	o := &evidence.Observed{Told: []evidence.Told{{Moment: "now", Figures: map[string]string{"records sent": "40", "transaction state": "Ready"}}}}
	for _, tt := range []struct {
		name    string
		c       compared
		claimed bool
		want    evidence.Answer
	}{
		{"right", compared{"now", drivers.RecordsSent, "40", false}, true,
			evidence.Answer{Question: "now: records sent", Answer: "40, right", Expected: "40, right"}},
		{"wrong", compared{"now", drivers.RecordsSent, "61", false}, true,
			evidence.Answer{Question: "now: records sent", Answer: "40, wire 61", Expected: "61, right"}},
		{"wrong, and nobody claimed it", compared{"now", drivers.RecordsSent, "61", false}, false,
			evidence.Answer{Question: "now: records sent", Answer: "40, wire 61"}},
		{"measured", compared{"now", drivers.RecordsSent, "61", true}, true,
			evidence.Answer{Question: "now: records sent", Answer: "40, wire 61", Measured: true}},
		{"not told", compared{"now", drivers.RecordsInFlight, "0", false}, true,
			evidence.Answer{Question: "now: records in flight", Answer: "not told"}},
		{"nothing on the wire", compared{"now", drivers.TransactionState, "", false}, true,
			evidence.Answer{Question: "now: transaction state", Answer: "Ready"}},
		{"never asked", compared{"later", drivers.RecordsSent, "40", false}, true,
			evidence.Answer{Question: "later: records sent"}},
	} {
		if diff := cmp.Diff(tt.want, tt.c.answer(o, tt.claimed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestProduced: requests, records in them, and those that came again.
func TestProduced(t *testing.T) {
	batch := func(attempt int, records int32, epoch int16, sends ...evidence.SendID) evidence.TraceBatch {
		return evidence.TraceBatch{Attempt: attempt, Records: records, ProducerEpoch: epoch, Sends: sends}
	}
	first, second := evidence.SendID{Ordinal: 1}, evidence.SendID{Ordinal: 2}
	o := &evidence.Observed{
		Sends: []evidence.Send{{Send: first, Transaction: 1}, {Send: second, Transaction: 2}},
		Trace: evidence.Trace{Exchanges: []evidence.Exchange{
			{API: "Metadata"},
			{API: "Produce", Batches: []evidence.TraceBatch{batch(1, 2, 0, first), batch(1, 1, 0)}},
			{API: "Produce", Batches: []evidence.TraceBatch{batch(2, 2, 0, first), batch(2, 1, 0)}},
			{API: "Produce", Batches: []evidence.TraceBatch{batch(1, 1, 1, second)}},
		}},
	}
	want := onTheWire{requests: 3, records: 7, again: 1, epoch: 1}
	if diff := cmp.Diff(want, produced(o.Trace), cmp.AllowUnexported(onTheWire{})); diff != "" {
		t.Errorf("produced (-want +got):\n%s", diff)
	}
	for n, want := range map[int]string{1: "0", 2: "1", 3: ""} {
		if got := epochOf(o, n); got != want {
			t.Errorf("epoch of transaction %d is %q, expected %q", n, got, want)
		}
	}
}
