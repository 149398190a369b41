package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

func TestLedger(t *testing.T) {
	reported := 0
	l := &Ledger{Reported: func() { reported++ }}
	acked := l.send("", evidence.Send{ID: evidence.RecordID{Role: "payments", N: 0}})
	failed := l.send("", evidence.Send{ID: evidence.RecordID{Role: "payments", N: 1}})
	late := l.send("", evidence.Send{ID: evidence.RecordID{Role: "payments", N: 2}})

	acked(drivers.Delivery{Outcome: drivers.Acked, Partition: 1, Offset: 7})
	refused := &drivers.Error{Call: "produce", Class: drivers.Application, Code: "MESSAGE_TOO_LARGE", Text: "too large"}
	failed(drivers.Delivery{Outcome: drivers.Failed, Partition: -1, Offset: -1, Err: refused})
	l.Note("", &drivers.Error{Call: "produce", Class: drivers.Application, Code: "MESSAGE_TOO_LARGE", Text: "2153 bytes are too large"})
	l.Seal()
	if late(drivers.Delivery{Outcome: drivers.Acked}) {
		t.Error("a report after Seal counted")
	}

	kind := evidence.ErrorCount{Call: "produce", Class: "application", Code: "MESSAGE_TOO_LARGE", Text: "too large", Count: 1}
	want := []evidence.Send{
		{ID: evidence.RecordID{Role: "payments", N: 0}, Outcome: evidence.OutcomeAcked, Partition: 1, Offset: 7},
		{ID: evidence.RecordID{Role: "payments", N: 1}, Outcome: evidence.OutcomeFailed, Partition: -1, Offset: -1, Error: &kind},
		{ID: evidence.RecordID{Role: "payments", N: 2}, Outcome: evidence.OutcomeUnknown, Partition: -1, Offset: -1},
	}
	if diff := cmp.Diff(want, l.Sends()); diff != "" {
		t.Errorf("sends (-want +got):\n%s", diff)
	}
	kind.Count = 2
	if diff := cmp.Diff([]evidence.ErrorCount{kind}, l.Errors()); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if reported != 2 {
		t.Errorf("Reported was called %d times, want 2", reported)
	}
	if err := l.Err(); err != nil {
		t.Errorf("Err() = %v", err)
	}
}

func TestLedgerNamesADoubleReport(t *testing.T) {
	l := &Ledger{}
	report := l.send("", evidence.Send{ID: evidence.RecordID{Role: "payments", N: 3}})
	if !report(drivers.Delivery{Outcome: drivers.Failed}) {
		t.Error("the first report did not count")
	}
	if report(drivers.Delivery{Outcome: drivers.Acked}) {
		t.Error("the second report counted")
	}
	if got := l.Sends()[0].Outcome; got != evidence.OutcomeFailed {
		t.Errorf("outcome is %s, the first report says failed", got)
	}
	if err := l.Err(); err == nil {
		t.Error("a client that reports twice goes unnoticed")
	}
}

// TestNoCommit: a transaction may be visible if its commit was asked for at any time.
func TestNoCommit(t *testing.T) {
	const commit, abort = evidence.AskedCommit, evidence.AskedAbort
	for _, tt := range []struct {
		asked []evidence.End
		want  bool
	}{
		{nil, false},
		{[]evidence.End{abort}, true},
		{[]evidence.End{abort, abort}, true},
		{[]evidence.End{commit}, false},
		{[]evidence.End{commit, abort}, false},
		{[]evidence.End{commit, abort, abort}, false},
		{[]evidence.End{abort, commit, abort}, false},
	} {
		l := &Ledger{}
		n := l.begin(1)
		for _, end := range tt.asked {
			l.end(n, end, drivers.TransactionUnknown)
		}
		l.Seal()
		if got := l.Transactions()[0].NoCommit; got != tt.want {
			t.Errorf("asked %v: NoCommit is %v, want %v", tt.asked, got, tt.want)
		}
	}
}
