package scenario

import (
	"fmt"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Transactions whose records go one at a time, or many to a partition at once; and a
// producer whose records may fail although nobody refuses them.

// cartful is how many orders share a transaction where many records are in flight.
const cartful = 5

// oneByOne is end=commit with each record handed over when the one before is reported, so
// that every attempt at it can be hit.
func oneByOne() Variant {
	v := shopPromise("end=commit,sends=sequential", shop{end: commit, inTurn: true}, "all of a transaction is visible, or, if its commit failed, nothing")
	v.Requires = []evidence.Check{check(evidence.Committed, ">", 0)}
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, one transaction each over three topics, one record at a time; %g %% of the answers to Produce and EndTxn get lost, and some to AddPartitionsToTxn.", plural(ordersOf(p), "order"), p.DropRate*100)
	}
	v.Plan = func(p Parameters) fault.Plan {
		lost := loseFirstAnswers(p, "")
		lost.Select.Attempts = 0
		return append(loseEndings(p), lost)
	}
	v.FewRetries = func(v Variant, retries int) Variant {
		v = mayGiveUp(v, retries)
		v.Plan = func(p Parameters) fault.Plan { return append(loseEndings(p), loseFirstAnswers(p, "")) }
		return v
	}
	return scaled(v, 4, 10)
}

// carts is end=mixed with the records of several orders in flight together.
func carts() Variant {
	v := shopPromise("end=mixed,sends=concurrent", shop{end: commitOrAbort, orders: cartful}, "of each transaction all or nothing is visible, as it was ended")
	v.Requires = []evidence.Check{check(evidence.Committed, ">", 0)}
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, %d in a transaction over three topics, all its records handed over at once; for %g %% of the records the first answer gets lost, and some answers to EndTxn and AddPartitionsToTxn.", plural(ordersOf(p), "order"), cartful, p.DropRate*100)
	}
	v.Plan = func(p Parameters) fault.Plan {
		carts := p
		carts.Messages = (p.Messages + cartful - 1) / cartful
		return append(loseEndings(carts), loseFirstAnswers(p, ""))
	}
	v.OneRecordPerBatch = true // or one of them would be all that is in flight to a partition
	return scaled(v, 2, cartful)
}

// fewRetries is a transactional.id that is used on after a transaction in which a record
// was given up: no answer to its two attempts came, and the program aborts.
func fewRetries(how sends) Variant {
	program, handed := shop{end: commit, inTurn: true}, "one transaction each, one record at a time"
	if how == concurrent {
		program, handed = shop{end: commit, orders: cartful}, fmt.Sprintf("%d in a transaction, all its records handed over at once", cartful)
	}
	v := shopPromise("end=commit,retries=1,sends="+string(how), program, "nothing of a transaction in which a record was given up is visible, and all of those after it")
	v.Settings["retries"] = "1"
	v.GiveUpInFlight = true // or franz-go would have no limit
	v.Requires = []evidence.Check{check(evidence.Committed, ">", 0)}
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent}
	v.About = func(p Parameters) string {
		return fmt.Sprintf("%s, %s; a client has one retry, and of every tenth order no answer to the notification comes. The program aborts that transaction, and goes on.", plural(ordersOf(p), "order"), handed)
	}
	v.Plan = givenUpNotifications
	v.OneRecordPerBatch = true
	return scaled(v, 2, cartful)
}

// givenUpNotifications loses the answers to the last record of some orders: what a client
// does not send any more after a failure is not aimed at.
func givenUpNotifications(p Parameters) fault.Plan {
	var plan fault.Plan
	for n := 2; n < ordersOf(p); n += 10 {
		lost := fault.Rule{
			Name: fmt.Sprintf("lose-answers-to-notification-%d", n), Action: fault.DropResponse, Certain: 1,
			Select: firstAttempt(shopMessages(n, false)[2]),
		}
		lost.Select.Attempts = 2
		plan = append(plan, lost)
	}
	return plan
}
