package scenario

import (
	"fmt"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Idempotence where a client may not try for as long as it takes: what it gives up may be
// in the log, and its sequence number is used up there, whatever the client thinks of it.

// limitedRetries is the payments with one retry each.
func limitedRetries(how sends) Variant {
	v := idempotentVariant(true, how)
	v.Name = "enable.idempotence=true,retries=1,sends=" + string(how)
	v.Settings["retries"] = "1"
	v.GiveUpInFlight = true // or franz-go would have no limit
	return scaled(withFewRetries(v, how, 1), 2, fewestPayments)
}

// fewestPayments are enough for one of them to get through.
const fewestPayments = 4

// withFewRetries is an idempotent variant as it is where some payments use up their
// retries. They fail, and are there or not. A lost answer leaves a duplicate only where
// another attempt followed.
func withFewRetries(v Variant, how sends, retries int) Variant {
	v.Requires = []evidence.Check{check(evidence.Acked, ">", 0)}
	switch {
	case v.Kind == evidence.Promise:
		v.Claim = "nothing that was acknowledged is lost, no payment stands twice, and those that are there are in order"
		v.Checks = []evidence.Check{
			check(evidence.LostRecords, "==", 0),
			check(evidence.Duplicates, "==", 0),
			check(evidence.ReorderedRecords, "==", 0),
		}
	case retries == 0:
		v.Claim = "a payment whose answer is lost fails and is in the log all the same, once"
		v.Checks = []evidence.Check{
			check(evidence.LostRecords, "==", 0),
			check(evidence.Duplicates, "==", 0),
			check(evidence.FailedPresent, ">", 0),
		}
	default:
		v.Claim = "lost answers leave duplicates"
		v.Checks = []evidence.Check{check(evidence.LostRecords, "==", 0), check(evidence.Duplicates, ">", 0)}
	}
	about := v.About
	v.Plan = func(p Parameters) fault.Plan { return loseUpTo(p, how, retries+1) }
	v.About = func(p Parameters) string {
		if how == concurrent {
			return fmt.Sprintf("%s, all handed over at once, with %s; the answers to %s to one of them get lost after the broker has written.",
				plural(p.Messages, "payment"), retriesInWords(retries), plural(retries+1, "attempt"))
		}
		return about(p) + fmt.Sprintf(" A client has %s.", retriesInWords(retries))
	}
	return v
}

func retriesInWords(n int) string {
	switch n {
	case 0:
		return "no retries"
	case 1:
		return "one retry"
	}
	return fmt.Sprintf("%d retries", n)
}

// loseUpTo hits no attempt that a client with limited retries does not make. In flight
// together a payment that is given up may take others with it, which are never sent then
// (franz-go fails all that it holds for the partition): one alone is aimed at, and only
// its first attempt is planned.
func loseUpTo(p Parameters, how sends, attempts int) fault.Plan {
	if how == concurrent {
		one := always("lose-answers", fault.DropResponse, p.Messages/2)
		one.Select.Attempts, one.Certain = attempts, 1
		return fault.Plan{one}
	}
	plan := loseAnswers(p, how)
	plan[0].Select.Attempts = attempts
	return plan
}
