package performance

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Page is docs/performance.md.
func Page(requirements []Requirement, results map[Run]Results) string {
	var b strings.Builder
	b.WriteString(opening)
	writeJudged(&b, Judge(requirements, results))
	for _, run := range Runs() {
		fmt.Fprintf(&b, "\n## `%s`\n\n", run.Target())
		of, was := results[run]
		if !was {
			b.WriteString("Not measured.\n")
			continue
		}
		writeConfig(&b, of)
		b.WriteString(sections()[run])
		writeFigures(&b, of)
	}
	return b.String()
}

const opening = `<!-- Written by go run ./cmd/performance page from docs/performance/*.txt; make bench, make bench-large and make soak do it by themselves. -->
# How fast kcompare itself is

What it costs to stand between a client and its broker, and to audit what came of it. How fast client libraries are is said by ` + "`kcompare bench`" + `.
Each figure was measured by this repository's own benchmarks on the machine that its section names; other machines have other times, so requirements are ratios where they can be:
both sides are measured in turn in one run, and a busy machine hits both.

A figure is the median of its values. In brackets stands the interval that has the true median in 95 of 100 cases: it takes six values, fewer have none.
Whether a requirement is met is computed from the median. What was not measured is not met either, and says so.

## Requirements

`

// sections say what a run does.
func sections() map[Run]string {
	return map[Run]string{
		Large: `Each client, in a process of its own, writes records of 32 bytes without keys in bulk, acks=all and idempotent, through the proxy (trace of batch headers) to an Apache Kafka of one node:
a million to a topic of three partitions, which is then read back, audited and removed, so that disk and memory are bounded. Audited means, of each record: the log holds it once, in order,
with the key and value that it was to have, at the partition and offset that the client told, in a batch that came through the proxy; and nothing else is there. What a client's program does not
tell, because runs would be too short, is not compared: ` + "`with-offset`" + ` is of how many it told where they went. Nobody consumes, no fault happens, and a duplicate would have no cause, because the
trace does not have records' identities: that is what scenarios do, with hundreds of records. records/s is through the proxy with broker, proxy and client on one machine, and compares nothing.
Anomalies are what the library did, and the first of them is named; they are no failure of the audit.

`,
		Soak: `Clients of franz-go and librdkafka in one process with everything of kcompare's: again and again each writes a topic and reads it, through a proxy that stays, and plays
the trial ` + "`idempotent enable.idempotence=false,sends=concurrent`" + ` with a proxy, a reader and an audit of its own. Whenever all is done and closed, and garbage is collected, a sample is
taken of what the process holds. A quarter of the samples is left out, for caches to fill; the growth is the least of the last third of the others, less the least of the
first. The broker behind the proxy is a new one after each topic: kfake remembers each producer id and fetch session.

`,
	}
}

func writeJudged(b *strings.Builder, judged []Judged) {
	b.WriteString("| requirement | bound | measured | |\n|---|---|---|---|\n")
	for _, j := range judged {
		measured := "–"
		if j.Values > 0 {
			measured = spread(j.Summary.Center, j.Summary.Lo, j.Summary.Hi)
		}
		sign := "≥"
		if j.AtMost {
			sign = "≤"
		}
		fmt.Fprintf(b, "| %s | %s %s | %s | %s |\n", j.Says, sign, figure(j.Bound), measured, j.Verdict)
	}
}

func writeConfig(b *strings.Builder, r Results) {
	b.WriteString("| | |\n|---|---|\n")
	for _, s := range r.Config {
		fmt.Fprintf(b, "| %s | %s |\n", strings.TrimPrefix(s.Key, versionKey), cell(s.Value))
	}
	b.WriteString("\n")
}

// writeFigures has a line for each benchmark, in the order in which they were run.
func writeFigures(b *strings.Builder, r Results) {
	b.WriteString("| benchmark | figures |\n|---|---|\n")
	for i := 0; i < len(r.Figures); {
		first := r.Figures[i]
		var figures []string
		for ; i < len(r.Figures) && r.Figures[i].Package == first.Package && r.Figures[i].Benchmark == first.Benchmark; i++ {
			s := r.Figures[i].Summary()
			figures = append(figures, spread(s.Center, s.Lo, s.Hi)+" "+r.Figures[i].Unit)
		}
		name := first.Benchmark
		if first.Package != "" {
			name = first.Package + " " + name
		}
		fmt.Fprintf(b, "| %s | %s |\n", cell(name), cell(strings.Join(figures, " · ")))
	}
}

// spread is a median with its interval, where there is one that can be seen.
func spread(center, low, high float64) string {
	if math.IsInf(low, 0) || math.IsInf(high, 0) || figure(low) == figure(high) {
		return figure(center)
	}
	return fmt.Sprintf("%s (%s … %s)", figure(center), figure(low), figure(high))
}

// figure is a number with at least three digits that count.
func figure(v float64) string {
	digits := 0
	if v != 0 && !math.IsInf(v, 0) && !math.IsNaN(v) {
		digits = max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	}
	text := message.NewPrinter(language.English).Sprintf("%.*f", digits, v)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
