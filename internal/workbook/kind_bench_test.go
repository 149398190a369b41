package workbook

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/bench"
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// timed is a bench of a need: the second contestant takes so many times as long as the first.
func timed(n BenchNeed, slower float64, changes ...func(*evidence.Bench)) evidence.Bench {
	b := evidence.Bench{
		Command: "bench", Schema: evidence.BenchSchema, Kcompare: "dev", Platform: "linux/amd64", Machine: evidence.Machine{Processor: "Example CPU", Cores: 2},
		Broker: evidence.Broker{Kind: n.Broker, Software: made().Brokers[n.Broker], Nodes: 1}, Work: n.Work, Compare: n.key(), Load: n.Load,
		Config: map[string]string{"acks": "all"}, Inputs: map[string]string{inputBroker: made().Brokers[n.Broker], inputLibrary + " franz": "franz-go v1.22.3"},
	}
	linger := 5.1
	for i, value := range n.values() {
		name := "franz " + n.key() + "=" + value
		b.Contestants = append(b.Contestants, evidence.BenchContestant{
			Name: name, Client: "franz", Library: "franz-go v1.22.3", Value: value,
			Seen: &evidence.BenchSeen{Acks: "all", Idempotent: value, Codec: "none", RecordBytes: 100, Partitions: 6, LargestBatch: 131020, LingerMS: &linger, InFlight: 5},
		})
		for round := range n.Load.Rounds {
			elapsed := 500_000 * (1 + 0.01*math.Sin(float64(7*round+i)))
			if i > 0 {
				elapsed *= slower
			}
			b.Rounds = append(b.Rounds, evidence.BenchRound{
				Contestant: name, Round: round + 1, Turn: i + 1, Records: n.Load.Records, Bytes: 100 * n.Load.Records, ElapsedUS: int64(elapsed), ClientCPUUS: 366_000,
			})
		}
	}
	for _, change := range changes {
		change(&b)
	}
	b.Judgement = bench.Judge(b)
	return b
}

func benchBlock(more ...string) Block {
	return block("bench", append([]string{"clients=franz", "compare=enable.idempotence=true,false", "records=100000"}, more...)...)
}

func benchNeedOf(t *testing.T, b Block) BenchNeed {
	t.Helper()
	n, err := benchNeed(b, twoClients)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBench: -update writes the golden files. What was measured otherwise shows.
func TestBench(t *testing.T) {
	b := benchBlock("show=verdict,figures,ratios,settings,plot", "rows=records,CPU of the client")
	b.Page, b.ID = "workbook/en/02-price.md", "price"
	n := benchNeedOf(t, b)
	for _, l := range lang.Languages() {
		b.Lang = l
		render := func(measured evidence.Bench) Content {
			content, err := kindNamed(t, "bench").Render(Course{Manifest: twoClients, Evidence: recorded{bench: measured}}, b)
			if err != nil {
				t.Fatal(err)
			}
			return content
		}
		content := render(timed(n, 1.3))
		golden(t, "kinds/bench."+string(l)+".md", content.Markdown)
		wellFormed(t, "price", content.Files["img/02-price-price.svg"])
		if other := render(timed(n, 1.2)); other.Markdown == content.Markdown {
			t.Error("the evidence is another one, the block is the same")
		}
	}
}

func TestWrongAttributesOfBench(t *testing.T) {
	for _, test := range []struct{ attribute, want string }{
		{"work=produc", `work: unknown work "produc": did you mean produce?`},
		{"clients=frans", `clients: unknown client "frans": did you mean franz?`},
		{"clients=franz,sarama", `clients: 2 clients: values are compared within one client, expected one with compare`},
		{"compare=acks=1", `compare: "acks=1": expected KEY=A,B,... with two values at least, such as acks=1,all`},
		{"compare=partition=1,2", `compare: unknown key "partition": did you mean partitions?`},
		{"set=linger.sm=1", `set: unknown setting "linger.sm": did you mean linger.ms?`},
		{"set=linger.ms", `set: "linger.ms": expected key=value`},
		{"broker=kafkaa", `broker: unknown broker "kafkaa": did you mean kafka?`},
		{"rounds=0", `rounds: "0": expected a whole number from 1 to 1000`},
		{"rate=10", `rate: "10": only latency has one`},
		{"work=latency rate=1e300", `rate: "1e300": expected records a second, such as 5000, and 10000000 at most`},
		{"transaction=10", `transaction: "10": only transactions and rpw have them`},
		{"show=verdicts", `show: unknown part "verdicts": did you mean verdict?`},
	} {
		b := benchBlock()
		for _, attribute := range strings.Fields(test.attribute) {
			name, value, _ := strings.Cut(attribute, "=")
			b = b.with(name, value)
		}
		if _, err := kindNamed(t, "bench").Wants(nil, b, twoClients); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.attribute, err, test.want)
		}
	}
	b := benchBlock("rows=recods")
	_, err := kindNamed(t, "bench").Render(Course{Manifest: twoClients, Evidence: recorded{bench: timed(benchNeedOf(t, b), 1)}}, b)
	if want := `rows: unknown row "recods": did you mean records?`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestBenchWords(t *testing.T) {
	for _, test := range []struct {
		block Block
		words string
		file  string
	}{
		{block("bench"), "produce --client=franz,librdkafka", "bench-produce-franz-librdkafka"},
		{
			benchBlock("broker=kafka", "set=linger.ms=0;acks=1", "fault=rtt:5ms"),
			"produce --client=franz --compare=enable.idempotence=true,false --set=linger.ms=0 --set=acks=1 --broker=kafka --fault=rtt:5ms --records=100000",
			"bench-produce-franz-linger.ms=0-acks=1-enable.idempotence=true+false-kafka-rtt=5ms-records=100000",
		},
		{block("bench", "work=latency", "rate=100"), "latency --client=franz,librdkafka --rate=100", "bench-latency-franz-librdkafka-rate=100"},
	} {
		n := benchNeedOf(t, test.block)
		if got := strings.Join(n.Words(), " "); got != test.words {
			t.Errorf("%s, want %s", got, test.words)
		}
		if got := n.file(); got != test.file {
			t.Errorf("%s, want %s", got, test.file)
		}
	}
}

// benchMade also judges again.
func benchMade(library string) Made {
	m := made()
	m.Recheck = bench.Recheck
	m.Client = func(string) (Library, bool) { return Library{Version: library, BuiltIn: true}, true }
	return m
}

// stored is a course whose evidence is that of a bench.
func stored(t *testing.T, n BenchNeed, b evidence.Bench) fstest.MapFS {
	t.Helper()
	s := NewStore(fstest.MapFS{}, DefaultManifest(), benchMade("franz-go v1.22.3"))
	if err := s.PutBench(n, b); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	changed, err := s.Changed()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range changed {
		files[name] = &fstest.MapFile{Data: content}
	}
	return files
}

// TestStoreOfBenches: evidence is fresh until the library is another one, and what was changed
// in it by hand is found.
func TestStoreOfBenches(t *testing.T) {
	n := benchNeedOf(t, benchBlock())
	files := stored(t, n, timed(n, 1.3))
	name := "evidence/bench-produce-franz-enable.idempotence=true+false-records=100000.json"
	content := files[name].Data

	s := NewStore(files, DefaultManifest(), benchMade("franz-go v1.22.3"))
	if err := s.Read(Wants{Benches: []BenchNeed{n}}); err != nil {
		t.Fatal(err)
	}
	if plays := s.BenchPlays([]BenchNeed{n}, func(BenchNeed) bool { return false }); len(plays) > 0 {
		t.Errorf("fresh evidence is to be played: %v", plays)
	}
	s = NewStore(files, DefaultManifest(), benchMade("franz-go v1.23.0"))
	plays := s.BenchPlays([]BenchNeed{n}, func(BenchNeed) bool { return false })
	if diff := cmp.Diff([]BenchPlay{{n, []string{"franz-go v1.22.3 -> v1.23.0"}}}, plays); diff != "" {
		t.Errorf("another library: -want +got:\n%s", diff)
	}

	for _, test := range []struct{ from, to, want string }{
		{`"mean": `, `"mean": 1`, "the stored judgement is not the one that follows"},
		{`"records": 100000,`, `"records": 200000,`, "work, load, faults or broker in it are not those of its name"},
		{`"value": "false"`, `"value": "maybe"`, "it compares enable.idempotence=true,maybe, expected enable.idempotence=true,false"},
		{`"client": "franz"`, `"client": "sarama"`, "it is of sarama, expected franz"},
	} {
		doctored := bytes.ReplaceAll(content, []byte(test.from), []byte(test.to))
		s := NewStore(fstest.MapFS{name: {Data: doctored}}, DefaultManifest(), benchMade("franz-go v1.22.3"))
		if err := s.Read(Wants{Benches: []BenchNeed{n}}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.to, err, test.want)
		}
	}

	unfinished := timed(n, 1.3, func(b *evidence.Bench) { b.Unfinished = 3 })
	if err := s.PutBench(n, unfinished); err == nil || !strings.Contains(err.Error(), "was not finished") {
		t.Errorf("an interrupted bench is stored: %v", err)
	}
}

// TestVerifyBench: conclusions are compared, and never times.
func TestVerifyBench(t *testing.T) {
	n := benchNeedOf(t, benchBlock())
	otherPartitions := func(b *evidence.Bench) { b.Contestants[1].Seen.Partitions = 3 }
	unproven := func(b *evidence.Bench) { b.Contestants[1].Seen = nil }
	twice := func(b *evidence.Bench) {
		for i := range b.Rounds {
			b.Rounds[i].ElapsedUS *= 2
		}
	}
	for _, test := range []struct {
		name             string
		then, now        evidence.Bench
		changes, unclear int
	}{
		{"the same", timed(n, 1.3), timed(n, 1.3), 0, 0},
		{"a machine half as fast", timed(n, 1.3), timed(n, 1.3, twice), 0, 0},
		{"less, and still slower", timed(n, 1.3), timed(n, 1.1), 0, 0},
		{"now it is faster", timed(n, 1.3), timed(n, 0.8), 1, 0},
		{"now it is the same", timed(n, 1.3), timed(n, 1), 1, 0},
		{"other settings", timed(n, 1.3), timed(n, 1.3, otherPartitions), 1, 0},
		{"not proven", timed(n, 1.3), timed(n, 1.3, unproven), 0, 1},
	} {
		s := NewStore(stored(t, n, test.then), DefaultManifest(), benchMade("franz-go v1.22.3"))
		d, differs := s.VerifyBench(n, test.now)
		if len(d.Changes) != test.changes || len(d.Unclear) != test.unclear || differs != (test.changes+test.unclear > 0) {
			t.Errorf("%s: %v, want %d changes and %d unclear", test.name, d, test.changes, test.unclear)
		}
	}
}

// TestClaimsByBench: yes where the whole interval keeps the bound, no where none of it does.
func TestClaimsByBench(t *testing.T) {
	const file = `claims:
  - id: A01
    chapter: 01-basics
    en: e
    ru: r
    proofs:
      - bench: produce
        compare: enable.idempotence=true,false
        clients: franz
        records: "100000"
        ratio: "%s"
`
	for _, test := range []struct {
		ratio  string
		slower float64
		want   outcome
	}{
		{"true / false >= 1.2", 1.3, proven},
		{"false / true <= 0.8", 1.3, proven},
		{"true / false >= 1.5", 1.3, refuted},
		{"false / true >= 0.9", 1.3, refuted},
		{"true / false >= 1", 1, unknown},
	} {
		claims, err := ReadClaims("f", []byte(fmt.Sprintf(file, test.ratio)), twoClients)
		if err != nil {
			t.Fatal(err)
		}
		n := claims[0].Proofs[0].Benches[0]
		for _, l := range lang.Languages() {
			c := Course{Manifest: twoClients, Evidence: recorded{bench: timed(n, test.slower)}}
			got, err := c.judge(lang.In(l), claims[0].Proofs[0])
			if err != nil || got.outcome != test.want {
				t.Errorf("%s: %v %v, want %s", test.ratio, got, err, test.want)
			}
			golden(t, fmt.Sprintf("claims/bench-%s-%s.md", strings.NewReplacer(" / ", "-", " ", "", ">=", "-least-", "<=", "-most-").Replace(test.ratio), l), got.text)
		}
	}
	for _, test := range []struct{ ratio, want string }{
		{"true / maybe >= 1", `f:11:16: ratio: "maybe": expected one of true, false`},
		{"true >= 1", `f:11:16: ratio: "true >= 1": expected such as true / false >= 0.95`},
	} {
		if _, err := ReadClaims("f", []byte(fmt.Sprintf(file, test.ratio)), twoClients); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
