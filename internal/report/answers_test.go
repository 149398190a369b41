package report_test

import (
	"fmt"

	"kcompare/internal/evidence"
)

// answers is two repeats of a matrix, in which the second client was told something
// else than the claim says, and not the same twice.
func answers(clients ...string) evidence.Document {
	of := func(n int, client string, outcome string, verdict evidence.Verdict, reasons ...string) evidence.Trial {
		t := trial(sequentialOn, client, repeat(n), judged(verdict, reasons...))
		t.Repeats = true
		t.Answers = []evidence.Answer{
			{Question: "NOT_ENOUGH_REPLICAS", Answer: "retried, delivered", Expected: "retried, delivered"},
			{Question: "CORRUPT_MESSAGE", Answer: outcome, Expected: "retried, delivered"},
			{Question: "after the first answer, the record that was sent next", Answer: "delivered by a new connection after 12 ms", Measured: true},
		}
		return t
	}
	const broken = "CORRUPT_MESSAGE: failed, expected retried, delivered"
	odd := of(2, clients[1], "retried, delivered", evidence.Holds)
	odd.Counts[evidence.Duplicates] = 1
	return document(
		of(1, clients[0], "retried, delivered", evidence.Holds),
		of(1, clients[1], "failed", evidence.Violated, broken),
		of(2, clients[0], "retried, delivered", evidence.Holds),
		unstableTrial(odd), unstableTrial(of(3, clients[1], "failed", evidence.Violated, broken)),
	)
}

func unstableTrial(t evidence.Trial) evidence.Trial {
	t.Unstable = true
	return t
}

// manyScenarios is nine stories, one of which has more rules than are told one by one
// and was not played with the second client.
func manyScenarios(clients ...string) evidence.Document {
	var trials []evidence.Trial
	for n := range 9 {
		for _, client := range clients[:2-n%2] {
			t := trial(sequentialOn, client)
			t.Scenario, t.Faults = fmt.Sprintf("story-%d", n), nil
			for rule := range n {
				t.Faults = append(t.Faults, evidence.Fault{Rule: fmt.Sprint("code-", rule), Kind: "answer-instead", API: "EndTxn", Planned: 2, Fired: 2})
			}
			trials = append(trials, t)
		}
	}
	return document(trials...)
}
