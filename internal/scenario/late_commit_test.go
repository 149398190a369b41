package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// lateWorld is two transactions with a payment and a receipt each, of which payment 2
// was committed by a late request, and its receipt aborted.
func lateWorld() *evidence.Observed {
	o := &evidence.Observed{Transactions: []evidence.Transaction{
		{N: 1, Asked: evidence.AskedCommit, Outcome: evidence.TransactionCommitted},
		{N: 2, Asked: evidence.AskedAbort, Outcome: evidence.TransactionAborted},
	}}
	o.Trace.Exchanges = []evidence.Exchange{
		{API: "ApiVersions", Features: map[string]int16{"transaction.version": 2}},
		{API: "EndTxn", Version: 1, Fault: string(fault.HoldRequest), Answered: true, End: &evidence.TraceEnd{Commit: true, Code: "ok"}},
	}
	logs := map[string]*evidence.PartitionLog{}
	for n, t := range o.Transactions {
		for i, m := range purchase(t.N, t.Asked).messages {
			s := evidence.Send{ID: m.ID, Topic: m.Topic, Transaction: t.N, Send: evidence.SendID{Ordinal: 2*n + i}}
			o.Sends = append(o.Sends, s)
			o.Trace.Exchanges = append(o.Trace.Exchanges, evidence.Exchange{
				API: "Produce", Batches: []evidence.TraceBatch{{ProducerID: 7, Sends: []evidence.SendID{s.Send}}},
			})
			end := evidence.Commit
			if t.N == 2 && i == 1 {
				end = evidence.Abort
			}
			if logs[m.Topic] == nil {
				logs[m.Topic] = &evidence.PartitionLog{Topic: m.Topic}
			}
			logs[m.Topic].Batches = append(logs[m.Topic].Batches,
				evidence.Batch{ProducerID: 7, Transactional: true, Records: []evidence.LogRecord{{ID: s.ID, Send: s.Send}}},
				evidence.Batch{ProducerID: 7, Transactional: true, Control: end})
		}
	}
	o.Log.Partitions = []evidence.PartitionLog{*logs[payments], *logs[receipts]}
	return o
}

// TestLateAnswers: what is found out follows from log and trace.
func TestLateAnswers(t *testing.T) {
	type answers = map[string]string
	honest := answers{
		"EndTxn on the wire": "v1", "transaction.version of the cluster": "2", "transaction 2 has an epoch of its own": "no",
		"the late commit was": "done", "code of the late commit": "ok",
		"transaction 1, says the client": "committed", "a reader gets of transaction 1": "payment and receipt",
		"transaction 2, says the client": "aborted", "a reader gets of transaction 2": "payment, no receipt",
	}
	for _, tt := range []struct {
		name   string
		change func(*evidence.Observed)
		differ answers
	}{
		{"as it is", func(*evidence.Observed) {}, nil},
		{"refused", func(o *evidence.Observed) { o.Trace.Exchanges[1].End.Code = "PRODUCER_FENCED" },
			answers{"the late commit was": "refused", "code of the late commit": "PRODUCER_FENCED"}},
		{"never answered", func(o *evidence.Observed) { o.Trace.Exchanges[1].Answered = false },
			answers{"the late commit was": "", "code of the late commit": ""}},
		{"another epoch", func(o *evidence.Observed) {
			for _, e := range o.Trace.Exchanges[4:] {
				e.Batches[0].ProducerEpoch++
			}
		}, answers{"transaction 2 has an epoch of its own": "yes"}},
		{"nothing of transaction 2 was sent", func(o *evidence.Observed) { o.Trace.Exchanges = o.Trace.Exchanges[:4] },
			answers{"transaction 2 has an epoch of its own": ""}},
		{"without the feature", func(o *evidence.Observed) { o.Trace.Exchanges[0].Features = map[string]int16{"metadata.version": 1} },
			answers{"transaction.version of the cluster": "0"}},
		{"no feature is told", func(o *evidence.Observed) { o.Trace.Exchanges[0].Features = nil },
			answers{"transaction.version of the cluster": "not told"}},
		{"no EndTxn", func(o *evidence.Observed) { o.Trace.Exchanges[1].API = "Metadata" }, answers{"EndTxn on the wire": ""}},
		{"the client cannot say", func(o *evidence.Observed) {
			o.Transactions[1].Outcome = evidence.TransactionUnknown
			o.Trial.Errors = []evidence.ErrorCount{{Call: "abort", Code: "B"}, {Call: "commit", Code: "A"}, {Call: "produce", Code: "C"}}
		}, answers{"transaction 2, says the client": "unknown, A"}},
		{"the client says nothing of why", func(o *evidence.Observed) { o.Transactions[1].Outcome = evidence.TransactionUnknown },
			answers{"transaction 2, says the client": "unknown"}},
		{"all was aborted", func(o *evidence.Observed) {
			o.Log.Partitions[0].Batches[3].Control = evidence.Abort
		}, answers{"a reader gets of transaction 2": "nothing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := lateWorld()
			tt.change(o)
			want := answers{}
			for _, set := range []answers{honest, tt.differ} {
				for question, answer := range set {
					want[question] = answer
				}
			}
			got := answers{}
			for _, a := range concludeLate(lateEndAnswers(evidence.AskedCommit))(o) {
				got[a.Question] = a.Answer
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStands: where payment 1 is, in as many copies as there are.
func TestStands(t *testing.T) {
	o := lateWorld()
	for id, want := range map[evidence.RecordID]string{
		{Role: payments, N: 1}: "committed",
		{Role: receipts, N: 2}: "aborted",
		{Role: payments, N: 3}: "nowhere",
	} {
		if got := stands(o, id); got != want {
			t.Errorf("%v stands %s, expected %s", id, got, want)
		}
	}
	twice := &o.Log.Partitions[0]
	twice.Batches = append(twice.Batches, twice.Batches[0])
	if got := stands(o, evidence.RecordID{Role: payments, N: 1}); got != "committed, open" {
		t.Errorf("payment 1 stands %s, expected committed, open", got)
	}
}
