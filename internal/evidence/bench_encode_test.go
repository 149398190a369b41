package evidence_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

func wholeBench() evidence.Bench {
	linger := 0.0
	return evidence.Bench{
		Command: "bench", Schema: evidence.BenchSchema, Work: evidence.BenchProduce, Config: map[string]string{"acks": "all"},
		Load: evidence.BenchLoad{Rounds: 1, Records: 10, RecordBytes: 100, Partitions: 3},
		Contestants: []evidence.BenchContestant{
			{Name: "franz <1>", Client: "franz", Seen: &evidence.BenchSeen{Acks: "all", LingerMS: &linger}},
			{Name: "java", Client: "java", Unproven: "nobody looked"},
		},
		Rounds: []evidence.BenchRound{
			{Contestant: "franz <1>", Round: 1, Turn: 1, Records: 10, ElapsedUS: 7},
			{Contestant: "java", Round: 1, Turn: 2, Records: 9, ElapsedUS: 7, Void: "lost 1 of 10 records", Lost: 1},
		},
		Judgement: evidence.BenchJudgement{Metrics: []evidence.BenchMetric{{Name: "records", Standing: []evidence.BenchFigures{
			{Contestant: "franz <1>", Rounds: 1, Median: 1.5, Ratio: &evidence.BenchRatio{Against: "java", Mean: 1.000001}},
		}}}},
	}
}

// TestBenchIsReadAsWritten, and written the same again.
func TestBenchIsReadAsWritten(t *testing.T) {
	var first, second bytes.Buffer
	if err := evidence.EncodeBench(&first, wholeBench()); err != nil {
		t.Fatal(err)
	}
	text := first.String()
	got, err := evidence.DecodeBench(&first)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wholeBench(), got); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
	if err := evidence.EncodeBench(&second, got); err != nil || second.String() != text {
		t.Errorf("written otherwise: %v\n%s", err, cmp.Diff(text, second.String()))
	}
	if !strings.Contains(text, "franz <1>") {
		t.Errorf("signs are escaped:\n%s", text)
	}
}

// TestBenchHasNoNull: a script can walk lists that hold nothing.
func TestBenchHasNoNull(t *testing.T) {
	var b bytes.Buffer
	empty := evidence.Bench{Judgement: evidence.BenchJudgement{Metrics: []evidence.BenchMetric{{Name: "records"}}}}
	if err := evidence.EncodeBench(&b, empty); err != nil || strings.Contains(b.String(), "null") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestNoBench is what is refused, each with what is wrong.
func TestNoBench(t *testing.T) {
	for want, change := range map[string]func(*evidence.Bench){
		`schema is "kcompare/bench/v2", expected "kcompare/bench/v1"`: func(b *evidence.Bench) { b.Schema = "kcompare/bench/v2" },
		`expected at least one contestant`:                            func(b *evidence.Bench) { b.Contestants = nil },
		`contestant "java" stands in it twice`:                        func(b *evidence.Bench) { b.Contestants[0].Name = "java" },
		`round 1 is of "kafkajs", which is no contestant`:             func(b *evidence.Bench) { b.Rounds[1].Contestant = "kafkajs" },
		`round 1 of "franz <1>" stands in it twice`:                   func(b *evidence.Bench) { b.Rounds[1].Contestant = "franz <1>" },
	} {
		b := wholeBench()
		change(&b)
		var text bytes.Buffer
		if err := evidence.EncodeBench(&text, b); err != nil {
			t.Fatal(err)
		}
		if _, err := evidence.DecodeBench(&text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, got %v", want, err)
		}
	}
	for text, want := range map[string]string{
		"{":                               "expected one JSON document of schema kcompare/bench/v1",
		`{"schema":"kcompare/bench/v1"}x`: "something stands behind it",
	} {
		if _, err := evidence.DecodeBench(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %q, got %v", text, want, err)
		}
	}
}
