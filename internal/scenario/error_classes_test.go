package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"

	"kcompare/internal/evidence"
)

// TestErrorNames: codes have Kafka's names.
func TestErrorNames(t *testing.T) {
	all := append(coordinatorErrors(clusterForbidden, unknownTopic, topicForbidden, groupForbidden, illegalGeneration), producingErrors()...)
	for _, e := range append(append(all, afterWriting()...), denyingWrite()...) {
		if known := kerr.TypedErrorForCode(e.code); known == nil || known.Message != e.name {
			t.Errorf("code %d is called %s, Kafka calls it %v", e.code, e.name, known)
		}
	}
}

// TestErrorRulesAreApart: each cell of a variant has a request of its own to be hit.
func TestErrorRulesAreApart(t *testing.T) {
	for _, v := range errorClasses().Variants {
		seen := map[any]string{}
		for _, r := range v.Plan(DefaultParameters()) {
			if other, taken := seen[r.Select]; taken {
				t.Errorf("%s: %s and %s aim at the same requests", v.Name, other, r.Name)
			}
			seen[r.Select] = r.Name
		}
	}
}

// theCell is the one that these tests are about.
var theCell = errorCell{kafkaError: tooLarge}

// sent is a record of the cell and what was said of it.
func sent(t turn, role string, outcome evidence.Outcome, class string) evidence.Send {
	s := evidence.Send{ID: theCell.message(role, t).ID, Outcome: outcome, Transaction: 1 + int(t)}
	if class != "" {
		s.Error = &evidence.ErrorCount{Call: "produce", Class: class, Code: tooLarge.name}
	}
	return s
}

// logWith is a log with one partition: so many copies of a record, and how the
// transaction ended that they stand in; "" outside of one.
func logWith(id evidence.RecordID, copies int, marker string) evidence.Log {
	var p evidence.PartitionLog
	for range copies {
		p.Batches = append(p.Batches, evidence.Batch{ProducerID: 1, Transactional: marker != "", Records: []evidence.LogRecord{{ID: id}}})
	}
	if marker == evidence.Commit || marker == evidence.Abort {
		p.Batches = append(p.Batches, evidence.Batch{ProducerID: 1, Control: marker})
	}
	return evidence.Log{Partitions: []evidence.PartitionLog{p}}
}

// carried is so many requests with a record.
func carried(id evidence.RecordID, times int) []evidence.Exchange {
	var all []evidence.Exchange
	for range times {
		all = append(all, evidence.Exchange{API: "Produce", Batches: []evidence.TraceBatch{{IDs: []evidence.RecordID{id}}}})
	}
	return all
}

func TestRecordInWords(t *testing.T) {
	const acked, failed = evidence.OutcomeAcked, evidence.OutcomeFailed
	id := theCell.order(hitTurn).ID
	for _, tt := range []struct {
		outcome  evidence.Outcome
		class    string
		copies   int
		requests int
		want     string
	}{
		{acked, "", 1, 1, "delivered"},
		{acked, "", 1, 2, "retried, delivered"},
		{acked, "", 2, 2, "acked, written twice"},
		{acked, "", 0, 1, "acked, lost"},
		{failed, "fatal", 0, 1, "failed, fatal"},
		{failed, "retriable", 1, 1, "failed, present, retriable"},
		{failed, "retriable", 2, 2, "failed, written twice, retriable"},
		{evidence.OutcomeUnknown, "", 1, 1, "unknown, present"},
		{evidence.OutcomeUnknown, "", 0, 0, "unknown"},
	} {
		o := &evidence.Observed{
			Sends: []evidence.Send{sent(hitTurn, orders, tt.outcome, tt.class)},
			Log:   logWith(id, tt.copies, ""), Trace: evidence.Trace{Exchanges: carried(id, tt.requests)},
		}
		if got := newMatrix(o).record(id); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	if got := newMatrix(&evidence.Observed{}).record(id); got != "not sent" {
		t.Errorf("a record that was never handed over: %q", got)
	}
}

func TestTransactionInWords(t *testing.T) {
	id := theCell.order(hitTurn).ID
	commit := transactionCall{api: "EndTxn", end: evidence.AskedCommit, said: "commit"}
	produce := transactionCall{api: "Produce", said: "produce"}
	told := func(call, class string) []evidence.ErrorCount {
		return []evidence.ErrorCount{{Who: theCell.who(hitTurn), Call: call, Class: class}}
	}
	ends := func(n int) (all []evidence.Exchange) {
		for range n {
			all = append(all, evidence.Exchange{API: "EndTxn", TransactionalID: theCell.id(), End: &evidence.TraceEnd{Commit: true}})
		}
		return all
	}
	for name, tt := range map[string]struct {
		call     transactionCall
		log      evidence.Log
		errors   []evidence.ErrorCount
		class    string // of the record's own error
		requests []evidence.Exchange
		want     string
	}{
		"committed":               {commit, logWith(id, 1, evidence.Commit), nil, "", ends(1), "committed"},
		"committed at the second": {commit, logWith(id, 1, evidence.Commit), nil, "", ends(2), "retried, committed"},
		"committed and fenced":    {commit, logWith(id, 1, evidence.Commit), told("commit", "fenced"), "", ends(2), "committed, fenced"},
		"aborted":                 {commit, logWith(id, 1, evidence.Abort), told("commit", "abortable"), "", ends(1), "aborted, abortable"},
		"nothing written":         {commit, evidence.Log{}, told("commit", "fatal"), "", ends(1), "aborted, fatal"},
		"open":                    {commit, logWith(id, 1, "open"), told("commit", "fatal"), "", ends(1), "open, fatal"},
		"the worst of others":     {commit, evidence.Log{}, append(told("abort", "fatal"), told("produce", "unknown-outcome")...), "", nil, "aborted, fatal"},
		"the end of another":      {commit, logWith(id, 1, evidence.Commit), nil, "", append(ends(1), evidence.Exchange{API: "EndTxn", TransactionalID: "other", End: &evidence.TraceEnd{Commit: true}}), "committed"},
		"the record's own error":  {produce, evidence.Log{}, told("produce", "fatal"), "application", carried(id, 1), "aborted, application"},
		"produced again":          {produce, logWith(id, 1, evidence.Commit), nil, "", carried(id, 2), "retried, committed"},
	} {
		o := &evidence.Observed{
			Sends: []evidence.Send{sent(hitTurn, orders, evidence.OutcomeAcked, tt.class)},
			Log:   tt.log, Trace: evidence.Trace{Exchanges: append(tt.requests, carried(theCell.order(nextTurn).ID, 5)...)},
			Trial: evidence.Trial{Errors: tt.errors},
		}
		if got := tt.call.ended(newMatrix(o), theCell); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestWhatAProducerIsGoodFor(t *testing.T) {
	id := theCell.order(nextTurn).ID
	handed := []evidence.Send{sent(nextTurn, orders, evidence.OutcomeAcked, "")}
	refused := []evidence.ErrorCount{{Who: theCell.who(nextTurn), Call: "produce", Class: "application"}}
	for want, o := range map[string]*evidence.Observed{
		"works":                {Sends: handed, Log: logWith(id, 1, evidence.Commit)},
		"aborted, application": {Sends: handed, Log: logWith(id, 1, evidence.Abort), Trial: evidence.Trial{Errors: refused}},
		"dead":                 {},
	} {
		if got := newMatrix(o).lives(theCell); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestOffsetsApart: offsets that are stored without their records, and the other way
// round.
func TestOffsetsApart(t *testing.T) {
	id := theCell.order(hitTurn).ID
	for _, tt := range []struct {
		marker, offsets, want string
	}{
		{evidence.Commit, "of the first", "nowhere"},
		{evidence.Abort, "of none", "nowhere"},
		{evidence.Commit, "of none", tooLarge.name},
		{evidence.Abort, "of the first", tooLarge.name},
		{evidence.Commit, "", tooLarge.name},
	} {
		o := &evidence.Observed{
			Sends: []evidence.Send{sent(hitTurn, orders, evidence.OutcomeAcked, "")}, Log: logWith(id, 1, tt.marker),
			Trial: evidence.Trial{Answers: []evidence.Answer{{Question: theCell.name + ofOffsets, Answer: tt.offsets}}},
		}
		if got := newMatrix(o).apart([]errorCell{theCell}); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// TestE01Cause: what the reports are called does not hide a missing right, and other
// causes are not taken for one.
func TestE01Cause(t *testing.T) {
	failed := func(codes ...string) (sends []evidence.Send) {
		for _, code := range codes {
			sends = append(sends, evidence.Send{Error: &evidence.ErrorCount{Code: code}})
		}
		return sends
	}
	for want, sends := range map[string][]evidence.Send{
		"authorization": failed(clusterForbidden.name, topicForbidden.name),
		"_PURGE_QUEUE":  failed("_PURGE_QUEUE", "_PURGE_QUEUE"),
		"CLUSTER_AUTHORIZATION_FAILED, _PURGE_QUEUE": failed("_PURGE_QUEUE", clusterForbidden.name),
		"": failed(),
	} {
		if got := reportedCause(sends); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestE05Loops: one answer for each call is no loop, and none shows nothing.
func TestE05Loops(t *testing.T) {
	for refused, want := range map[int][2]string{0: {"no", ""}, mostRefused: {"no", "yes"}, mostRefused + 1: {"6 times", "yes"}} {
		o := &evidence.Observed{Trace: evidence.Trace{Exchanges: []evidence.Exchange{
			{API: "InitProducerId", Result: "ok", Delivered: true}, {API: "InitProducerId", Result: invalidMapping.name},
		}}}
		for range refused {
			o.Trace.Exchanges = append(o.Trace.Exchanges, evidence.Exchange{API: "InitProducerId", Result: invalidMapping.name, Delivered: true})
		}
		if got := [2]string{loops(o), saysForgotten(o)}; got != want {
			t.Errorf("%d answers: %q, want %q", refused, got, want)
		}
	}
}

// TestE06Alarms: a failure was asked for where its transaction was aborted, and the client
// said so.
func TestE06Alarms(t *testing.T) {
	aborted := evidence.Transaction{N: 1, Asked: evidence.AskedAbort, Outcome: evidence.TransactionAborted}
	unsure := evidence.Transaction{N: 1, Asked: evidence.AskedAbort, Outcome: evidence.TransactionUnknown}
	committed := evidence.Transaction{N: 1, Asked: evidence.AskedCommit, Outcome: evidence.TransactionCommitted}
	failed := evidence.Send{Outcome: evidence.OutcomeFailed, Transaction: 1}
	silent := evidence.Send{Outcome: evidence.OutcomeUnknown, Transaction: 1}
	for name, tt := range map[string]struct {
		transactions  []evidence.Transaction
		sends         []evidence.Send
		asked, alarms string
	}{
		"aborted":              {[]evidence.Transaction{aborted}, []evidence.Send{failed, silent, {Outcome: evidence.OutcomeAcked, Transaction: 1}}, "2", "0"},
		"nobody knows":         {[]evidence.Transaction{unsure}, []evidence.Send{failed}, "0", "1"},
		"committed":            {[]evidence.Transaction{committed}, []evidence.Send{failed}, "0", "1"},
		"outside":              {nil, []evidence.Send{{Outcome: evidence.OutcomeFailed}, {Outcome: evidence.OutcomeUnknown}}, "0", "2"},
		"beside a transaction": {[]evidence.Transaction{aborted}, []evidence.Send{{Outcome: evidence.OutcomeFailed}}, "0", "1"},
	} {
		got := tellAlarms(&evidence.Observed{Transactions: tt.transactions, Sends: tt.sends}, "0")
		want := []evidence.Answer{
			{Question: "records that were to fail", Answer: tt.asked},
			{Question: "loss, or nobody knows", Answer: tt.alarms, Expected: "0"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestE07WhomToAsk: the cluster is to blame when every answer said that there is no
// coordinator. A client that never asked, or gave up after it was told of one, is not
// excused.
func TestE07WhomToAsk(t *testing.T) {
	refused := evidence.Exchange{API: "FindCoordinator", Delivered: true, Result: noCoordinator.name}
	found := evidence.Exchange{API: "FindCoordinator", Delivered: true, Result: "ok"}
	gaveUp := evidence.Trial{Errors: []evidence.ErrorCount{{Call: "init"}}}
	for name, tt := range map[string]struct {
		trial     evidence.Trial
		exchanges []evidence.Exchange
		want      string
	}{
		"refused":       {gaveUp, []evidence.Exchange{refused, refused}, "the cluster"},
		"found at last": {gaveUp, []evidence.Exchange{refused, found}, "the client"},
		"never asked":   {gaveUp, []evidence.Exchange{{API: "Metadata", Delivered: true, Result: "ok"}}, "the client"},
		"went on":       {evidence.Trial{}, []evidence.Exchange{refused}, "the client"},
	} {
		got := tellWhomToAsk(&evidence.Observed{Trial: tt.trial, Trace: evidence.Trace{Exchanges: tt.exchanges}})
		if got[0].Answer != tt.want {
			t.Errorf("%s: %q, want %q", name, got[0].Answer, tt.want)
		}
	}
}
