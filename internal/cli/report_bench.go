package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"kcompare/internal/bench"
	"kcompare/internal/evidence"
)

// isBench says whether a file is evidence of a bench. One that cannot be read is not: whoever
// reads it says why.
func isBench(file string) bool {
	content, err := os.ReadFile(file)
	var head struct {
		Schema string `json:"schema"`
	}
	return err == nil && json.Unmarshal(content, &head) == nil && head.Schema == evidence.BenchSchema
}

// runBenchReport renders evidence of a bench again, and judges it again.
func runBenchReport(opts *reportOptions) error {
	switch {
	case opts.diff:
		return usagef("report --diff: %s is of a bench: figures of two runs are those of two moments, and are not compared; compare versions in one bench, --client=franz@VERSION,franz", opts.files[0])
	case opts.bug:
		return usagef("report --bug: %s is of a bench, which accuses nobody", opts.files[0])
	case len(opts.files) > 1:
		return usagef("report: %s is of a bench, and stands alone: expected one file", opts.files[0])
	}
	if err := opts.output.checkBench(); err != nil {
		return err
	}
	b, err := readBench(opts.files[0])
	if err != nil {
		return err
	}
	if err := opts.output.writeBench(opts.state, b); err != nil {
		return err
	}
	return finish(bench.Exit(b))
}

// readBench reads evidence of a bench, and refuses what contradicts itself.
func readBench(file string) (evidence.Bench, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return evidence.Bench{}, err
	}
	b, err := evidence.DecodeBench(bytes.NewReader(content))
	if err == nil {
		err = bench.Recheck(b)
	}
	if err != nil {
		return b, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}
