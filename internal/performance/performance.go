// Package performance says how fast kcompare itself is: it holds what benchmarks printed
// to the requirements, and renders docs/performance.md from that alone.
//
// `make bench`, `make bench-large` and `make soak` write a file each in Go's benchmark
// format. The page has a section of each, so a run of one leaves the others as they are.
package performance

// Run is one of the three runs that measure.
type Run string

// The runs, by the name of their file.
const (
	Bench Run = "bench" // make bench
	Large Run = "large" // make bench-large
	Soak  Run = "soak"  // make soak
)

// Runs are all, in the order of the page.
func Runs() []Run { return []Run{Bench, Large, Soak} }

// Target is what make calls it.
func (r Run) Target() string {
	switch r {
	case Large:
		return "make bench-large"
	case Soak:
		return "make soak"
	}
	return "make bench"
}

// Verdict is what was found out about a requirement.
type Verdict string

// The verdicts.
const (
	Met         Verdict = "met"
	NotMet      Verdict = "**not met**"
	NotMeasured Verdict = "not measured"
)
