//go:build linux

package performance_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/performance"
	"kcompare/internal/soak"
)

// TestSoak plants one leak at a time and finds it by what it leaks. Nothing waits: the clock is
// a count of rounds.
func TestSoak(t *testing.T) {
	var held [][]byte
	var files []*os.File
	stop := make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		for _, f := range files {
			f.Close()
		}
	})
	for _, tc := range []struct {
		name  string
		round func()
		want  []string // units that grew
	}{
		{"nothing", func() {}, nil},
		{"memory", func() { held = append(held, bytes.Repeat([]byte{1}, 1<<20)) }, []string{"heap-B-growth"}},
		{"goroutine", func() { go func() { <-stop }() }, []string{"goroutines-growth"}},
		{"file", func() {
			f, err := os.Open(os.DevNull)
			if err != nil {
				t.Error(err)
			}
			files = append(files, f)
		}, []string{"files-growth"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var grew []string
			for _, j := range soaked(t, tc.round) {
				if j.Verdict != performance.Met && j.Unit != "RSS-B-growth" { // which other tests of this process move
					grew = append(grew, j.Unit)
				}
			}
			if diff := cmp.Diff(tc.want, grew); diff != "" {
				t.Errorf("grew (-want +got):\n%s", diff)
			}
		})
	}
	if len(held) == 0 {
		t.Error("no memory was held")
	}
}

// soaked is what is said of twenty rounds.
func soaked(t *testing.T, round func()) (of []performance.Judged) {
	t.Helper()
	var out bytes.Buffer
	seconds := 0
	err := soak.Run(t.Context(), soak.Options{
		Works: []soak.Work{{Name: "test", Times: 1, Do: func(context.Context) (int64, error) { round(); return 1, nil }}},
		For:   20 * time.Second, Every: time.Second,
		Now:     func() time.Time { seconds++; return time.Unix(int64(seconds), 0) },
		Sampled: func(s soak.Sample) error { return performance.WriteSample(&out, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return judgedSoak(t, out.Bytes())
}

func judgedSoak(t *testing.T, samples []byte) (of []performance.Judged) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, performance.File(performance.Soak)), samples, 0o600); err != nil {
		t.Fatal(err)
	}
	results, err := performance.ReadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range performance.Judge(performance.Requirements(), results) {
		if j.Run == performance.Soak {
			of = append(of, j)
		}
	}
	return of
}

// TestSoakResident is what the system says: a tenth more is too much. What grew in the first
// quarter does not count, and a few samples say nothing.
func TestSoakResident(t *testing.T) {
	for _, tc := range []struct {
		name    string
		samples int
		rss     func(i int) int64
		want    performance.Verdict
	}{
		{"flat", 40, func(int) int64 { return 100 << 20 }, performance.Met},
		{"grows while caches fill", 40, func(i int) int64 { return int64(min(i, 10)) * 10 << 20 }, performance.Met},
		{"grows", 40, func(i int) int64 { return int64(100+i) << 20 }, performance.NotMet},
		{"too few samples", 11, func(int) int64 { return 100 << 20 }, performance.NotMeasured},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			for i := range tc.samples {
				if err := performance.WriteSample(&out, soak.Sample{Rounds: int64(i + 1), RSS: tc.rss(i)}); err != nil {
					t.Fatal(err)
				}
			}
			for _, j := range judgedSoak(t, out.Bytes()) {
				if j.Unit == "RSS-B-growth" && j.Verdict != tc.want {
					t.Errorf("%s, expected %s: %v", j.Verdict, tc.want, j.Summary)
				}
			}
		})
	}
}
