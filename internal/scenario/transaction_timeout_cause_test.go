package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// onWire makes exchanges with the times of their requests in milliseconds; each is
// answered a millisecond later.
type onWire struct{ all []evidence.Exchange }

func (w *onWire) add(at int64, api, summary, result string, payments ...int) *onWire {
	e := evidence.Exchange{
		API: api, At: at * 1000, AnsweredAt: at*1000 + 1000, Summary: summary, Result: result,
		Forwarded: true, Answered: true, Delivered: true,
	}
	if api == "EndTxn" {
		e.End = &evidence.TraceEnd{Commit: strings.HasPrefix(summary, "commit")}
	}
	for _, n := range payments {
		e.Batches = append(e.Batches, evidence.TraceBatch{IDs: []evidence.RecordID{payment(n).ID}})
	}
	w.all = append(w.all, e)
	return w
}

// story is the requests before the timeout: a payment that is committed, and one that
// is not.
func wireStory() *onWire {
	return (&onWire{}).
		add(1, "InitProducerId", "id pid=-1 epoch=-1", "ok").
		add(2, "Produce", "id", "ok", inTime).
		add(3, "EndTxn", "commit id pid=5 epoch=0", "ok").
		add(4, "Produce", "id", "CONCURRENT_TRANSACTIONS", timedOut).
		add(5, "Produce", "id", "ok", timedOut)
}

func observed(w *onWire, timeout string) *evidence.Observed {
	return &evidence.Observed{
		Trial: evidence.Trial{Config: map[string]string{"transaction.timeout.ms": timeout}},
		Trace: evidence.Trace{Exchanges: w.all},
	}
}

func TestCause(t *testing.T) {
	const late = 2100
	for name, tt := range map[string]struct {
		wire *onWire
		want string
	}{
		"the commit is refused":                 {wireStory().add(late, "EndTxn", "commit id", "INVALID_TXN_STATE"), byTimeout},
		"a write is refused":                    {wireStory().add(late, "Produce", "id", "INVALID_PRODUCER_EPOCH", writtenOn), byTimeout},
		"a partition is refused":                {wireStory().add(late, "AddPartitionsToTxn", "id", "payments-0 PRODUCER_FENCED"), byTimeout},
		"first it is put off":                   {wireStory().add(30, "EndTxn", "commit id", "CONCURRENT_TRANSACTIONS").add(late, "EndTxn", "commit id", "PRODUCER_FENCED"), byTimeout},
		"somebody started":                      {wireStory().add(6, "InitProducerId", "id pid=-1 epoch=-1", "ok").add(late, "EndTxn", "commit id", "PRODUCER_FENCED"), byInstance},
		"somebody started after it":             {wireStory().add(late, "EndTxn", "commit id", "PRODUCER_FENCED").add(late+1, "InitProducerId", "id pid=-1 epoch=-1", "ok"), byTimeout},
		"the client asked for an epoch itself":  {wireStory().add(6, "InitProducerId", "id pid=5 epoch=0", "ok").add(late, "EndTxn", "commit id", "PRODUCER_FENCED"), byTimeout},
		"it is refused long before the timeout": {wireStory().add(700, "EndTxn", "commit id", "PRODUCER_FENCED"), byNeither},
		"nothing is refused":                    {wireStory().add(late, "EndTxn", "commit id", "ok"), ""},
		"nothing was written":                   {(&onWire{}).add(late, "EndTxn", "commit id", "PRODUCER_FENCED"), ""},
	} {
		want := evidence.Answer{Question: "cause", Answer: tt.want, Expected: byTimeout}
		if diff := cmp.Diff(want, timeoutCause(observed(tt.wire, "2000"), byTimeout)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := timeoutCause(observed(wireStory().add(late, "EndTxn", "commit id", "PRODUCER_FENCED"), ""), byTimeout); got.Answer != byNeither {
		t.Errorf("without a timeout the cause is %q, want %q", got.Answer, byNeither)
	}
}

func TestLateCommit(t *testing.T) {
	for name, tt := range map[string]struct {
		wire *onWire
		want string
	}{
		"after the timeout":                {wireStory().add(2010, "EndTxn", "commit id", "ok"), "yes"},
		"before the timeout":               {wireStory().add(2005, "EndTxn", "commit id", "ok"), "no"},
		"refused":                          {wireStory().add(2010, "EndTxn", "commit id", "INVALID_TXN_STATE"), "no"},
		"aborted":                          {wireStory().add(2010, "EndTxn", "abort id", "ok"), "no"},
		"of a write that was made again":   {wireStory().add(1990, "Produce", "id", "ok", timedOut).add(2010, "EndTxn", "commit id", "ok"), "no"},
		"of a write that was never made":   {(&onWire{}).add(2010, "EndTxn", "commit id", "ok"), "no"},
		"the one of the payment before it": {(&onWire{}).add(2, "Produce", "id", "ok", inTime).add(2010, "EndTxn", "commit id", "ok"), "no"},
	} {
		want := evidence.Answer{Question: "committed after the timeout", Answer: tt.want, Expected: "yes"}
		if diff := cmp.Diff(want, lateCommit(observed(tt.wire, "2000"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTimeoutOf(t *testing.T) {
	if got := timeoutOf(observed(&onWire{}, "1500")); got != 1500*time.Millisecond {
		t.Errorf("timeout is %v", got)
	}
}
