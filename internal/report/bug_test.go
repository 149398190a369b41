package report_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// reusedSequence is what client, log and wire have of one sequence number that two
// records got.
func reusedSequence() *evidence.Case {
	const topic = "kcompare-idempotent-payments"
	first, second := evidence.RecordID{Role: "payments", N: 3}, evidence.RecordID{Role: "payments", N: 4}
	produce := func(n int64, id evidence.RecordID, sequence int32, code string) evidence.Exchange {
		return evidence.Exchange{
			N: n, Conn: 2, Node: 1, API: "Produce", Version: 7, At: 1000 * n, Forwarded: true, Answered: true, Delivered: true, Result: code,
			Batches: []evidence.TraceBatch{{Topic: topic, ProducerID: 1000, BaseSequence: sequence, Records: 1, IDs: []evidence.RecordID{id}, BaseOffset: 3, Code: code}},
		}
	}
	wire := []evidence.Exchange{
		{N: 5, Conn: 2, Node: 1, API: "InitProducerId", Version: 1, At: 5000, Forwarded: true, Answered: true, Delivered: true, Summary: "pid=-1 epoch=-1", Result: "ok"},
		produce(6, first, 3, "ok"), produce(7, second, 3, "ok"), produce(8, first, 4, "NOT_LEADER_OR_FOLLOWER"),
		{N: 9, Conn: 3, API: "Produce", Version: 7, At: 9000, Summary: "acks=-1", Fault: "drop-request"},
	}
	wire[1].Delivered, wire[1].Fault = false, "drop-response"
	wire[3].Delivered, wire[3].Collateral = false, true
	return &evidence.Case{
		Kind: evidence.Lost, Cause: "sequence number reused by another record", First: "order-0004",
		Records: []evidence.RecordID{second, first},
		Sends: []evidence.Send{
			{ID: first, Key: "order-0003", Topic: topic, Outcome: evidence.OutcomeFailed, Partition: evidence.AnyPartition, Offset: evidence.NoOffset,
				Error: &evidence.ErrorCount{Code: "KafkaJSError", Text: "read failed in /home/barista/app/node_modules/kafkajs/index.js"}},
			{ID: second, Key: "order-0004", Topic: topic, Outcome: evidence.OutcomeAcked, Partition: 0, Offset: 3},
		},
		Stored: []evidence.Stored{{Topic: topic, Offset: 3, ID: first, ProducerID: 1000, Sequence: 3}},
		Wire:   wire, LeftOut: 12,
	}
}

func withCase(t *evidence.Trial) {
	t.Case = reusedSequence()
	t.Trace, t.Log = "/home/barista/kept/idempotent.trace.jsonl", "/home/barista/kept/idempotent.log.jsonl"
	t.Shrunk = &evidence.Shrunk{
		Command:  "kcompare run idempotent --client=kafkajs --messages=2 --seed=7",
		Messages: 2, Records: 2, Faults: 1, Struck: map[string]int64{"drop-response": 1}, Times: 3, Tries: 3, Case: reusedSequence(),
	}
}

// failedWith has these words of the library.
func failedWith(texts ...string) func(*evidence.Trial) {
	return func(t *evidence.Trial) {
		for _, text := range texts {
			t.Errors = append(t.Errors, evidence.ErrorCount{Call: "produce", Class: "fatal", Code: "X", Count: 1, Text: text})
		}
	}
}

// bugs are documents and what has to be reported of them.
func bugs() map[string]evidence.Document {
	whole := document(trial(concurrentOn, "franz"), trial(concurrentOn, "kafkajs", lossy, withCase), trial(sequentialOff, "franz"))
	whole.Platform = "linux/amd64"
	whole.Again = "kcompare run idempotent zombie --client=franz,kafkajs --variant=sends=concurrent --messages=200 --repeat=3 -X 'client.rack=row 7'"
	// A client with a path, on a cluster with a name, without an excerpt, as of before
	// there were any; and one that broke a claim without any anomaly.
	const command = "exec:python3 /home/barista/tiny.py --debug"
	places := document(
		trial(concurrentOn, command, repeat(1)), trial(concurrentOn, command, repeat(2), lossy),
		trial(sequentialOff, "java", judged(evidence.Violated, "duplicates is 0, expected to equal responses_dropped (108)"), failedWith(
			"at file:///home/barista/x/client.mjs:3:9 [/home/barista/my_app/_in.js]",
			"no '/Users/barista/Big Shop/keys.pem', none in /home/barista either",
			`in C:\Users\barista\shop\orders.py, C:\Users\barista and C:/Users/barista/b.py`,
			"in /home/barista-jürgen/<b>/x.py, -I/home/barista/include, jar:file:/opt/barista/a.jar",
			"10.1.2.3:9092 and [fe80::1]:9092 are away, 127.0.0.1:40001 is not",
			"broker-1.shop.example. said no, see https://kafka.apache.org/documentation and read/write",
		)),
	)
	places.Broker = evidence.Broker{Kind: "external", Software: "Apache Kafka at broker-1.shop.example", Nodes: 1}
	places.Again = "kcompare run --client=all --broker=broker-1.shop.example:9092 --command-config=/etc/kafka/client.properties --seed=5"
	return map[string]evidence.Document{"bug": whole, "bug-places": places}
}

func TestBugs(t *testing.T) {
	for name, doc := range bugs() {
		var b bytes.Buffer
		if n, err := report.Bugs(&b, doc, lang.Printer{}); err != nil || n != strings.Count(b.String(), "\n## Versions\n") {
			t.Errorf("%s: says that it wrote %d, error %v", name, n, err)
		}
		for _, place := range []string{"/home", "/etc", "barista", "shop.example", "9092", "Users", "10.1.2", "fe80"} {
			if strings.Contains(b.String(), place) {
				t.Errorf("%s names %s", name, place)
			}
		}
		compareGolden(t, name+".md", b.String())
	}
	if _, err := report.Bugs(closed{}, bugs()["bug"], lang.Printer{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, expected one that wraps %v", err, os.ErrClosed)
	}
}
