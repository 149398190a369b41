package report_test

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// nineClients are as many as a report has to stay readable with, long names among them.
func nineClients() []string {
	return []string{
		"franz", "librdkafka", "python", "python@2.11.1", "java", "kafkajs", "kafka-python", "sarama",
		"exec:python3 docs/examples/tiny_client.py",
	}
}

// nine has a client that loses records alone, two groups that tell of errors in their own
// words and leave different numbers of duplicates, answers that only some share, and so
// many stories that verdicts are listed.
func nine(stand ...string) evidence.Document {
	clients := nineClients()
	var trials []evidence.Trial
	for _, c := range clients {
		t := trial(concurrentOn, c)
		if slices.Contains(stand, c) {
			lossy(&t)
			t.Shrunk = &evidence.Shrunk{Command: "kcompare run idempotent --client=" + c + " --messages=2 --seed=7", Messages: 2, Records: 2, Faults: 1, Struck: map[string]int64{"drop-response": 1}, Times: 3, Tries: 3}
		}
		trials = append(trials, t)
	}
	for i, c := range clients {
		n := int64(70 + i%2)
		t := trial(concurrentOff, c, duplicated(n), collateral(n-70))
		failure(evidence.ErrorCount{Call: "produce", Class: "unknown-outcome", Code: []string{"REQUEST_TIMED_OUT", "_TIMED_OUT"}[i%2], Count: 3})(&t)
		t.Counts[evidence.FailedRecords] = int64(i % 2)
		trials = append(trials, t)
	}
	for n := range 3 {
		for i, c := range clients {
			t := trial(sequentialOn, c, named(fmt.Sprintf("story-%d", n)))
			if n == 2 && i%3 == 0 {
				unsupported(&t)
			}
			t.Answers = []evidence.Answer{
				{Question: "the partition of a record without a key", Answer: []string{"chosen by the batch", "chosen by time"}[i%2]},
				{Question: "how long it waited", Answer: fmt.Sprintf("%d ms", 10+i), Measured: true},
			}
			trials = append(trials, t)
		}
	}
	return document(trials...)
}

// nineUnlike has verdicts that no two clients share in every story.
func nineUnlike() evidence.Document {
	clients := nineClients()
	doc := nine("kafkajs", "sarama")
	for i := range doc.Trials {
		t := &doc.Trials[i]
		if n := slices.Index(clients, t.Client); t.Scenario == fmt.Sprintf("story-%d", n%3) && n%2 == 1 {
			judged(evidence.Inconclusive, "the trace is empty")(t)
		}
	}
	return doc
}
