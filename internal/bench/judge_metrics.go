package bench

import (
	"cmp"
	"slices"

	"kcompare/internal/evidence"
)

// metric is one figure of a round.
type metric struct {
	name, unit string
	more       bool                              // is better
	of         func(evidence.BenchRound) float64 // 0: nobody told

	once func(evidence.BenchContestant) float64 // instead of `of`: told once for all rounds

	latency bool // of records or transactions, which a tool may tell in its own way
	alone   bool // it has no ratios: they would be those of another metric, or say nothing of a client
}

// metrics are what is compared at a work; the first one ranks. At a fixed rate all deliver
// as many records a second, so there the latency that 99 of 100 records stay below ranks.
func metrics(work evidence.BenchWork) []metric {
	latencies := []metric{
		latency("p99 latency", func(l evidence.BenchLatencies) int64 { return l.P99 }),
		latency("p50 latency", func(l evidence.BenchLatencies) int64 { return l.P50 }),
		latency("p95 latency", func(l evidence.BenchLatencies) int64 { return l.P95 }),
		latency("p99.9 latency", func(l evidence.BenchLatencies) int64 { return l.P999 }),
		latency("highest latency", func(l evidence.BenchLatencies) int64 { return l.Max }),
	}
	speed := []metric{
		{name: "records", unit: "records/s", more: true, of: func(r evidence.BenchRound) float64 { return perSecond(r, float64(r.Records)) }},
		{name: "bytes", unit: "MB/s", more: true, alone: true, of: func(r evidence.BenchRound) float64 { return perSecond(r, float64(r.Bytes)/1e6) }},
		{name: "transactions", unit: "transactions/s", more: true, of: func(r evidence.BenchRound) float64 { return perSecond(r, float64(r.Transacted)) }},
	}
	if work == evidence.BenchLatency {
		return slices.Concat(latencies, speed[:1], costs())
	}
	return slices.Concat(speed, latencies, costs())
}

func latency(name string, of func(evidence.BenchLatencies) int64) metric {
	return metric{name: name, unit: "ms", latency: true, of: func(r evidence.BenchRound) float64 {
		if r.Latency == nil {
			return 0
		}
		return float64(of(*r.Latency)) / 1000
	}}
}

// costs are what it takes, whatever the work.
func costs() []metric {
	cpu := func(of func(evidence.BenchRound) int64) func(evidence.BenchRound) float64 {
		return func(r evidence.BenchRound) float64 { return perRecord(r, float64(of(r))) } // µs a record are seconds a million
	}
	allocated := func(of func(evidence.BenchAllocated) int64) func(evidence.BenchRound) float64 {
		return func(r evidence.BenchRound) float64 {
			if r.Allocated == nil {
				return 0
			}
			return perRecord(r, float64(of(*r.Allocated)))
		}
	}
	const cpuUnit = "CPU-s per million records"
	return []metric{
		{name: "CPU of the client", unit: cpuUnit, of: cpu(func(r evidence.BenchRound) int64 { return r.ClientCPUUS })},
		{name: "CPU of the broker", unit: cpuUnit, of: cpu(func(r evidence.BenchRound) int64 { return r.BrokerCPUUS })},
		{name: "CPU of kcompare", unit: cpuUnit, alone: true, of: cpu(func(r evidence.BenchRound) int64 { return r.OwnCPUUS })},
		{name: "allocations", unit: "a record", of: allocated(func(a evidence.BenchAllocated) int64 { return a.Objects })},
		{name: "allocated", unit: "bytes a record", of: allocated(func(a evidence.BenchAllocated) int64 { return a.Bytes })},
		{name: "peak memory", unit: "MB", alone: true, once: func(c evidence.BenchContestant) float64 { return float64(c.PeakMemoryBytes) / 1e6 }},
	}
}

// perSecond is a rate. A tool's clock may leave out some of the records.
func perSecond(r evidence.BenchRound, n float64) float64 {
	if r.Timed > 0 {
		n *= float64(r.Timed) / float64(r.Records)
	}
	return n / (float64(r.ElapsedUS) / 1e6)
}

func perRecord(r evidence.BenchRound, n float64) float64 { return n / float64(r.Records) }

// figures is the metric of all contestants of whom it is known, with ratios where they may
// be compared.
func (m metric) figures(b evidence.Bench, comparable bool) evidence.BenchMetric {
	out := evidence.BenchMetric{Name: m.name, Unit: m.unit, More: m.more}
	all := map[string]series{}
	for _, c := range b.Contestants {
		s := m.series(b, c)
		if len(s) == 0 {
			continue
		}
		all[c.Name] = s
		f := s.summary(c.Name)
		if m.once != nil {
			f.Each = nil
		}
		out.Standing = append(out.Standing, f)
	}
	if !comparable || len(out.Standing) == 0 {
		return out
	}
	if b.Compare == "" {
		m.rank(b, out.Standing, all)
	}
	if m.alone {
		return out
	}
	for i, f := range out.Standing {
		against := reference(b, out.Standing, f.Contestant)
		figures, others := all[f.Contestant].beside(all[against])
		if against != f.Contestant && len(figures) >= leastPairs && m.alike(b, f.Contestant, against) {
			r := ratio(against, figures, others)
			out.Standing[i].Ratio = &r
		}
	}
	return out
}

// rank puts the best first: by the mean that ratios are about, so that both say the same.
// Latencies that are not alike stand behind.
func (m metric) rank(b evidence.Bench, standing []evidence.BenchFigures, all map[string]series) {
	slices.SortStableFunc(standing, func(x, y evidence.BenchFigures) int {
		if !m.alike(b, x.Contestant, y.Contestant) {
			if byTool(b, x.Contestant) {
				return 1
			}
			return -1
		}
		order := cmp.Compare(geometric(all[x.Contestant].values()), geometric(all[y.Contestant].values()))
		if m.more {
			return -order
		}
		return order
	})
}

// alike says whether the metric is the same thing of both. Kcompare counts a latency from when
// the record was due, so that a client that lets records wait does not look fast; a tool that
// keeps its latencies to itself counts from the hand-over.
func (m metric) alike(b evidence.Bench, one, other string) bool {
	return !m.latency || byTool(b, one) == byTool(b, other)
}

// byTool says whether latencies of a contestant are a tool's own words.
func byTool(b evidence.Bench, contestant string) bool {
	return slices.ContainsFunc(counted(b, contestant), func(r evidence.BenchRound) bool {
		return r.Latency != nil && r.Latency.Histogram == ""
	})
}

// reference is whom a contestant is compared with.
func reference(b evidence.Bench, standing []evidence.BenchFigures, contestant string) string {
	if b.Compare == "" {
		return standing[0].Contestant
	}
	for _, group := range compared(b) {
		if slices.ContainsFunc(group, func(c evidence.BenchContestant) bool { return c.Name == contestant }) {
			return group[0].Name
		}
	}
	return contestant
}

// series is the figures of one contestant by round.
type series []point

type point struct {
	round int
	value float64
}

func (m metric) series(b evidence.Bench, c evidence.BenchContestant) series {
	var s series
	for _, r := range counted(b, c.Name) {
		v := 0.0
		if m.once != nil {
			v = m.once(c)
		} else {
			v = m.of(r)
		}
		if v > 0 {
			s = append(s, point{r.Round, v})
		}
	}
	return s
}

func (s series) values() []float64 {
	var all []float64
	for _, p := range s {
		all = append(all, p.value)
	}
	return all
}

// beside is the figures of rounds that both have.
func (s series) beside(other series) (figures, others []float64) {
	for _, p := range s {
		if i := slices.IndexFunc(other, func(o point) bool { return o.round == p.round }); i >= 0 {
			figures, others = append(figures, p.value), append(others, other[i].value)
		}
	}
	return figures, others
}

func (s series) summary(contestant string) evidence.BenchFigures {
	all := slices.Sorted(slices.Values(s.values()))
	n := len(all)
	var each []float64
	for _, v := range s.values() {
		each = append(each, rounded(v))
	}
	return evidence.BenchFigures{
		Contestant: contestant, Rounds: n, Each: each,
		Median: rounded((all[(n-1)/2] + all[n/2]) / 2), Least: rounded(all[0]), Most: rounded(all[n-1]),
	}
}
