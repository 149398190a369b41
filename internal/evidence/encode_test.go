package evidence_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kcompare/internal/evidence"
)

func document(seed int64) evidence.Document {
	return evidence.Document{
		Command: "run", Schema: evidence.Schema, Kcompare: "0.1.0", Seed: seed,
		Broker:     evidence.Broker{Kind: "embedded", Software: "kfake v0", Nodes: 3},
		Parameters: map[string]string{"messages": "200"},
		Trials: []evidence.Trial{{
			Scenario: "idempotent", Kind: evidence.Promise, Client: "franz",
			Counts: evidence.Counts{evidence.Intended: 200, evidence.LostRecords: 0},
			Checks: []evidence.Check{{Left: evidence.Duplicates, Op: "==", Right: "responses_dropped"}},
		}},
	}
}

func TestDocumentRoundTrip(t *testing.T) {
	var b bytes.Buffer
	if err := evidence.Encode(&b, document(1)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "null") {
		t.Errorf("a script cannot walk null:\n%s", b.String())
	}
	got, err := evidence.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(document(1), got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("document after a round trip (-want +got):\n%s", diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":       "METRIC VALUE",
		"another schema": `{"schema":"kcompare/lint/v1"}`,
		"half a file":    `{"schema":"kcompare/evidence/v1","trials":[{`,
		"two documents":  `{"schema":"kcompare/evidence/v1","trials":[{}]} {}`,
		"no trial":       `{"schema":"kcompare/evidence/v1","trials":[]}`,
	} {
		if _, err := evidence.Decode(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), evidence.Schema) {
			t.Errorf("%s: error is %v, expected one that names %s", name, err, evidence.Schema)
		}
	}
}

func TestCountsKeepPrintingOrderAndAbsence(t *testing.T) {
	counts := evidence.Counts{evidence.Duplicates: 70, evidence.Intended: 200, evidence.LostRecords: 0}
	got, err := counts.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"intended":200,"duplicates":70,"lost":0}`; string(got) != want {
		t.Errorf("counts are %s, want %s", got, want)
	}
}

func TestCountsValue(t *testing.T) {
	counts := evidence.Counts{evidence.Intended: 200}
	for operand, want := range map[string]int64{"intended": 200, "7": 7} {
		if got, ok := counts.Value(operand); !ok || got != want {
			t.Errorf("Value(%q) = %d, %v", operand, got, ok)
		}
	}
	if got, ok := counts.Value("visible"); ok {
		t.Errorf("Value(visible) = %d, expected that it is unknown", got)
	}
}

func TestMerge(t *testing.T) {
	other := document(1)
	other.Trials[0].Client, other.ElapsedMS = "librdkafka", 7
	whole, err := evidence.Merge(document(1), other)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Trials) != 2 {
		t.Errorf("%d trials after the merge, want 2", len(whole.Trials))
	}
	second := document(1)
	second.Trials[0].Number, other.Trials[0].Number = 2, 1
	if whole, _ := evidence.Merge(second, other); whole.Trials[0].Client != "librdkafka" {
		t.Errorf("the first trial of the run is that of %s, want librdkafka: files come in any order", whole.Trials[0].Client)
	}
	if _, err := evidence.Merge(document(1), document(2)); err == nil {
		t.Error("documents of two seeds were merged")
	}
	other.Parameters = map[string]string{"messages": "50"}
	if _, err := evidence.Merge(document(1), other); err == nil {
		t.Error("documents of two experiments were merged")
	}
	if _, err := evidence.Merge(document(1), document(1)); err == nil {
		t.Error("the same trial was counted twice")
	}
	if _, err := evidence.Merge(); err == nil {
		t.Error("no document at all was merged")
	}
}

func TestEncodeTraceAndLog(t *testing.T) {
	var b bytes.Buffer
	trace := evidence.Trace{Exchanges: []evidence.Exchange{{N: 1, API: "Produce"}, {N: 2, API: "Metadata"}}, Cut: 5}
	if err := evidence.EncodeTrace(&b, trace); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"cut":5`) {
		t.Errorf("trace file:\n%s\nwant a head with the 5 that were cut and 2 exchanges", b.String())
	}
	b.Reset()
	log := evidence.Log{Partitions: []evidence.PartitionLog{{Topic: "payments", Batches: []evidence.Batch{{ProducerID: 7}}}}}
	if err := evidence.EncodeLog(&b, log); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(b.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[1], `"producer_id":7`) {
		t.Errorf("log file:\n%s\nwant a head and one batch", b.String())
	}
}
