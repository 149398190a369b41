//go:build linux

package overhead

import (
	"slices"
	"testing"

	"kcompare/internal/cost"
)

// Turns is what a pair of processes plays: rounds of each in turns.
type Turns struct {
	Records int // of a round
	WarmUps int // rounds that do not count: two connect, and let buffers grow; a JVM still compiles after them
	Rounds  int // that do
}

// Benchmark plays b.N pairs of processes: another pair has its memory elsewhere, and a JVM
// or an interpreter can be faster or slower by a tenth for that alone. Who is started first,
// and begins, is the other one each time. It reports medians of what the pairs have:
//
//	of-direct              the program's throughput as a part of the direct loop's: the median of rounds
//	of-direct-cpu          the same of records for a second of processor time of the process, kernel included
//	records/s              of the program, in its median round
//	cpu-ns/record          its processor time
//	objects/record         that Go's runtime allocated, and direct-objects/record; where the programs say it
func (t Turns) Benchmark(b *testing.B, direct, program func(*testing.B) *Loop) {
	figures := map[string][]float64{}
	for n := range b.N {
		t.pair(b, n%2, [2]func(*testing.B) *Loop{direct, program}, figures)
	}
	for unit, of := range figures {
		b.ReportMetric(median(of), unit)
	}
}

// pair adds the figures of two processes; first is the index of the one that begins.
func (t Turns) pair(b *testing.B, first int, start [2]func(*testing.B) *Loop, figures map[string][]float64) {
	var loops [2]*Loop
	for _, i := range [2]int{first, 1 - first} {
		loops[i] = start[i](b)
		defer loops[i].stop()
	}
	for n := range t.WarmUps + t.Rounds {
		for _, i := range [2]int{(first + n) % 2, (first + n + 1) % 2} {
			loops[i].round(b, t.Records)
		}
	}
	for _, l := range loops {
		l.rounds = l.rounds[t.WarmUps:]
	}
	for unit, value := range compared(float64(t.Records), loops[0], loops[1]) {
		figures[unit] = append(figures[unit], value)
	}
}

// compared is what one pair has to say.
func compared(records float64, direct, program *Loop) map[string]float64 {
	took := func(r round) float64 { return r.took }
	cpu := func(r round) float64 { return r.cpu }
	objects := func(r round) float64 { return r.objects }
	figures := map[string]float64{
		"of-direct":     direct.over(program, took),
		"of-direct-cpu": direct.over(program, cpu),
		"records/s":     records / program.median(took),
		"cpu-ns/record": 1e9 * program.median(cpu) / records,
	}
	if direct.median(objects) > 0 {
		figures["objects/record"] = program.median(objects) / records
		figures["direct-objects/record"] = direct.median(objects) / records
	}
	return figures
}

func (l *Loop) round(b *testing.B, records int) {
	before, err1 := cost.CPU(l.process)
	done, err2 := l.play(records)
	after, err3 := cost.CPU(l.process)
	if err1 != nil || err2 != nil || err3 != nil {
		b.Fatal(err1, err2, err3)
	}
	l.rounds = append(l.rounds, round{took: done.took.Seconds(), cpu: (after - before).Seconds(), objects: float64(done.objects)})
}

// over is the median of quotients of rounds that followed each other: of a machine that
// is slower for some of them, both took more.
func (l *Loop) over(other *Loop, of func(round) float64) float64 {
	var all []float64
	for i, r := range l.rounds {
		all = append(all, of(r)/of(other.rounds[i]))
	}
	return median(all)
}

func (l *Loop) median(of func(round) float64) float64 {
	var all []float64
	for _, r := range l.rounds {
		all = append(all, of(r))
	}
	return median(all)
}

func median(all []float64) float64 {
	slices.Sort(all)
	return (all[len(all)/2] + all[(len(all)-1)/2]) / 2
}
