package scenario

import (
	"strconv"

	"kcompare/internal/evidence"
)

// This file has the case E05: a producer whose id the broker has forgotten.

// mostAsked is how often a client may send a record that is answered
// INVALID_PRODUCER_ID_MAPPING once before that is a loop.
const mostAsked = 3

// expiredID is E05 as the proxy tells it: the broker knows the id, and says once that it
// does not.
func expiredID() Variant {
	k := transactionCall{api: "Produce", said: "produce", errors: []kafkaError{invalidMapping}, mode: instead, rows: []string{refusedNumber}}
	v := k.variant()
	v.Name = "case=E05,expiry=answered"
	v.Claim = "a producer whose id is said to be forgotten loses nothing and does not ask for ever"
	tell := v.Conclude
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		c := cellsOf(k.errors)[0]
		return append(tell(o),
			evidence.Answer{Question: "asked for ever", Answer: loops(k.requests(o, c)), Expected: "no"})
	}
	return v
}

func loops(requests int) string {
	if requests > mostAsked {
		return strconv.Itoa(requests) + " times"
	}
	return "no"
}
