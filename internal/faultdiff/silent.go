package faultdiff

import "kcompare/internal/fault"

// silent are the faults after which the connection stays up, and nothing comes on it,
// or little.
func silent() []Story {
	return []Story{
		{
			Action:    fault.Stall,
			Does:      "The connection stays up, and no answer comes on it any more; requests still reach the broker.",
			Tells:     "10 payments stand in the topic, a consumer reads them; its connection stalls before the answer to its first Fetch.",
			rule:      fault.Rule{Select: first("Fetch")},
			consuming: inGroup(), program: read, tell: nothing,
		},
		{
			Action:   fault.HalfOpen,
			Does:     "The connection stays up, what is sent on it goes nowhere, and nothing comes back.",
			Tells:    "10 payments, one at a time, and a client that gives a request up after 1 s; the connection is half open from payment 3 on.",
			Untold:   untoldAttempts,
			rule:     fault.Rule{Select: firstAttempt()},
			settings: impatient(), program: payOneByOne, tell: written,
		},
		{
			Action:    fault.Throttle,
			Does:      "From this answer on, answers come on the connection at so many bytes a second.",
			Tells:     "10 payments stand in the topic, a consumer reads them; from the answer to its first Fetch on it gets 1000 bytes a second.",
			rule:      fault.Rule{Select: first("Fetch"), Rate: 1000},
			consuming: inGroup(), program: read, tell: nothing,
		},
	}
}
