package performance

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// Results are what one run printed.
type Results struct {
	Config  []Setting // of the run: date, machine, versions; in the order of the file
	Figures []Figure  // in the order in which they came first
}

// Setting is a line "key: value" of the file that holds for all of it.
type Setting struct{ Key, Value string }

// Figure is one unit of one benchmark, as often as it was measured.
type Figure struct {
	Package   string // "internal/proxy"; empty for what no Go benchmark measured
	Benchmark string // "Produce1MiB/headers", without the number of processors
	Unit      string // as it was printed: "ns/op", "of-direct"
	Values    []float64
}

// Summary is the median, and the interval that has it in 95 of 100 cases: from six values on,
// with fewer it is infinite.
func (f Figure) Summary() benchmath.Summary {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(f.Values), &benchmath.DefaultThresholds), 0.95)
}

const module = "kcompare/"

// Read reads the file of a run. Lines that are no result are skipped, as everybody does who
// reads this format; a result that cannot be read is an error with its line.
func Read(r io.Reader, name string) (Results, error) {
	var got Results
	in := benchfmt.NewReader(r, name)
	for in.Scan() {
		switch record := in.Result().(type) {
		case *benchfmt.Result:
			got.add(record)
		case *benchfmt.SyntaxError:
			return Results{}, record
		}
	}
	if err := in.Err(); err != nil {
		return Results{}, fmt.Errorf("read %s: %w", name, err)
	}
	return got, nil
}

func (r *Results) add(result *benchfmt.Result) {
	r.configure(result.Config)
	pkg := strings.TrimPrefix(result.GetConfig("pkg"), module)
	for _, v := range result.Values {
		value, unit := v.Value, v.Unit
		if v.OrigUnit != "" {
			value, unit = v.OrigValue, v.OrigUnit
		}
		f := r.figure(pkg, bare(result.Name), unit)
		f.Values = append(f.Values, value)
	}
}

// configure keeps what a key first was, but for packages.
func (r *Results) configure(config []benchfmt.Config) {
	for _, c := range config {
		if c.File && c.Key != "pkg" && r.Value(c.Key) == "" {
			r.Config = append(r.Config, Setting{c.Key, string(c.Value)})
		}
	}
}

// figure is that of a benchmark's unit, which is made if it is new.
func (r *Results) figure(pkg, name, unit string) *Figure {
	if f := r.find(pkg, name, unit); f != nil {
		return f
	}
	r.Figures = append(r.Figures, Figure{Package: pkg, Benchmark: name, Unit: unit})
	return &r.Figures[len(r.Figures)-1]
}

func (r *Results) find(pkg, name, unit string) *Figure {
	for i := range r.Figures {
		if f := &r.Figures[i]; f.Package == pkg && f.Benchmark == name && f.Unit == unit {
			return f
		}
	}
	return nil
}

// bare is the name without the number of processors.
func bare(n benchfmt.Name) string {
	base, parts := n.Parts()
	name := string(base)
	for _, p := range parts {
		if p[0] != '-' {
			name += string(p)
		}
	}
	return name
}

// Value is that of a key of Config; empty where it is not there.
func (r Results) Value(key string) string {
	for _, s := range r.Config {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
