package faultdiff

import "kcompare/internal/fault"

// lost are the faults that lose something, and the connection with it.
func lost() []Story {
	return []Story{
		{
			Action:   fault.DropResponse,
			Does:     "The broker does what was asked, its answer is lost, and the connection closes.",
			Tells:    "10 payments, one at a time; the answer to payment 3 gets lost.",
			rule:     fault.Rule{Select: firstAttempt()},
			settings: idempotent(), program: payOneByOne, tell: attempted,
		},
		{
			Action:   fault.DropRequest,
			Does:     "The request is lost, the broker never sees it, and the connection closes.",
			Tells:    "10 payments, all handed over at once; the request with payment 3 gets lost.",
			rule:     fault.Rule{Select: firstAttempt()},
			settings: idempotent(), program: payAtOnce, tell: attempted,
		},
		{
			Action:   fault.ResetConnection,
			Does:     "The connection is reset (TCP RST), and the request is not forwarded.",
			Tells:    "10 payments, all handed over at once; the connection is reset when payment 3 comes.",
			rule:     fault.Rule{Select: firstAttempt()},
			settings: idempotent(), program: payAtOnce, tell: attempted,
		},
		{
			Action:   fault.RefuseConnection,
			Does:     "A new connection is closed at once.",
			Tells:    "10 payments, one at a time; the first three connections are refused.",
			rule:     fault.Rule{Select: fault.Selector{First: 3, Probability: 1}},
			settings: idempotent(), program: payOneByOne, tell: attempted,
		},
		{
			Action:    fault.Truncate,
			Does:      "The first bytes of the answer come, then the connection closes.",
			Tells:     "10 payments stand in the topic, a consumer reads them; of the answer to its first Fetch it gets 200 bytes.",
			rule:      fault.Rule{Select: first("Fetch"), Bytes: 200},
			consuming: inGroup(), program: read, tell: nothing,
		},
	}
}
