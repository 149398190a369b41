package performance_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"

	"kcompare/internal/pagetest"
	"kcompare/internal/performance"
)

var update = flag.Bool("update", false, "write the golden files, and the page")

// TestPage renders what was once recorded: a requirement that is met, one that is not, and
// many that nobody measured.
func TestPage(t *testing.T) {
	got := performance.Page(performance.Requirements(), recorded(t))
	const golden = "testdata/page.md"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := udiff.Unified(golden, "rendered", string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestPageOfFiles holds docs/performance.md to the files that it is made of.
func TestPageOfFiles(t *testing.T) {
	results, err := performance.ReadAll("../../docs/performance")
	if err != nil {
		t.Fatal(err)
	}
	got := performance.Page(performance.Requirements(), results)
	pagetest.Expect(t, "docs/performance.md", "go run ./cmd/performance page", got, *update)
}

func recorded(t *testing.T) map[performance.Run]performance.Results {
	t.Helper()
	results, err := performance.ReadAll("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestJudge(t *testing.T) {
	const lines = "pkg: kcompare/internal/x\nBenchmarkA/b-2 1 0.5 of-direct\nBenchmarkA/b-2 1 0.3 of-direct\nBenchmarkA/b-2 1 0.4 of-direct\nBenchmarkN 1 NaN of-direct\n"
	results, err := performance.Read(strings.NewReader(lines), "x")
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string, atMost bool, bound float64) performance.Requirement {
		return performance.Requirement{Run: performance.Bench, Package: "internal/x", Benchmark: name, Unit: "of-direct", AtMost: atMost, Bound: bound}
	}
	other := of("A/b", false, 0)
	other.Run = performance.Soak
	for name, tc := range map[string]struct {
		requirement performance.Requirement
		want        performance.Verdict
	}{
		"the median is the bound":   {of("A/b", false, 0.4), performance.Met},
		"below its bound":           {of("A/b", false, 0.41), performance.NotMet},
		"at most":                   {of("A/b", true, 0.4), performance.Met},
		"above what it may be":      {of("A/b", true, 0.39), performance.NotMet},
		"no number":                 {of("N", false, 0), performance.NotMet},
		"nobody measured it":        {of("A", false, 0), performance.NotMeasured},
		"measured by another run":   {other, performance.NotMeasured},
		"nothing below zero counts": {of("A/b", false, -1), performance.Met},
	} {
		t.Run(name, func(t *testing.T) {
			judged := performance.Judge([]performance.Requirement{tc.requirement}, map[performance.Run]performance.Results{performance.Bench: results})
			if got := judged[0].Verdict; got != tc.want {
				t.Errorf("%v: %s, expected %s", judged[0].Summary, got, tc.want)
			}
		})
	}
}

// TestMissed says what ends `make bench` with a failure.
func TestMissed(t *testing.T) {
	judged := performance.Judge(performance.Requirements(), recorded(t))
	var missed *performance.MissedError
	if err := performance.Missed(performance.Bench, judged); !errors.As(err, &missed) || !missed.Measured() {
		t.Fatalf("%v, expected requirements that are not met", err)
	}
	const want = "not met: 139 added-us of SmallRequests, expected at most 120"
	if first, _, _ := strings.Cut(missed.Error(), "\n"); !strings.Contains(missed.Error(), want) || !strings.Contains(missed.Error(), "not measured: x-toxiproxy of ") {
		t.Errorf("begins with %q, expected %q and what was not measured", first, want)
	}
	var met []performance.Judged
	for _, j := range judged {
		if j.Verdict == performance.Met {
			met = append(met, j)
		}
	}
	if err := performance.Missed(performance.Bench, met); err != nil || len(met) != 3 {
		t.Errorf("%d are met: %v, expected 3 and no error", len(met), err)
	}
}

func TestReadRefuses(t *testing.T) {
	_, err := performance.Read(strings.NewReader("BenchmarkA 1 many ns/op\n"), "bench.txt")
	if err == nil || !strings.HasPrefix(err.Error(), "bench.txt:1: ") {
		t.Errorf("%v, expected an error with file and line", err)
	}
}

func TestVersions(t *testing.T) {
	got, err := performance.Versions("../..")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range got {
		names = append(names, s.Key)
		if !strings.HasPrefix(s.Value, "v") {
			t.Errorf("%s has version %q", s.Key, s.Value)
		}
	}
	want := []string{"franz-go", "confluent-kafka-go", "sarama", "kfake", "kmsg", "compress", "toxiproxy"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
}

// TestSuite finds groups of benchmarks that are gone, and requirements that no group measures.
func TestSuite(t *testing.T) {
	packages := map[string]bool{}
	for _, g := range performance.Suite() {
		packages[g.Package] = true
		if files, _ := filepath.Glob("../../" + g.Package + "/*_test.go"); len(files) == 0 {
			t.Errorf("%s has no tests", g.Package)
		}
	}
	for _, r := range performance.Requirements() {
		if r.Run == performance.Bench && !packages[r.Package] {
			t.Errorf("nothing measures %s of %s", r.Benchmark, r.Package)
		}
	}
}
