package report_test

import (
	"fmt"
	"io"
	"testing"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
	"kcompare/internal/verdict"
)

// BenchmarkLarge renders a document of several thousand trials, each of which audited twenty
// million records: nine clients, four variants, and so many repeats as the name says. Twice
// the trials are to take twice the time, and not four times.
func BenchmarkLarge(b *testing.B) {
	for _, repeats := range []int{50, 100} {
		doc := large(repeats)
		for _, form := range []struct {
			name   string
			render func(io.Writer) error
		}{
			{"recompute", func(io.Writer) error { verdict.Recompute(doc); return nil }},
			{"text", func(w io.Writer) error { return report.Text(w, doc, report.TextOptions{}) }},
			{"markdown", func(w io.Writer) error { return report.Markdown(w, doc, lang.Printer{}) }},
			{"html", func(w io.Writer) error { return report.HTML(w, doc, report.HTMLOptions{}) }},
		} {
			b.Run(fmt.Sprintf("%s/repeats=%d", form.name, repeats), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := form.render(io.Discard); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(doc.Trials)), "us/trial")
			})
		}
	}
}

func large(repeats int) evidence.Document {
	var trials []evidence.Trial
	for _, client := range []string{"franz", "librdkafka", "java", "kafkajs", "python", "aiokafka", "kafka-python", "sarama", "python@2.11.1"} {
		for variant := range kinds() {
			for n := range repeats {
				t := trial(variant, client)
				t.Repeat = n + 1
				t.Counts[evidence.LogRecords] = 20_000_000 + int64(n)
				trials = append(trials, t)
			}
		}
	}
	return document(trials...)
}
