package report

import (
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// BenchSetup says how much was measured and where, and who took part with which library.
func BenchSetup(in lang.Printer, b evidence.Bench) string {
	p := said(page{title: benchTitle(b), clients: benchContestants(b)}, in)
	m := &markdown{in: in}
	m.block(opening(joined(p.title[1:], " · ")))
	m.list(p.clients)
	return strings.TrimSuffix(m.out.String(), "\n")
}

// BenchLabel is what a metric is called, with its unit.
func BenchLabel(m evidence.BenchMetric) string { return benchMetric(m) }
