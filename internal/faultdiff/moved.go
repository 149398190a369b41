package faultdiff

import "kcompare/internal/fault"

// moved are the faults that change the cluster before the request goes on.
func moved() []Story {
	return []Story{
		{
			Action:   fault.MoveLeader,
			Does:     "Another replica becomes the leader of the partition.",
			Tells:    "10 payments, all handed over at once; the leader moves when payment 3 comes.",
			Untold:   untoldAttempts,
			rule:     fault.Rule{Select: firstAttempt()},
			settings: idempotent(), program: payAtOnce, tell: written,
		},
		{
			Action:   fault.MoveCoordinator,
			Does:     "Another node coordinates the group or transactional id of the request.",
			Tells:    "The coordinator moves when the commit of the first transaction comes; the program aborts the second one.",
			rule:     fault.Rule{Select: first("EndTxn")},
			settings: transactional(), program: commitThenAbort, tell: transacted,
		},
		{
			Action:   fault.PauseNode,
			Does:     "The node that the request is for does nothing for a while, and its connections stay up.",
			Tells:    "10 payments, one at a time, and a client that gives a request up after 1 s; the leader stands still for 2 s when payment 3 comes.",
			Untold:   untoldAttempts,
			rule:     fault.Rule{Select: firstAttempt(), Wait: standstill},
			settings: impatient(), program: payOneByOne, tell: written,
		},
		{
			Action:   fault.RestartNode,
			Does:     "The node that the request is for is stopped in an orderly way and started again on another port.",
			Tells:    "10 payments, one at a time; the leader is restarted when payment 3 comes.",
			Untold:   untoldAttempts,
			rule:     fault.Rule{Select: firstAttempt()},
			settings: idempotent(), program: payOneByOne, tell: written,
		},
		{
			Action:   fault.KillNode,
			Does:     "The node that the request is for ends as by a crash, and stays away.",
			Tells:    "10 payments, one at a time; the leader is killed when payment 3 comes.",
			Untold:   untoldAttempts,
			rule:     fault.Rule{Select: firstAttempt()},
			settings: idempotent(), program: payOneByOne, tell: written,
		},
	}
}
