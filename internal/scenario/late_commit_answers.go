package scenario

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// concludeLate finds out what became of the transactions and why; of is about what came
// late, nil where nothing did.
func concludeLate(of func(*evidence.Observed) []evidence.Answer) func(*evidence.Observed) []evidence.Answer {
	return func(o *evidence.Observed) []evidence.Answer {
		answers := []evidence.Answer{
			{Question: "EndTxn on the wire", Answer: endVersion(o.Trace)},
			{Question: "transaction.version of the cluster", Answer: transactionVersion(o.Trace)},
		}
		if len(o.Transactions) > 1 {
			answers = append(answers, evidence.Answer{Question: "transaction 2 has an epoch of its own", Answer: ownEpoch(o)})
		}
		if of != nil {
			answers = append(answers, of(o)...)
		}
		for _, t := range o.Transactions {
			answers = append(answers,
				evidence.Answer{Question: fmt.Sprintf("transaction %d, says the client", t.N), Answer: told(o, t)},
				evidence.Answer{Question: fmt.Sprintf("a reader gets of transaction %d", t.N), Answer: readOf(o, t.N)})
		}
		return answers
	}
}

// lateEndAnswers say whether the broker did what the late EndTxn asks for. A refusal has
// one of two codes on Kafka: it is CONCURRENT_TRANSACTIONS while something is being
// written to the transaction's own log, which is a matter of time.
func lateEndAnswers(end evidence.End) func(*evidence.Observed) []evidence.Answer {
	return func(o *evidence.Observed) []evidence.Answer {
		code, was := heldAnswer(o.Trace), "refused"
		switch code {
		case "":
			was = ""
		case noError:
			was = "done"
		}
		return []evidence.Answer{
			{Question: fmt.Sprintf("the late %s was", end), Answer: was},
			measured(fmt.Sprintf("code of the late %s", end), code),
		}
	}
}

// noError is how a trace names the code of success.
const noError = "ok"

// lateProduceAnswers say whether the late request wrote payment 1. Its code depends on
// whether the marker of transaction 1 is written yet, which Kafka does after it has
// answered the EndTxn.
func lateProduceAnswers(o *evidence.Observed) []evidence.Answer {
	return []evidence.Answer{
		{Question: "payment 1 stands in the log", Answer: stands(o, evidence.RecordID{Role: payments, N: 1})},
		measured("code of the late Produce", heldAnswer(o.Trace)),
	}
}

// stands is how a record is in the log, copy by copy.
func stands(o *evidence.Observed, id evidence.RecordID) string {
	var copies []string
	for _, p := range o.Log.Partitions {
		for i, fate := range p.Fates() {
			for _, r := range p.Batches[i].Records {
				if r.ID == id {
					copies = append(copies, fateName(fate))
				}
			}
		}
	}
	if len(copies) == 0 {
		return "nowhere"
	}
	return strings.Join(copies, ", ")
}

func fateName(f evidence.Fate) string {
	switch f {
	case evidence.FateVisible:
		return "committed"
	case evidence.FateAborted:
		return "aborted"
	}
	return "open"
}

// endVersion is that of the first EndTxn.
func endVersion(t evidence.Trace) string {
	for _, e := range t.Exchanges {
		if e.API == "EndTxn" {
			return fmt.Sprintf("v%d", e.Version)
		}
	}
	return ""
}

// transactionVersion is the level that the cluster has told a client. A feature at
// level 0 is not among those that are told.
func transactionVersion(t evidence.Trace) string {
	for _, e := range t.Exchanges {
		if e.Features != nil {
			return fmt.Sprint(e.Features["transaction.version"])
		}
	}
	return "not told"
}

// ownEpoch compares the batches of the two transactions.
func ownEpoch(o *evidence.Observed) string {
	first, wrote := identityOf(o, 1)
	second, wroteAgain := identityOf(o, 2)
	if !wrote || !wroteAgain {
		return ""
	}
	return yesNo(first != second)
}

// heldAnswer is what the broker answered to the request that was held.
func heldAnswer(t evidence.Trace) string {
	for _, e := range t.Exchanges {
		switch {
		case e.Fault != string(fault.HoldRequest) || !e.Answered:
		case e.End != nil:
			return e.End.Code
		case len(e.Batches) > 0:
			return e.Batches[0].Code
		}
	}
	return ""
}

// told is the outcome of a transaction, and where the client cannot say it the code of
// the first call that failed.
func told(o *evidence.Observed, t evidence.Transaction) string {
	if t.Outcome != evidence.TransactionUnknown || len(o.Transactions) == 1 {
		return string(t.Outcome)
	}
	for _, call := range []string{"commit", "abort"} {
		for _, e := range o.Trial.Errors {
			if e.Call == call {
				return string(t.Outcome) + ", " + e.Code
			}
		}
	}
	return string(t.Outcome)
}

// readOf is which messages of a transaction a read_committed reader gets, by topic.
func readOf(o *evidence.Observed, transaction int) string {
	visible := map[evidence.SendID]bool{}
	for _, p := range o.Log.Partitions {
		for r := range p.Records(func(f evidence.Fate) bool { return f == evidence.FateVisible }) {
			visible[r.Send] = true
		}
	}
	var got, missing []string
	for _, s := range o.Sends {
		switch what := strings.TrimSuffix(s.ID.Role, "s"); {
		case s.Transaction != transaction:
		case visible[s.Send]:
			got = append(got, what)
		default:
			missing = append(missing, what)
		}
	}
	switch {
	case len(got) == 0:
		return "nothing"
	case len(missing) == 0:
		return strings.Join(slices.Compact(got), " and ")
	}
	return fmt.Sprintf("%s, no %s", strings.Join(got, " and "), strings.Join(missing, " and "))
}
