package faultdiff

import "kcompare/internal/fault"

// twice are the faults with which a request comes to the broker a second time, or
// when nobody expects it any more.
func twice() []Story {
	return []Story{
		{
			Action:   fault.DuplicateRequest,
			Does:     "The broker gets the request twice, and the second answer is swallowed.",
			Tells:    "10 payments, one at a time; the request with payment 3 comes twice.",
			rule:     fault.Rule{Select: firstAttempt()},
			settings: idempotent(), program: payOneByOne, tell: attempted,
		},
		{
			Action: fault.HoldRequest,
			Does:   "The connection closes, and the request reaches the broker later; nobody gets the answer.",
			Tells: "The commit of the first transaction is held, so that the client sends it again. The held one reaches the broker during " +
				"the second transaction, as soon as payment 2 is written; the program aborts that transaction.",
			Means: "franz-go ends a transaction with EndTxn v5 and gets a new epoch for the next one, so the broker refuses the late commit (KIP-890). " +
				"librdkafka 2.11.1 speaks EndTxn v1: the late commit of the first transaction commits the second one, which the program aborts.",
			rule:     fault.Rule{Select: first("EndTxn"), Until: "Produce", Wait: longest},
			settings: transactional(), program: commitThenAbort, tell: transacted,
		},
	}
}
