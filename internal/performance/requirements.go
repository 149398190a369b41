package performance

import (
	"slices"

	"golang.org/x/perf/benchmath"
)

// Requirement is a bound on one figure of one run.
type Requirement struct {
	Says      string // what it is about, as the page has it
	Run       Run
	Package   string // of Figure
	Benchmark string
	Unit      string
	AtMost    bool // otherwise at least
	Bound     float64
}

// Judged is a requirement with what was measured.
type Judged struct {
	Requirement
	Summary benchmath.Summary // the zero value where nothing was
	Values  int               // how often it was
	Verdict Verdict
}

// Judge holds the results of the runs to the requirements. A figure that is missing is not
// measured, and never met; the median decides.
func Judge(requirements []Requirement, results map[Run]Results) []Judged {
	var judged []Judged
	for _, r := range requirements {
		j := Judged{Requirement: r, Verdict: NotMeasured}
		of := results[r.Run]
		if f := of.find(r.Package, r.Benchmark, r.Unit); f != nil {
			j.Summary, j.Values = f.Summary(), len(f.Values)
			j.Verdict = r.verdict(j.Summary.Center)
		}
		judged = append(judged, j)
	}
	return judged
}

// verdict of a value. One that is no number meets nothing.
func (r Requirement) verdict(value float64) Verdict {
	if r.AtMost && value <= r.Bound || !r.AtMost && value >= r.Bound {
		return Met
	}
	return NotMet
}

// Requirements are all of them, in the order of the page.
func Requirements() []Requirement {
	const proxy, audit = "internal/proxy", "internal/audit"
	all := []Requirement{
		{"proxy, frames of 1 MiB, trace of batch headers: throughput as a part of direct", Bench, proxy, "Produce1MiB/headers", "of-direct", false, 0.40},
		{"the same: processor seconds for a GiB", Bench, proxy, "Produce1MiB/headers", "cpu-s/GiB", true, 0.6},
		{"proxy beside toxiproxy 2.5.0: times its throughput", Bench, proxy, "BesideToxiproxy1MiB/headers", "x-toxiproxy", false, 3},
		{"proxy, small requests: microseconds added to the median beside direct", Bench, proxy, "SmallRequests", "added-us", true, 120},
	}
	for _, of := range []struct{ client, benchmark string }{
		{"franz", "Overhead"},
		{"librdkafka", "Overhead/numbered"}, // whose loop learns which record a report is about, as kcompare has to
		{"sarama", "Overhead"},
	} {
		all = append(all, Requirement{"driver of " + of.client + " beside the same loop on the library: throughput as a part of it", Bench, of.client, of.benchmark, "of-direct", false, 0.97})
	}
	for _, of := range []struct{ client, benchmark string }{
		{"python", "Overhead/python"},
		{"java", "Overhead/java/numbered"}, // as librdkafka's
		{"kafkajs", "Overhead/kafkajs"},
		{"kafka-python", "Overhead/kafka-python"},
		{"aiokafka", "Overhead/aiokafka"},
	} {
		all = append(all, Requirement{"program of " + of.client + " beside the same loop on the library, in its language: throughput as a part of it", Bench, "clients", of.benchmark, "of-direct", false, 0.97})
	}
	all = append(all, Requirement{"bulk loop of the Java client beside kafka-producer-perf-test, started alike: throughput as a multiple", Bench, "internal/kafkatools", "PerfTest/as-java-starts", "of-perf-test", false, 0.97})
	for _, shape := range []string{"clean", "duplicates", "duplicates-renumbered", "reordered"} {
		all = append(all, Requirement{"audit from raw batches, " + shape + ": records a second of processor time", Bench, audit, "Audit/" + shape, "records/cpu-s", false, 2e6})
	}
	all = append(all,
		Requirement{"audit of 20 million: records a second of processor time", Bench, audit, "Audit20M", "records/cpu-s", false, 2e6},
		Requirement{"audit of 20 million holds a bit a record, and beyond that for each run and exception: bytes", Bench, audit, "Audit20M", "B/entry", true, 256},
		Requirement{"`kcompare --help`: milliseconds from start to end", Bench, "cmd/kcompare", "Help", "p50-ms", true, 50},
	)
	return slices.Concat(all, volumeRequirements(), soakRequirements())
}
