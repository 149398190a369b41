package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"

	"kcompare/internal/bench"
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// measured is a bench of two clients over ten rounds, of which the second is faster, with
// everything in it that a report can show of one.
func measured() evidence.Bench {
	franz, librdkafka := benched("franz", "franz-go v1.22.3"), benched("librdkafka", "librdkafka 2.12.0 (confluent-kafka-go v2.12.0)")
	librdkafka.Seen.LargestBatch, librdkafka.Seen.Versions = 130910, []string{"Produce v10"}
	librdkafka.Inexpressible = map[string]string{"queue.buffering.max.messages": "kafka-clients limits its buffer by bytes alone"}
	librdkafka.Differences = []string{"reconnect.backoff.ms: franz-go has no backoff for connections, it waits the retry backoff"}
	b := evidence.Bench{
		Command: "bench", Schema: evidence.BenchSchema, Kcompare: "dev", Platform: "linux/amd64",
		Machine: evidence.Machine{Processor: "Example CPU", Cores: 2, MemoryMB: 8000, System: "Debian GNU/Linux 12"},
		Broker:  evidence.Broker{Kind: "kafka", Software: "Apache Kafka 4.1.1", Nodes: 1},
		Work:    evidence.BenchProduce, Again: "kcompare bench produce --client=franz,librdkafka --broker=kafka",
		Config:      map[string]string{"acks": "all", "enable.idempotence": "true", "linger.ms": "5", "batch.size": "131072"},
		Load:        evidence.BenchLoad{Rounds: 10, WarmUp: 1, Records: 100000, RecordBytes: 100, Partitions: 6},
		Contestants: []evidence.BenchContestant{franz, librdkafka},
		ElapsedMS:   61300,
	}
	for round := range 11 {
		noise := 1 + 0.02*math.Sin(float64(7*round))
		b.Rounds = append(b.Rounds, turn("franz", round, 520*noise), turn("librdkafka", round, 400/noise))
	}
	b.Judgement = bench.Judge(b)
	return b
}

func benched(name, library string) evidence.BenchContestant {
	linger := 5.1
	return evidence.BenchContestant{
		Name: name, Client: name, Library: library, Language: "Go 1.26.0", PeakMemoryBytes: 61400000,
		Seen: &evidence.BenchSeen{
			Acks: "all", Idempotent: "true", Codec: "none", RecordBytes: 100, Partitions: 6, LargestBatch: 131020, LargestRecords: 1130,
			LingerMS: &linger, InFlight: 5, BatchesInRequest: 1.4, Versions: []string{"Produce v12"}, Records: 20000, Requests: 31,
		},
	}
}

func turn(name string, round int, ms float64) evidence.BenchRound {
	return evidence.BenchRound{
		Contestant: name, Round: round, Turn: 1, Records: 100000, Bytes: 10000000, ElapsedUS: int64(ms * 1000),
		ClientCPUUS: int64(ms * 700), BrokerCPUUS: 300000, OwnCPUUS: 4000, Batches: 120,
		Allocated: &evidence.BenchAllocated{Objects: 210000, Bytes: 31000000},
	}
}

// unequalBench has a client whose batches are another size.
func unequalBench() evidence.Bench {
	b := measured()
	b.Contestants[1].Seen.LargestBatch = 16384
	b.Contestants[1].Seen.LingerMS, b.Contestants[1].Seen.NotSeen = nil, map[string]string{"linger": "this client does not pace its records"}
	b.Judgement = bench.Judge(b)
	return b
}

// openBench has void rounds, so many that nothing is judged, and a client that was not proven.
func openBench() evidence.Bench {
	b := measured()
	b.Faults, b.Unfinished = []string{"rtt:5ms"}, 2
	b.Contestants[1].Seen = nil
	for i := range b.Rounds {
		b.Rounds[i].Faults = 1
		if i > 3 && i%2 == 0 {
			b.Rounds[i].Void = fmt.Sprintf("lost %d of 100000 records", i)
		}
	}
	b.Judgement = bench.Judge(b)
	return b
}

// comparedBench is one client with two settings, which makes no difference.
func comparedBench() evidence.Bench {
	b := measured()
	b.Compare, b.Again = "enable.idempotence", "kcompare bench --compare enable.idempotence=true,false --broker=kafka"
	for i, value := range []string{"true", "false"} {
		c := benched("franz", "franz-go v1.22.3")
		c.Name, c.Value, c.Config = "franz enable.idempotence="+value, value, map[string]string{"enable.idempotence": value}
		c.Seen.Idempotent = value
		b.Contestants[i] = c
	}
	delete(b.Config, "enable.idempotence")
	b.Rounds = nil
	for round := range 11 {
		for i, c := range b.Contestants {
			b.Rounds = append(b.Rounds, turn(c.Name, round, 500*(1+0.02*math.Sin(float64(7*round+3*i)))))
		}
	}
	b.Judgement = bench.Judge(b)
	return b
}

// latencyBench is at a fixed rate.
func latencyBench() evidence.Bench {
	b := measured()
	b.Work, b.Load.Rate, b.Again = evidence.BenchLatency, 20000, "kcompare bench latency --client=franz,librdkafka --rate=20000"
	for i := range b.Rounds {
		r := &b.Rounds[i]
		p := 900 + r.ElapsedUS%1000
		r.ElapsedUS = 5000000
		r.Latency = &evidence.BenchLatencies{Count: 100000, P50: p, P95: 2 * p, P99: 3*p + int64(i%2)*2000, P999: 8 * p, Max: 20 * p, Histogram: "kept"}
	}
	b.Judgement = bench.Judge(b)
	return b
}

func benches() map[string]evidence.Bench {
	return map[string]evidence.Bench{
		"bench-ranked": measured(), "bench-unequal": unequalBench(), "bench-open": openBench(),
		"bench-compared": comparedBench(), "bench-latency": latencyBench(),
	}
}

// TestBench holds each kind of bench, as text and as markdown, in both languages, against its
// golden file.
func TestBench(t *testing.T) {
	for name, b := range benches() {
		for _, l := range lang.Languages() {
			var text, markdown bytes.Buffer
			if err := report.BenchText(&text, b, report.TextOptions{In: lang.In(l)}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(text.String(), "\n") {
				if lipgloss.Width(line) > 100 {
					t.Errorf("%s: wider than 100 columns: %s", name, line)
				}
				if l == lang.Russian && threeWords.MatchString(line) && !strings.Contains(line, "kcompare bench") {
					t.Errorf("%s: %s", name, strings.TrimSpace(line))
				}
			}
			if err := report.BenchMarkdown(&markdown, b, lang.In(l)); err != nil {
				t.Fatal(err)
			}
			prefix := ""
			if l == lang.Russian {
				prefix = "ru-"
			}
			compareGolden(t, prefix+name+".txt", text.String())
			compareGolden(t, prefix+name+".md", markdown.String())
			var picture bytes.Buffer
			if err := report.BenchSVG(&picture, b, lang.In(l)); err != nil {
				t.Fatal(err)
			}
			wellFormed(t, name, picture.Bytes())
			if name == "bench-ranked" || name == "bench-latency" {
				compareGolden(t, prefix+name+".svg", picture.String())
			}
		}
	}
}

func wellFormed(t *testing.T, name string, picture []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// TestBenchFragments is what blocks of pages take out of a bench.
func TestBenchFragments(t *testing.T) {
	in, b := lang.Printer{}, measured()
	figures, err := report.BenchFigures(in, b, []string{"CPU of the client", "records"})
	if err != nil {
		t.Fatal(err)
	}
	want := `| METRIC | franz | librdkafka |
|---|--:|--:|
| CPU of the client, CPU-s per million records | 3.66 | 2.79 |
| records/s | 191469 | 251096 |`
	if diff := cmp.Diff(want, figures); diff != "" {
		t.Errorf("figures (-want +got)\n%s", diff)
	}
	ratios, err := report.BenchRatios(in, b, []string{"records"})
	if want := "| METRIC | franz | librdkafka |\n|---|---|---|\n| records/s | 0.77 (0.75 to 0.78) | 1 |"; err != nil || ratios != want {
		t.Errorf("ratios: %v\n%s", err, ratios)
	}
	if got, want := report.BenchVerdict(in, b), "librdkafka delivers 1.30 times the records of franz (1.28 to 1.33, 10 rounds)"; got != want {
		t.Errorf("verdict: %s", got)
	}
	if got := report.BenchSettings(in, b); !strings.Contains(got, "| largest batch | 131020 bytes | 130910 bytes |") {
		t.Errorf("settings:\n%s", got)
	}
	if got, err := report.BenchRatios(in, unequalBench(), nil); err != nil || got != "" {
		t.Errorf("ratios although settings differ: %v\n%s", err, got)
	}
	_, err = report.BenchFigures(in, b, []string{"speed"})
	if unknown := new(report.UnknownRow); !errors.As(err, &unknown) || unknown.Name != "speed" {
		t.Errorf("unknown row: %v", err)
	}
}

// TestBenchLeftOut: who did not play is named with the reason, and is in no table.
func TestBenchLeftOut(t *testing.T) {
	b := measured()
	b.Contestants = append(b.Contestants, evidence.BenchContestant{Name: "kafkajs", Client: "kafkajs", Library: "kafkajs 2.2.4", LeftOut: "has no transactions"})
	b.Judgement = bench.Judge(b)
	var text strings.Builder
	if err := report.BenchText(&text, b, report.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); !strings.Contains(got, "left out: has no transactions") || strings.Count(got, "kafkajs") != 2 || !strings.Contains(got, "librdkafka delivers 1.30 times") {
		t.Errorf("%s", got)
	}
}
