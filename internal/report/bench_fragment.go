package report

import (
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// BenchFigures is the table of figures: a line for each metric, a column for each contestant.
// Metrics are named as BenchRowNames says; without any it has all that were measured. The
// error is an *UnknownRow.
func BenchFigures(in lang.Printer, b evidence.Bench, rows []string) (string, error) {
	chosen, err := benchChosen(b, rows)
	if err != nil {
		return "", err
	}
	return fragment(in, section{table: benchFigures(chosen)}), nil
}

// BenchRatios is the table of ratios with their intervals, its lines chosen as for BenchFigures.
// It is empty where nothing may be compared. The error is an *UnknownRow.
func BenchRatios(in lang.Printer, b evidence.Bench, rows []string) (string, error) {
	chosen, err := benchChosen(b, rows)
	if err != nil {
		return "", err
	}
	return fragment(in, section{table: benchRatios(chosen)}), nil
}

// BenchVerdict is one sentence a pair, or why nothing is compared.
func BenchVerdict(in lang.Printer, b evidence.Bench) string {
	entries := benchVerdicts(b)
	if len(entries) == 1 {
		return fragment(in, section{text: entries[0].text})
	}
	return fragment(in, section{lists: []list{{entries: entries}}})
}

// BenchSettings is the table of effective settings, as the wire showed them.
func BenchSettings(in lang.Printer, b evidence.Bench) string {
	return fragment(in, section{table: benchSettings(b), lists: []list{benchNotSeen(b)}})
}

// BenchRowNames lists the metrics that were measured.
func BenchRowNames(b evidence.Bench) []string {
	return each(b.Judgement.Metrics, func(m evidence.BenchMetric) string { return m.Name })
}

// benchChosen is a bench with these metrics alone, in this order.
func benchChosen(b evidence.Bench, rows []string) (evidence.Bench, error) {
	if len(rows) == 0 {
		return b, nil
	}
	var chosen []evidence.BenchMetric
	for _, name := range rows {
		i := slices.IndexFunc(b.Judgement.Metrics, func(m evidence.BenchMetric) bool { return m.Name == strings.TrimSpace(name) })
		if i < 0 {
			return b, &UnknownRow{Name: name, Known: BenchRowNames(b)}
		}
		chosen = append(chosen, b.Judgement.Metrics[i])
	}
	b.Judgement.Metrics = chosen
	return b, nil
}
