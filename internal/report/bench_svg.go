package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/plot"
)

// BenchSVG draws every round that counts: of a fixed rate the latencies, of other works how
// many records a second and what they cost the client. The error is the writer's.
func BenchSVG(w io.Writer, b evidence.Bench, in lang.Printer) error {
	if _, err := w.Write(benchPicture(b, in).Draw(in)); err != nil {
		return fmt.Errorf("write the chart of what was measured: %w", err)
	}
	return nil
}

// benchDrawn names the metrics of the chart.
func benchDrawn(work evidence.BenchWork) []string {
	if work == evidence.BenchLatency {
		return []string{"p50 latency", "p95 latency", "p99 latency", "p99.9 latency", "highest latency"}
	}
	return []string{"records", "CPU of the client"}
}

func benchPicture(b evidence.Bench, in lang.Printer) plot.Rounds {
	r := plot.Rounds{
		ID:    "bench-" + string(b.Work),
		Title: in.Say("kcompare bench " + string(b.Work)),
		Names: benchNames(b),
	}
	for _, name := range benchDrawn(b.Work) {
		i := slices.IndexFunc(b.Judgement.Metrics, func(m evidence.BenchMetric) bool { return m.Name == name })
		if i >= 0 {
			r.Panels = append(r.Panels, benchPanel(b, b.Judgement.Metrics[i], in))
		}
	}
	about := []string{in.Say("A dot for each round that counts, a stroke at the median.")}
	for _, v := range benchVerdicts(b) {
		about = append(about, joined(sayPhrase(in, v.text), " "))
	}
	r.About = strings.Join(about, " ")
	return r
}

func benchPanel(b evidence.Bench, m evidence.BenchMetric, in lang.Printer) plot.RoundsPanel {
	p := plot.RoundsPanel{Name: in.Say(benchMetric(m))}
	for _, c := range benchPlayers(b) {
		middle, dots := math.NaN(), []float64(nil)
		if i := slices.IndexFunc(m.Standing, func(f evidence.BenchFigures) bool { return f.Contestant == c.Name }); i >= 0 {
			middle, dots = m.Standing[i].Median, m.Standing[i].Each
		}
		p.Middle, p.Dots = append(p.Middle, middle), append(p.Dots, dots)
	}
	return p
}
