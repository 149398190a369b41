package performance

import (
	"fmt"
	"io"
	"slices"
	"time"

	"kcompare/internal/soak"
)

// soakName is the benchmark's name of a sample of `make soak`.
const soakName = "Soak"

// Units of a sample; how much each grew has growthOf of it.
const (
	heapUnit       = "heap-B"
	rssUnit        = "RSS-B"
	goroutinesUnit = "goroutines"
	filesUnit      = "files"
)

// WriteSample writes a sample as a line of Go's benchmark format; rounds stand for iterations.
func WriteSample(w io.Writer, s soak.Sample) error {
	_, err := fmt.Fprintf(w, "Benchmark%s %d %.1f elapsed-s %d records %d %s %d %s %d %s %d %s %d inconclusive\n", soakName, s.Rounds, s.Elapsed.Seconds(), s.Records,
		s.Heap, heapUnit, s.RSS, rssUnit, s.Goroutines, goroutinesUnit, s.Files, filesUnit, s.Inconclusive)
	return err
}

func growthOf(unit string) string { return unit + "-growth" }

// addGrowth adds, for each unit of the samples, by how much it grew: the least of the last
// third, less the least of the first, where the first quarter of the samples is left out, because
// caches fill and the first of everything is made then. The least, because a leak raises
// that too, and what was just about to end does not. Of fewer samples than leastSamples
// nothing is said.
func (r *Results) addGrowth() {
	for _, unit := range []string{heapUnit, rssUnit, goroutinesUnit, filesUnit} {
		f := r.find("", soakName, unit)
		if f == nil || len(f.Values) < leastSamples {
			continue
		}
		settled := f.Values[len(f.Values)/4:]
		third := len(settled) / 3
		before, after := slices.Min(settled[:third]), slices.Min(settled[len(settled)-third:])
		growth := after - before
		if unit == rssUnit {
			growth /= before
		}
		r.Figures = append(r.Figures, Figure{Benchmark: soakName, Unit: growthOf(unit), Values: []float64{growth}})
	}
}

const leastSamples = 12

// soakRequirements. The proxy remembers topics, up to a bound, and Go's runtime what it has
// made for goroutines and threads: together some hundred KiB in half an hour. The system's view
// of memory is coarser, because the allocators of C and Go keep pages.
func soakRequirements() []Requirement {
	all := []Requirement{
		{Says: "soak, live heap at rest does not grow: bytes", Unit: growthOf(heapUnit), Bound: 1 << 20},
		{Says: "soak, resident memory at rest does not grow: part", Unit: growthOf(rssUnit), Bound: 0.10},
		{Says: "soak, no goroutine leaks: how many", Unit: growthOf(goroutinesUnit)},
		{Says: "soak, no file leaks: how many", Unit: growthOf(filesUnit)},
	}
	for i := range all {
		all[i].Run, all[i].Benchmark, all[i].AtMost = Soak, soakName, true
	}
	return all
}

// SoakTime is how long `make soak` works unless it is told otherwise.
const SoakTime = 30 * time.Minute
