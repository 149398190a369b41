package scenario

import (
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Clients that give up: their retries or their time are used up. And one that never
// comes to that, because a connection is safe for as long as it is new.

func retriesExhausted() Variant {
	return outOfRetries("enable.idempotence=false,exhausted=retries", 2, "Each is sent three times at most.", "code when the retries are used up")
}

func neverRetried() Variant {
	v := outOfRetries("enable.idempotence=false,retries=0", 0, "Each is sent once.", "code when there are no retries")
	v.Checks = append(v.Checks,
		check(evidence.Duplicates, "==", 0),
		check(evidence.FailedPresent, "==", evidence.ResponsesDropped),
	)
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent}
	return v
}

// outOfRetries has one payment whose answers are all lost and one that never gets
// through, whatever the seed and the number of messages: the checks are about both.
func outOfRetries(name string, retries int, sent, code string) Variant {
	v := givingUp(name, map[string]string{"enable.idempotence": "false", "retries": fmt.Sprint(retries)})
	v.Repeats = true
	v.About = func(p Parameters) string {
		return aboutLosses(p) + " No answer to the second comes, and the third never reaches the broker. " + sent
	}
	v.Plan = func(p Parameters) fault.Plan {
		return append(fault.Plan{
			always("never-answer-second", fault.DropResponse, 1),
			always("never-pass-third", fault.DropRequest, 2),
		}, loseEither(lossy(p))...)
	}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		return append(codes(code)(o), mostAttempts(o, 1+retries))
	}
	return scaled(v, 1, leastLossy)
}

// leastLossy is enough payments for some of them to get through.
const leastLossy = 20

// always hits each attempt at the nth payment.
func always(rule string, action fault.Action, n int) fault.Rule {
	r := fault.Rule{Name: rule, Action: action, Select: firstAttempt(payment(n))}
	r.Select.Attempts = 0
	return r
}

// shortOfTime leaves a handful of attempts. An idempotent producer has to get its
// producer id in that time too, also of a broker that is busy.
func shortOfTime(idempotence bool) map[string]string {
	limit, backoff := "2000", "500"
	if idempotence {
		limit, backoff = "3000", "700"
	}
	return map[string]string{
		"enable.idempotence":                      fmt.Sprint(idempotence),
		"delivery.timeout.ms":                     limit,
		"retries":                                 "2147483647",
		"retry.backoff.ms":                        backoff,
		"retry.backoff.max.ms":                    backoff,
		"topic.metadata.refresh.fast.interval.ms": backoff, // franz-go tries again as soon as it has asked for the leader
	}
}

const (
	lostOfDoomed = 10 // attempts, for more than a second beyond the limit: librdkafka looks at its clock once in one
	leastDoomed  = 5  // payments in a story with doomed ones
	perDoomed    = 40 // messages that the user asked for
)

// doomed loses every answer to the second payment and every request with the third, for
// longer than there is time, and once the answer to the fourth. How often a client tries
// within its time is its own matter: only first attempts are planned.
func doomed(Parameters) fault.Plan {
	hit := func(rule string, action fault.Action, n, attempts int) fault.Rule {
		r := fault.Rule{Name: rule, Action: action, Certain: 1, Select: firstAttempt(payment(n))}
		r.Select.Attempts = attempts
		return r
	}
	return fault.Plan{
		hit("never-answer-second", fault.DropResponse, 1, lostOfDoomed),
		hit("never-pass-third", fault.DropRequest, 2, lostOfDoomed),
		hit("lose-answer-to-fourth", fault.DropResponse, 3, 1),
	}
}

func aboutDoomed(p Parameters) string {
	return fmt.Sprintf("%s, one at a time; no answer to the second comes within its time, the third never reaches the broker, one answer to the fourth gets lost.", plural(p.Messages, "payment"))
}

func timeExhausted() Variant {
	v := givingUp("enable.idempotence=false,exhausted=time", shortOfTime(false))
	v.Conclude = codes("code when the time is used up")
	v.About = func(p Parameters) string {
		return aboutDoomed(p) + fmt.Sprintf(" Of the others %g %% of the attempts come to nothing.", lossy(p).DropRate*100)
	}
	v.Plan = func(p Parameters) fault.Plan {
		plan := doomed(p)
		for _, lost := range loseEither(lossy(p)) {
			lost.Certain = 1
			plan = append(plan, lost)
		}
		return plan
	}
	return scaled(v, perDoomed, leastDoomed)
}

// timeExhaustedIdempotent has the doomed ones alone, so that the first payment comes
// while the producer id does.
func timeExhaustedIdempotent() Variant {
	v := givingUp("enable.idempotence=true,exhausted=time,in-flight=given-up", shortOfTime(true))
	v.Claim = "each payment stands in the log once at most, in order; nothing that was acknowledged is lost; of what failed a part is in the log"
	v.Needs, v.GiveUpInFlight = drivers.Abilities{Idempotence: true}, true
	v.Conclude = codes("code when the time is used up")
	v.Checks = append(v.Checks, check(evidence.Duplicates, "==", 0))
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent}
	v.About, v.Plan = aboutDoomed, doomed
	return scaled(v, perDoomed, leastDoomed)
}

func timeNeverExhausted() Variant {
	v := timeExhaustedIdempotent()
	v.Name = "enable.idempotence=true,exhausted=time,in-flight=default"
	v.Kind, v.Claim = evidence.Observation, "whether the library gives up what may be in the log"
	v.GiveUpInFlight, v.Checks, v.Requires = false, nil, nil
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, one at a time; no answer to the second comes within its time.", plural(few(p, perDoomed, leastDoomed).Messages, "payment"))
	}
	v.Plan = func(p Parameters) fault.Plan { return doomed(p)[:1] }
	return v
}

// warmConnections is a control: with it nobody would learn what a timeout does. How often
// a payment is sent is no matter of time, so that a slow broker does not look like a loss.
func warmConnections() Variant {
	v := givingUp("enable.idempotence=false,warmup=connection", map[string]string{"enable.idempotence": "false"})
	v.Kind, v.Claim = evidence.Control, "no payment is sent more than twice, so that no timeout and no limit of retries is ever reached"
	v.Checks = []evidence.Check{
		check(evidence.Acked, "==", evidence.Intended),
		check(evidence.LostRecords, "==", 0),
	}
	v.Requires, v.Allowed = nil, []evidence.AnomalyKind{evidence.Duplicate}
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, one at a time; each connection lets %s pass, then %g %% of the answers to Produce get lost after the broker has written.",
			plural(p.Messages, "payment"), plural(p.Warmup, "answer"), lossy(p).DropRate*100)
	}
	v.Plan = func(p Parameters) fault.Plan {
		lost := loseAnswers(lossy(p), sequential)
		lost[0].Select.Warmup = p.Warmup
		return lost
	}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return []evidence.Answer{mostAttempts(o, 2)} }
	v.Run = sendOneByOne
	return v
}

// mostAttempts is how often the payment was sent that was sent most often.
func mostAttempts(o *evidence.Observed, expected int) evidence.Answer {
	most := 0
	for _, e := range o.Trace.Exchanges {
		for _, b := range e.Batches {
			most = max(most, b.Attempt)
		}
	}
	return evidence.Answer{Question: "most attempts at one payment", Answer: fmt.Sprint(most), Expected: fmt.Sprint(expected)}
}
