package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkHelp starts the program as it is built and waits for its end; it reports the
// median in milliseconds. What everybody waits for at each start is in it: the loader, what
// packages do before main, and the whole tree of commands.
func BenchmarkHelp(b *testing.B) {
	program := filepath.Join(b.TempDir(), "kcompare")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("build kcompare: %v\n%s", err, out)
	}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := exec.CommandContext(b.Context(), program, "--help").Run(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/float64(time.Millisecond), "p50-ms")
}
