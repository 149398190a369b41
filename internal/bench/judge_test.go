package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/bench"
	"kcompare/internal/evidence"
)

// two is a bench of two clients that were seen to do the same, with so many rounds that took
// what is given, in milliseconds.
func two(franz, other []int64) evidence.Bench {
	b := evidence.Bench{
		Command: "bench", Schema: evidence.BenchSchema, Work: evidence.BenchProduce,
		Load:        evidence.BenchLoad{Rounds: len(franz), Records: 100000, RecordBytes: 100, Partitions: 6},
		Contestants: []evidence.BenchContestant{contestant("franz"), contestant("librdkafka")},
	}
	for i := range franz {
		b.Rounds = append(b.Rounds, played("franz", i+1, franz[i]), played("librdkafka", i+1, other[i]))
	}
	return b
}

func contestant(name string) evidence.BenchContestant {
	linger := 5.3
	return evidence.BenchContestant{Name: name, Client: name, Library: name + " 1", Seen: &evidence.BenchSeen{
		Acks: "all", Idempotent: "true", Codec: "none", RecordBytes: 100, Partitions: 6,
		LargestBatch: 131000, LingerMS: &linger, InFlight: 5, Records: 1000, Requests: 10,
	}}
}

func played(name string, round int, ms int64) evidence.BenchRound {
	return evidence.BenchRound{Contestant: name, Round: round, Turn: 1, Records: 100000, Bytes: 10000000, ElapsedUS: ms * 1000, ClientCPUUS: ms * 500}
}

// TestRatio: two clients of which one needs 1.25 times as long, give or take. The interval was
// computed beside with t = 3.182446 (97.5 %, three degrees of freedom) and 1.637744 (90 %).
func TestRatio(t *testing.T) {
	got := bench.Judge(two([]int64{500, 505, 495, 500}, []int64{400, 400, 400, 404}))
	want := evidence.BenchMetric{
		Name: "records", Unit: "records/s", More: true,
		Standing: []evidence.BenchFigures{
			{Contestant: "librdkafka", Rounds: 4, Median: 250000, Least: 247525, Most: 250000, Each: []float64{250000, 250000, 250000, 247525}},
			{Contestant: "franz", Rounds: 4, Median: 200000, Least: 198020, Most: 202020, Each: []float64{200000, 198020, 202020, 200000}, Ratio: &evidence.BenchRatio{
				Against: "librdkafka", Pairs: 4, Mean: 0.802013, Low: 0.789914, High: 0.814297, Visible: 0.0232905,
			}},
		},
	}
	if diff := cmp.Diff(want, got.Metrics[0]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(got.Unequal)+len(got.Open)+len(got.Beside) > 0 {
		t.Errorf("something stands in the way: %+v", got)
	}
}

// TestWhatStandsInTheWay plants one thing at a time. Each takes every ratio away and ends
// with 4.
func TestWhatStandsInTheWay(t *testing.T) {
	fast, slow := []int64{400, 401, 402, 400}, []int64{500, 501, 502, 500}
	for name, c := range map[string]struct {
		plant func(*evidence.Bench)
		told  string // in the judgement
	}{
		"acks":               {func(b *evidence.Bench) { b.Contestants[1].Seen.Acks = "1" }, "acks"},
		"idempotence":        {func(b *evidence.Bench) { b.Contestants[1].Seen.Idempotent = "false" }, "idempotence"},
		"codec":              {func(b *evidence.Bench) { b.Contestants[1].Seen.Codec = "lz4" }, "codec"},
		"record size":        {func(b *evidence.Bench) { b.Contestants[1].Seen.RecordBytes = 110 }, "record size"},
		"partitions":         {func(b *evidence.Bench) { b.Contestants[1].Seen.Partitions = 5 }, "partitions"},
		"largest batch":      {func(b *evidence.Bench) { b.Contestants[1].Seen.LargestBatch = 16384 }, "largest batch"},
		"linger":             {func(b *evidence.Bench) { b.Contestants[1].Seen.LingerMS = new(float64) }, "linger"},
		"linger is not seen": {func(b *evidence.Bench) { b.Contestants[1].Seen.LingerMS = nil }, "(not seen)"},
		"requests in flight": {func(b *evidence.Bench) { b.Contestants[1].Seen.InFlight = 1 }, "requests in flight"},
		"isolation":          {func(b *evidence.Bench) { b.Contestants[1].Seen.Isolation = "read_committed" }, "isolation"},
		"not proven": {func(b *evidence.Bench) { b.Contestants[1].Seen, b.Contestants[1].Unproven = nil, "no request was seen" },
			"the settings of librdkafka were not proven: no request was seen"},
		"interrupted": {func(b *evidence.Bench) { b.Unfinished = 3 }, "interrupted: rounds that were not played: 3"},
		"no fault":    {func(b *evidence.Bench) { b.Faults = []string{"rtt:5ms"} }, "no fault fired in the rounds of franz"},
		"too few": {func(b *evidence.Bench) {
			b.Rounds[0].Void, b.Rounds[2].Void = "lost 1 of 100000 records", "lost 2 of 100000 records"
		},
			"rounds of franz that count: 2, and at least 3 are needed"},
	} {
		b := two(fast, slow)
		c.plant(&b)
		b.Judgement = bench.Judge(b)
		if told := fmt.Sprint(b.Judgement.Unequal, b.Judgement.Open); !strings.Contains(told, c.told) {
			t.Errorf("%s: the judgement says %s", name, told)
		}
		for _, m := range b.Judgement.Metrics {
			for i, f := range m.Standing {
				if f.Ratio != nil || f.Contestant != b.Contestants[i].Name {
					t.Errorf("%s: %s of %s is ranked: %+v", name, m.Name, f.Contestant, f)
				}
			}
		}
		if got := bench.Exit(b); got != bench.ExitOpen {
			t.Errorf("%s: exit code %d", name, got)
		}
	}
	b := two(fast, slow)
	b.Judgement = bench.Judge(b)
	if got := bench.Exit(b); got != bench.ExitJudged {
		t.Errorf("nothing planted: exit code %d", got)
	}
}

// TestNearlyEqual is how far settings may lie apart that a wire cannot show to the bit.
func TestNearlyEqual(t *testing.T) {
	b := two([]int64{400, 401, 402}, []int64{500, 501, 502})
	seen, linger := b.Contestants[1].Seen, 6.9
	seen.LargestBatch, seen.LingerMS, seen.RecordBytes = 126000, &linger, 100.4
	if got := bench.Judge(b); len(got.Unequal) > 0 {
		t.Errorf("unequal: %v", got.Unequal)
	}
}

// TestVoidRounds: a round that lost a record counts neither for its client nor in a pair,
// whether somebody called it void or only counted; and the command ends with 4.
func TestVoidRounds(t *testing.T) {
	for name, plant := range map[string]func(*evidence.BenchRound){
		"called void": func(r *evidence.BenchRound) { r.Void = "lost 3 of 100000 records" },
		"lost":        func(r *evidence.BenchRound) { r.Lost = 3 },
		"doubled":     func(r *evidence.BenchRound) { r.Duplicates = 1 },
		"too few":     func(r *evidence.BenchRound) { r.Records-- },
		"no time":     func(r *evidence.BenchRound) { r.ElapsedUS = 0 },
	} {
		b := two([]int64{400, 1, 402, 400, 401}, []int64{500, 501, 502, 500, 501})
		plant(&b.Rounds[2]) // round 2 of franz, which would be the fastest
		b.Judgement = bench.Judge(b)
		first := b.Judgement.Metrics[0].Standing
		if first[0].Rounds != 4 || first[0].Most > 250000 || first[1].Rounds != 5 || first[1].Ratio.Pairs != 4 {
			t.Errorf("%s: %+v, %+v", name, first, first[1].Ratio)
		}
		if got := bench.Exit(b); got != bench.ExitOpen {
			t.Errorf("%s: exit code %d", name, got)
		}
	}
}

// TestWarmUpDoesNotCount: rounds before the first one.
func TestWarmUpDoesNotCount(t *testing.T) {
	b := two([]int64{400, 401, 402}, []int64{500, 501, 502})
	want := bench.Judge(b)
	b.Rounds = append(b.Rounds, played("franz", 0, 9000), played("librdkafka", 0, 1))
	if diff := cmp.Diff(want, bench.Judge(b)); diff != "" {
		t.Errorf("(-without +with)\n%s", diff)
	}
}

// TestCompare: values of a key are compared with the first, in their order, and what follows
// from the key stands beside. The work must be the same all the same.
func TestCompare(t *testing.T) {
	b := two([]int64{500, 505, 495, 500}, []int64{400, 400, 400, 404})
	b.Compare = "acks"
	for i, value := range []string{"all", "0"} {
		c := &b.Contestants[i]
		c.Name, c.Client, c.Value = "franz acks="+value, "franz", value
	}
	for i := range b.Rounds {
		b.Rounds[i].Contestant = b.Contestants[i%2].Name
	}
	seen := b.Contestants[1].Seen
	seen.Acks, seen.Idempotent, seen.InFlight = "0", "false", 0
	got := bench.Judge(b)
	wantBeside := []string{
		"acks, which follows from acks: all (franz acks=all); 0 (franz acks=0)",
		"idempotence, which follows from acks: true (franz acks=all); false (franz acks=0)",
		"requests in flight, which follows from acks: 5 (franz acks=all); (not seen) (franz acks=0)",
	}
	if diff := cmp.Diff(wantBeside, got.Beside); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	second := got.Metrics[0].Standing[1]
	if second.Contestant != "franz acks=0" || second.Ratio == nil || second.Ratio.Mean < 1.2 || second.Ratio.Against != "franz acks=all" {
		t.Errorf("the second value: %+v, %+v", second, second.Ratio)
	}
	seen.Partitions = 1
	if got := bench.Judge(b); len(got.Unequal) != 1 || got.Metrics[0].Standing[1].Ratio != nil {
		t.Errorf("other partitions are not unequal: %+v", got)
	}
}

// TestLatencyRanksByP99: at a fixed rate all are as fast.
func TestLatencyRanksByP99(t *testing.T) {
	b := two([]int64{500, 500, 500}, []int64{500, 500, 500})
	b.Work = evidence.BenchLatency
	for i := range b.Rounds {
		p99 := int64(9000 + 100*(i/2)) // of franz
		if i%2 == 1 {
			p99 = int64(6000 + 100*(i/2))
		}
		b.Rounds[i].Latency = &evidence.BenchLatencies{Count: 100000, P50: 2000, P95: 4000, P99: p99, P999: 20000, Max: 30000, Histogram: "kept"}
	}
	first := bench.Judge(b).Metrics[0]
	if first.Name != "p99 latency" || first.More || first.Standing[0].Contestant != "librdkafka" || first.Standing[0].Median != 6.1 || first.Standing[1].Ratio.Mean < 1.4 {
		t.Errorf("%+v, %+v", first, first.Standing[1].Ratio)
	}
}

// TestUnknownIsAbsent: what nobody told is no figure of 0.
func TestUnknownIsAbsent(t *testing.T) {
	b := two([]int64{400, 401, 402}, []int64{500, 501, 502})
	for i := range b.Rounds {
		if b.Rounds[i].Contestant == "franz" {
			b.Rounds[i].ClientCPUUS = 0
			b.Rounds[i].Allocated = &evidence.BenchAllocated{Objects: 250000, Bytes: 40000000}
		}
	}
	b.Contestants[1].PeakMemoryBytes = 64e6
	var got []string
	for _, m := range bench.Judge(b).Metrics {
		for _, f := range m.Standing {
			got = append(got, fmt.Sprintf("%s, %s: %s %g", m.Name, m.Unit, f.Contestant, f.Median))
		}
	}
	want := []string{
		"records, records/s: franz 249377", "records, records/s: librdkafka 199601",
		"bytes, MB/s: franz 24.9377", "bytes, MB/s: librdkafka 19.9601",
		"CPU of the client, CPU-s per million records: librdkafka 2.505",
		"allocations, a record: franz 2.5",
		"allocated, bytes a record: franz 400",
		"peak memory, MB: librdkafka 64",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// noisy is rounds that take 400 ms, times what is given, give or take the noise.
func noisy(random *rand.Rand, rounds int, times, noise float64) []int64 {
	var all []int64
	for range rounds {
		all = append(all, int64(math.Round(400000*times*math.Exp(noise*random.NormFloat64()))))
	}
	return all
}

// differs says whether a run of so many rounds tells two clients apart.
func differs(random *rand.Rand, rounds int, times, noise float64) (bool, *evidence.BenchRatio) {
	b := two(make([]int64, rounds), make([]int64, rounds))
	b.Contestants[0].Seen, b.Contestants[1].Seen = &evidence.BenchSeen{}, &evidence.BenchSeen{}
	a, other := noisy(random, rounds, 1, noise), noisy(random, rounds, times, noise)
	for i := range rounds {
		b.Rounds[2*i].ElapsedUS, b.Rounds[2*i+1].ElapsedUS = a[i], other[i]
	}
	standing := bench.Judge(b).Metrics[0].Standing
	r := standing[1].Ratio
	return r.Differs(), r
}

// TestChance: of runs in which a client was measured against itself about one in twenty says
// that it differs; a difference of 5 % is seen in ten rounds with 2 % noise; and one as large as
// a run says it would have seen is seen nine times in ten.
func TestChance(t *testing.T) {
	const runs = 600
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a fixed seed, so that the test is the same each time
	for _, rounds := range []int{3, 5, 10} {
		wrong := 0
		for range runs {
			if d, _ := differs(random, rounds, 1, 0.02); d {
				wrong++
			}
		}
		if wrong < runs*25/1000 || wrong > runs*75/1000 { // three standard errors
			t.Errorf("%d rounds: the same client differs from itself in %d of %d runs, expected about %d", rounds, wrong, runs, runs/20)
		}
	}
	seen, promised := 0, 0
	var visible []float64
	for range runs {
		d, r := differs(random, 10, 1.05, 0.02)
		if visible = append(visible, r.Visible); d {
			seen++
		}
	}
	if seen < runs*99/100 {
		t.Errorf("5 %% were seen in %d of %d runs", seen, runs)
	}
	slices.Sort(visible)
	for range runs {
		if d, _ := differs(random, 10, 1+visible[runs/2], 0.02); d {
			promised++
		}
	}
	if promised < runs*85/100 || promised > runs*95/100 {
		t.Errorf("%.3f, as much as would have been seen, was seen in %d of %d runs", visible[runs/2], promised, runs)
	}
}

// TestRecheck: each change of a stored judgement is told.
func TestRecheck(t *testing.T) {
	b := two([]int64{500, 505, 495, 500}, []int64{400, 400, 400, 404})
	b.Judgement = bench.Judge(b)
	if err := bench.Recheck(b); err != nil {
		t.Errorf("nothing was changed: %v", err)
	}
	for name, change := range map[string]func(*evidence.BenchJudgement){
		"ratio":    func(j *evidence.BenchJudgement) { j.Metrics[0].Standing[1].Ratio.Mean = 1.3 },
		"no ratio": func(j *evidence.BenchJudgement) { j.Metrics[0].Standing[1].Ratio = nil },
		"order":    func(j *evidence.BenchJudgement) { slices.Reverse(j.Metrics[0].Standing) },
		"beside":   func(j *evidence.BenchJudgement) { j.Beside = append(j.Beside, "versions") },
		"open":     func(j *evidence.BenchJudgement) { j.Open = append(j.Open, "something") },
		"unequal": func(j *evidence.BenchJudgement) {
			j.Unequal = append(j.Unequal, evidence.BenchUnequal{Setting: "acks"})
		},
		"metrics": func(j *evidence.BenchJudgement) { j.Metrics = j.Metrics[1:] },
	} {
		b.Judgement = bench.Judge(b)
		change(&b.Judgement)
		if err := bench.Recheck(b); err == nil {
			t.Errorf("%s: nobody noticed", name)
		}
	}
	b.Judgement = bench.Judge(b)
	b.Rounds[0].ElapsedUS++
	if err := bench.Recheck(b); err == nil || !strings.Contains(err.Error(), "records (records/s") {
		t.Errorf("a round was changed: %v", err)
	}
}
