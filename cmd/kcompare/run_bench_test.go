package main

import (
	"io"
	"testing"
	"time"

	"kcompare/internal/cli"
)

// BenchmarkRun is the wall time of `kcompare run` without arguments: the whole
// core through every library that is built in.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		state := cli.State{Stdout: io.Discard, Stderr: io.Discard, Width: 100, Now: time.Now, Clients: clients()}
		if code := cli.Main(b.Context(), state, []string{"run", "--progress=none"}); code != 0 {
			b.Fatalf("exit code %d", code)
		}
	}
}
