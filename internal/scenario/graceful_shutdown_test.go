package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

func TestHeard(t *testing.T) {
	acked, unknown := evidence.Send{Outcome: evidence.OutcomeAcked}, evidence.Send{Outcome: evidence.OutcomeUnknown}
	failed := evidence.Send{Outcome: evidence.OutcomeFailed, Error: &evidence.ErrorCount{Code: "_PURGE_QUEUE"}}
	for want, sends := range map[string][]evidence.Send{
		"":                         nil,
		"nothing":                  {unknown, unknown},
		"all acked":                {acked, acked},
		"all failed: _PURGE_QUEUE": {failed, failed},
		"2 acked, 1 nothing, 1 failed: _PURGE_QUEUE": {acked, unknown, acked, failed},
	} {
		if got := heard(sends); got != want {
			t.Errorf("heard %q, expected %q", got, want)
		}
	}
}

// TestTakeover reads the last word of one member and the next join of the other out
// of a trace.
func TestTakeover(t *testing.T) {
	const s = 1_000_000 // microseconds
	said := func(n int64, client, api string, at, answered int64) evidence.Exchange {
		return evidence.Exchange{N: n, Client: client, API: api, At: at, AnsweredAt: answered, Answered: answered > 0, Result: okResult}
	}
	refused := said(7, endingClient, "LeaveGroup", 5*s, 5*s+1)
	refused.Result = "UNKNOWN_MEMBER_ID"
	together := []evidence.Exchange{
		said(1, endingClient, "JoinGroup", 1*s, 1*s),
		said(2, stayingClient, "JoinGroup", 2*s, 3*s+10),
		said(3, endingClient, "Heartbeat", 3*s-5, 3*s-4),
		said(4, endingClient, "JoinGroup", 3*s, 3*s+9),
		said(5, endingClient, "SyncGroup", 3*s+20, 3*s+30),
		said(6, endingClient, "Fetch", 4*s, 4*s+1),
	}
	for _, tt := range []struct {
		name  string
		after []evidence.Exchange
		leave string
		when  string
	}{
		{"it leaves", []evidence.Exchange{said(7, endingClient, "LeaveGroup", 5*s, 5*s+1), said(8, stayingClient, "JoinGroup", 5*s+2, 5*s+3)}, "sent", afterLeave},
		{"its leaving changes nothing", []evidence.Exchange{said(7, endingClient, "LeaveGroup", 5*s, 5*s+1), said(8, stayingClient, "JoinGroup", 11*s, 11*s+3)}, "sent", afterSession},
		{"its leaving is refused", []evidence.Exchange{refused, said(8, stayingClient, "JoinGroup", 5*s+2, 5*s+3)}, "none", "earlier"},
		{"it vanishes", []evidence.Exchange{said(7, stayingClient, "JoinGroup", 9*s+20, 9*s+20)}, "none", afterSession},
		{"it is given up too early", []evidence.Exchange{said(7, stayingClient, "JoinGroup", 9*s, 9*s+19)}, "none", "earlier"},
		{"nobody joins", []evidence.Exchange{said(7, stayingClient, "Heartbeat", 9*s, 9*s)}, "none", ""},
		{"the join has no answer", []evidence.Exchange{said(7, stayingClient, "JoinGroup", 9*s, 0)}, "none", ""},
	} {
		want := []evidence.Answer{
			{Question: askedLeave, Answer: tt.leave, Expected: "sent"},
			{Question: askedTakeover, Answer: tt.when, Expected: afterLeave},
		}
		got := takeover(&evidence.Observed{
			Trial: evidence.Trial{Consuming: map[string]string{"session.timeout.ms": "6000"}},
			Trace: evidence.Trace{Exchanges: append(together[:len(together):len(together)], tt.after...)},
		}, "sent", afterLeave)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestEndTxnOf(t *testing.T) {
	trace := evidence.Trace{Exchanges: []evidence.Exchange{
		{Client: firstClient, API: "EndTxn", End: &evidence.TraceEnd{}},
		{Client: firstClient, API: "Produce"},
		{Client: "kcompare", API: "EndTxn", End: &evidence.TraceEnd{Commit: true}},
	}}
	for client, want := range map[string]string{firstClient: "abort", "kcompare": "commit", "nobody": "none"} {
		if got := endTxnOf(trace, client); got != want {
			t.Errorf("EndTxn of %s: %q, expected %q", client, got, want)
		}
	}
}
