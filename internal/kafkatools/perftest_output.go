package kafkatools

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"kcompare/internal/bench"
	"kcompare/internal/evidence"
)

// perfOutput reads what kafka-producer-perf-test prints: one line of all records at the
// end, behind it one of those after the warm-up. It ends with 0 even if no record was
// written, and says so by their number alone.
type perfOutput struct {
	records, warm int64

	total, steady *perfFigures
}

// perfFigures is one of its two last lines.
type perfFigures struct {
	records   int64
	perSecond float64
	latency   evidence.BenchLatencies
}

const decimal = `(?:\d+\.\d+|NaN|Infinity)`

var (
	perfTotal = regexp.MustCompile(`^(\d+)( steady state)? records sent, (` + decimal + `) records/sec \(` + decimal + ` MB/sec\), ` + decimal +
		` ms avg latency, (` + decimal + `) ms max latency, (\d+) ms 50th, (\d+) ms 95th, (\d+) ms 99th, (\d+) ms 99\.9th\.$`)

	// perfOther are lines with nothing that is wanted.
	perfOther = regexp.MustCompile(`^(?:Reading payloads from: .+|Number of records read: 1|In steady state\.` +
		`|Warmup first \d+ records\. Steady state results will print after the complete test summary\.` +
		`|\d+ records sent, ` + decimal + ` records/sec \(` + decimal + ` MB/sec\), ` + decimal + ` ms avg latency, ` + decimal + ` ms max latency\.)$`)
)

func (o *perfOutput) line(text string) error {
	if perfOther.MatchString(text) {
		return nil
	}
	parts := perfTotal.FindStringSubmatch(text)
	if parts == nil {
		return fmt.Errorf("printed what is not known: %q", text)
	}
	figures := readFigures(parts)
	to := &o.total
	if parts[2] != "" {
		to = &o.steady
	}
	if *to != nil {
		return fmt.Errorf("printed its figures twice: %q", text)
	}
	*to = &figures
	return nil
}

// readFigures takes what matched perfTotal: numbers that are too large become the largest.
func readFigures(parts []string) perfFigures {
	whole := func(i int) int64 {
		n, _ := strconv.ParseInt(parts[i], 10, 64)
		return n
	}
	fraction := func(i int) float64 {
		f, _ := strconv.ParseFloat(parts[i], 64)
		return f
	}
	const us = 1000 // of a millisecond
	return perfFigures{records: whole(1), perSecond: fraction(3), latency: evidence.BenchLatencies{
		Count: whole(1), Max: int64(fraction(4) * us),
		P50: whole(5) * us, P95: whole(6) * us, P99: whole(7) * us, P999: whole(8) * us,
	}}
}

func (o *perfOutput) played() (bench.Played, error) {
	if o.total == nil {
		return bench.Played{}, errors.New("ended without its figures")
	}
	if o.total.records != o.records {
		return bench.Played{}, fmt.Errorf("says that %d of %d records were sent", o.total.records, o.records)
	}
	if (o.steady != nil) != (o.warm > 0) {
		return bench.Played{}, fmt.Errorf("figures of the records after the warm-up of %d: expected them where there is one", o.warm)
	}
	if o.steady == nil {
		return o.total.played(0)
	}
	if o.steady.records != o.records-o.warm {
		return bench.Played{}, fmt.Errorf("says that %d of %d records after the warm-up were sent", o.steady.records, o.records-o.warm)
	}
	return o.steady.played(o.steady.records)
}

// played has the time from its own rate, which it makes of whole milliseconds.
func (f perfFigures) played(timed int64) (bench.Played, error) {
	ms := math.Round(float64(f.records) / f.perSecond * 1000)
	if !(ms >= 1) { // NaN, too
		return bench.Played{}, fmt.Errorf("says that %d records were sent at %v records/sec, which its clock of milliseconds cannot tell: give it more records", f.records, f.perSecond)
	}
	return bench.Played{
		Elapsed: time.Duration(ms) * time.Millisecond,
		Timed:   timed, Told: &f.latency,
	}, nil
}
