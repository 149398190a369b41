package faultdiff

import "kcompare/internal/fault"

// Error codes of Kafka that stories answer with.
const (
	corruptMessage  = 2
	requestTimedOut = 7
)

// answered are the faults after which the client gets another answer than the
// broker's, or that one late.
func answered() []Story {
	return []Story{
		{
			Action:   fault.ReplaceResponse,
			Does:     "The broker does what was asked, and its answer is replaced by an error code.",
			Tells:    "10 payments, one at a time; payment 3 is written and answered with REQUEST_TIMED_OUT (7).",
			rule:     fault.Rule{Select: firstAttempt(), Code: requestTimedOut},
			settings: idempotent(), program: payOneByOne, tell: attempted,
		},
		{
			Action:   fault.AnswerInstead,
			Does:     "The broker never sees the request, and the client is answered with an error code.",
			Tells:    "10 payments, one at a time; payment 3 is not written and answered with CORRUPT_MESSAGE (2).",
			Means:    "The code is retriable. franz-go makes an exception of it and fails the record (kgo/sink.go), librdkafka sends it again.",
			rule:     fault.Rule{Select: firstAttempt(), Code: corruptMessage},
			settings: idempotent(), program: payOneByOne, tell: attempted,
		},
		{
			Action:   fault.FalseAck,
			Does:     "The broker never sees the request, and the client is answered that its records were written.",
			Tells:    "10 payments, one at a time; payment 3 is not written and answered as if it were.",
			Means:    "The next batch leaves a gap in the sequence, and the broker answers OUT_OF_ORDER_SEQUENCE_NUMBER. franz-go raises the epoch, begins again with sequence 0 and goes on; librdkafka gives the producer up. `sequence ack=lies` tells more.",
			rule:     fault.Rule{Select: firstAttempt()},
			settings: idempotent(), program: payOneByOne, tell: written,
		},
		{
			Action:   fault.Delay,
			Does:     "The answer, and those behind it on the connection, come later.",
			Tells:    "10 payments, one at a time, and a client that gives a request up after 1 s; the answer to payment 3 comes after 3 s.",
			Untold:   untoldAttempts,
			rule:     fault.Rule{Select: firstAttempt(), Wait: late},
			settings: impatient(), program: payOneByOne, tell: written,
		},
	}
}
