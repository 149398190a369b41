package report_test

import (
	"strings"

	"kcompare/internal/evidence"
)

// The four variants of the story, with what they claim.
const (
	sequentialOn  = "enable.idempotence=true,sends=sequential"
	concurrentOn  = "enable.idempotence=true,sends=concurrent"
	sequentialOff = "enable.idempotence=false,sends=sequential"
	concurrentOff = "enable.idempotence=false,sends=concurrent"
)

func kinds() map[string]evidence.Kind {
	return map[string]evidence.Kind{
		sequentialOn: evidence.Promise, concurrentOn: evidence.Promise,
		sequentialOff: evidence.Control, concurrentOff: evidence.Control,
	}
}

func claims() map[string]string {
	return map[string]string{
		sequentialOn:  "each payment stands in the log once, in order",
		concurrentOn:  "each payment stands in the log once, in order",
		sequentialOff: "each lost answer leaves one duplicate",
		concurrentOff: "lost answers leave duplicates",
	}
}

// library is the exact library of each client that the documents name.
func library(client string) string {
	return map[string]string{
		"franz":        "franz-go v1.22.3",
		"librdkafka":   "librdkafka 2.11.1 (confluent-kafka-go v2.11.1)",
		"java":         "kafka-clients 4.4.0",
		"kafkajs":      "kafkajs 2.2.4",
		"python":       "librdkafka 2.16.1 (confluent-kafka 2.16.1)",
		"aiokafka":     "aiokafka 0.12.0",
		"kafka-python": "kafka-python 2.2.0",

		"python@2.11.1": "librdkafka 2.11.1 (confluent-kafka 2.11.1)",
		"sarama":        "sarama v1.61.1",

		"exec:python3 docs/examples/tiny_client.py": "tiny 0.1",
	}[client]
}

// change makes a trial different from one in which all went well.
type change func(*evidence.Trial)

// trial is 200 payments of which 108 answers got lost, as it should end.
func trial(variant, client string, changes ...change) evidence.Trial {
	duplicates := int64(0)
	if kinds()[variant] == evidence.Control {
		duplicates = 108
	}
	t := evidence.Trial{
		Scenario: "idempotent", Variant: variant, Kind: kinds()[variant], Claim: claims()[variant],
		Client: client, Library: library(client),
		About:  about(variant),
		Config: config(variant),
		Faults: []evidence.Fault{{Rule: "lose-answers", Kind: "drop-response", API: "Produce", Planned: 108, Fired: 108}},
		Counts: evidence.Counts{
			evidence.Intended: 200, evidence.Acked: 200, evidence.FailedRecords: 0, evidence.UnknownRecords: 0,
			evidence.LogDelta: 200 + duplicates, evidence.LogRecords: 200 + duplicates, evidence.Visible: 200 + duplicates,
			evidence.Unique: 200, evidence.Duplicates: duplicates, evidence.LostRecords: 0, evidence.FailedPresent: 0,
			evidence.ReorderedRecords: 0, evidence.ProduceRequests: 308, evidence.ResponsesDropped: 108, evidence.RequestsDropped: 0,
		},
		Requests:   map[string]int64{"Produce": 308, "Metadata": 23, "ApiVersions": 110, "InitProducerId": 1},
		Conditions: evidence.Conditions{Finished: true, ReadBack: evidence.ReadBackComplete, Exchanges: 442},
		Verdict:    evidence.Holds,
		ElapsedMS:  1240,
	}
	if client == "librdkafka" {
		t.Requests = map[string]int64{"Produce": 308, "Metadata": 2, "ApiVersions": 112, "InitProducerId": 1, "GetTelemetrySubscriptions": 1}
	}
	if client == "franz" {
		t.Differences = []string{"retry.backoff.max.ms: franz-go has one function for the whole backoff; it grows from retry.backoff.ms to this value."}
	}
	for _, c := range changes {
		c(&t)
	}
	return t
}

func about(variant string) string {
	manner := "one at a time"
	if strings.Contains(variant, "concurrent") {
		manner = "all handed over at once"
	}
	return "200 payments, " + manner + "; 35 % of the answers to Produce get lost after the broker has written."
}

func config(variant string) map[string]string {
	config := map[string]string{
		"acks": "all", "compression.type": "none", "delivery.timeout.ms": "60000", "linger.ms": "0", "retries": "30",
		"retry.backoff.ms": "20", "retry.backoff.max.ms": "100", "reconnect.backoff.ms": "20", "partitioner": "murmur2_random",
	}
	for pair := range strings.SplitSeq(variant, ",") {
		if key, value, _ := strings.Cut(pair, "="); strings.Contains(key, ".") {
			config[key] = value
		}
	}
	if kinds()[variant] == evidence.Control {
		config["max.in.flight"] = "1"
	}
	return config
}

// document is a finished run.
func document(trials ...evidence.Trial) evidence.Document {
	return evidence.Document{
		Command: "run", Schema: evidence.Schema, Kcompare: "v0.1.0", Seed: 1,
		Broker:    evidence.Broker{Kind: "embedded", Software: "kfake v0.0.0-20260918054303-01f206a7e32c", Nodes: 3},
		Again:     "kcompare run idempotent --seed=1",
		ElapsedMS: 5130, Trials: trials,
	}
}

// each is one trial of the variant for every client.
func each(variant string, clients []string, changes ...change) []evidence.Trial {
	var all []evidence.Trial
	for _, c := range clients {
		all = append(all, trial(variant, c, changes...))
	}
	return all
}

func judged(v evidence.Verdict, reasons ...string) change {
	return func(t *evidence.Trial) { t.Verdict, t.Reasons = v, reasons }
}

func anomaly(a evidence.Anomaly) change {
	return func(t *evidence.Trial) { t.Anomalies = append(t.Anomalies, a) }
}

func failure(e evidence.ErrorCount) change {
	return func(t *evidence.Trial) { t.Errors = append(t.Errors, e) }
}

func repeat(n int) change {
	return func(t *evidence.Trial) { t.Repeat = n }
}

func unstable(t *evidence.Trial) { t.Unstable = true }

func collateral(n int64) change {
	return func(t *evidence.Trial) { t.Faults[0].Collateral = n }
}

// duplicated is an honest outcome of concurrent sends without idempotence.
func duplicated(n int64) change {
	return func(t *evidence.Trial) {
		t.Counts[evidence.LogRecords], t.Counts[evidence.LogDelta] = 200+n, 200+n
		t.Counts[evidence.Visible], t.Counts[evidence.Duplicates] = 200+n, n
		t.Anomalies = []evidence.Anomaly{{Kind: evidence.Duplicate, Count: n, Allowed: true, Cause: "client retry without producer id", First: "order-0001"}}
	}
}

// nothingFired is a run with --drop-rate=0.
func nothingFired(t *evidence.Trial) {
	t.Faults[0].Planned, t.Faults[0].Fired = 0, 0
	t.Counts[evidence.ResponsesDropped], t.Counts[evidence.ProduceRequests] = 0, 200
	duplicated(0)(t)
	t.Anomalies = nil
	judged(evidence.Inconclusive, "no fault was planned: nothing was tested")(t)
}

// unfinished is a run with --drop-rate=1 --messages=3 --trial-timeout=5s.
func unfinished(t *evidence.Trial) {
	t.About = "3 payments; every answer to Produce gets lost after the broker has written."
	t.Faults[0].Planned, t.Faults[0].Fired, t.Faults[0].Missed = 93, 41, []string{"payments/0 attempt 15"}
	t.Conditions.Finished, t.Conditions.Pending = false, 3
	t.Counts = evidence.Counts{
		evidence.Intended: 3, evidence.Acked: 0, evidence.FailedRecords: 0, evidence.UnknownRecords: 3,
		evidence.LogDelta: 3, evidence.LogRecords: 3, evidence.Unique: 3, evidence.Duplicates: 0, evidence.LostRecords: 0,
		evidence.ResponsesDropped: 41,
	}
	t.ElapsedMS = 5004
	t.Notes = []string{"the proxy hides an API version that it cannot read: Fetch 19 -> 18"}
	judged(evidence.Inconclusive, "not finished, 3 records pending",
		"drop-response: 93 planned, 41 fired, missed payments/0 attempt 15, ...")(t)
}

// unsupported is a trial that a library has no way to run; counts that were left
// in it by mistake are not to be shown.
func unsupported(t *evidence.Trial) {
	t.Config, t.Faults, t.Requests = nil, nil, nil
	t.Conditions = evidence.Conditions{Unsupported: "idempotence"}
	judged(evidence.NotSupported, "the library has no idempotent producer")(t)
}

// lossy is a client that used one sequence number twice.
func lossy(t *evidence.Trial) {
	for m, n := range map[evidence.Metric]int64{
		evidence.Acked: 190, evidence.FailedRecords: 10, evidence.LogRecords: 190, evidence.LogDelta: 190, evidence.Visible: 190,
		evidence.Unique: 144, evidence.Duplicates: 46, evidence.LostRecords: 51, evidence.FailedPresent: 5,
	} {
		t.Counts[m] = n
	}
	t.Anomalies = []evidence.Anomaly{
		{Kind: evidence.Lost, Count: 51, Cause: "the client gave one sequence number to two records and the broker took the second for a repetition", First: "order-0004"},
		{Kind: evidence.Duplicate, Count: 46, Cause: "the client renumbered a retry", First: "order-0007"},
		{Kind: evidence.FailedButPresent, Count: 5, Allowed: true, Cause: "the answer was lost", First: "order-0009"},
	}
	failure(evidence.ErrorCount{Call: "produce", Class: "unknown-outcome", Code: "REQUEST_TIMED_OUT", Text: "The request timed out", Count: 9})(t)
	failure(evidence.ErrorCount{Call: "produce", Class: "fatal", Code: "OUT_OF_ORDER_SEQUENCE_NUMBER", Text: "out of order", Count: 1})(t)
	judged(evidence.Violated,
		"lost: 51, the first is order-0004 (the client gave one sequence number to two records and the broker took the second for a repetition)",
		"duplicate: 46, the first is order-0007 (the client renumbered a retry)",
		"unique is 144, expected to equal intended (200)")(t)
}

// named moves a trial to another story.
func named(scenario string) change {
	return func(t *evidence.Trial) { t.Scenario = scenario }
}
