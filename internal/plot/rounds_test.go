package plot_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"kcompare/internal/lang"
	"kcompare/internal/plot"
)

// TestRounds compares with the file of testdata, byte for byte; -update writes it.
func TestRounds(t *testing.T) {
	r := plot.Rounds{
		ID: "bench", Title: "kcompare bench produce", About: "A dot for each round.", Names: []string{"franz", "kafka-producer-perf-test"},
		Panels: []plot.RoundsPanel{
			{Name: "records/s", Dots: [][]float64{{190000, 210000, 200000}, {250000}}, Middle: []float64{200000, 250000}},
			{Name: "CPU, s", Dots: [][]float64{{0.02, 0.03, 0.025}, nil}, Middle: []float64{0.025, math.NaN()}},
		},
	}
	got, path := r.Draw(lang.Printer{}), filepath.Join("testdata", "rounds.svg")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is otherwise now (-update writes it):\n%s", path, got)
	}
}
