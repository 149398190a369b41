package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"kcompare/internal/lang"
	"kcompare/internal/plot"
)

func chart() plot.Chart {
	return plot.Chart{
		ID: "05-loss", Title: "Records by drop rate", About: "What of 200 records is in the log.",
		X: "drop rate", Places: []string{"0", "0.1", "0.35", "0.6"}, Series: []string{"delivered", "lost", "duplicates"},
		Panels: []plot.Panel{
			{Name: "franz", Values: [][]float64{{200, 200, 200, 200}, {0, 0, 0, 0}, {0, 22, 108, 300}}},
			{Name: "librdkafka", Values: [][]float64{{200, 200, 200, 199}, {0, 0, 0, 1}, {0, 22, 108, math.NaN()}}},
			{Name: "java", Values: [][]float64{{200, 200, math.NaN(), 198}, {0, 0, math.NaN(), 2}, {0, 22, math.NaN(), 299}}},
		},
	}
}

var update = flag.Bool("update", false, "write the golden files")

// TestCharts compares with the files of testdata, byte for byte; -update writes them.
func TestCharts(t *testing.T) {
	for name, write := range map[string]func(plot.Chart, lang.Printer) []byte{"bars.svg": plot.Bars, "lines.svg": plot.Lines} {
		path := filepath.Join("testdata", name)
		got := write(chart(), lang.Printer{})
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
		d := xml.NewDecoder(bytes.NewReader(got))
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
