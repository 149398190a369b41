//go:build linux

package clients_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kcompare/drivers/drivertest/overhead"
	"kcompare/internal/clienttest"
	"kcompare/internal/pythontest"
)

// runTests runs the tests, or is the sink of BenchmarkOverhead.
func runTests(m *testing.M) int { return overhead.Main(m, overhead.Programs{}) }

// overheadRecords are those of a round.
const overheadRecords = 100_000

// BenchmarkOverhead compares each client's program with the same loop written on its
// library alone, in the same language and with the same settings, see overhead.InTurns.
func BenchmarkOverhead(b *testing.B) {
	for _, c := range []struct {
		client  string
		direct  string
		command func(b *testing.B, program []string, direct string) []string
		without []string // settings that the library has no word for
	}{
		{"python", "direct.py", inPlaceOfTheLast, nil},
		{"java", "Direct.java", inPlaceOfTheLast, []string{"queue.buffering.max.messages"}},
		{"kafkajs", "direct.mjs", besideModules, nil},
		{"kafka-python", "direct.py", inPlaceOfTheLast, nil},
		{"aiokafka", "direct.py", inPlaceOfTheLast, []string{"max.in.flight.requests.per.connection"}},
	} {
		b.Run(c.client, func(b *testing.B) {
			program := clienttest.Program(b, c.client)
			servers := overhead.StartSink(b)
			config := overhead.Settings(servers)
			maps.DeleteFunc(config, func(key, _ string) bool { return slices.Contains(c.without, key) })
			source := filepath.Join(pythontest.Repository(b), "clients", c.client, c.direct)
			direct := append(c.command(b, program.Command, source), servers)
			overhead.InTurns(b, overheadRecords, overhead.StartDirect(b, direct), overhead.StartProgram(b, program, config))
		})
	}
}

// inPlaceOfTheLast is a program's command with another source: that stands last.
func inPlaceOfTheLast(_ *testing.B, program []string, direct string) []string {
	return append(slices.Clone(program[:len(program)-1]), direct)
}

// besideModules is the command of a source that finds its library as the program does, in
// a folder above it.
func besideModules(b *testing.B, program []string, direct string) []string {
	dir := b.TempDir()
	modules := filepath.Join(filepath.Dir(filepath.Dir(program[len(program)-1])), "node_modules")
	text, err := os.ReadFile(direct)
	if err != nil {
		b.Fatal(err)
	}
	copied := filepath.Join(dir, filepath.Base(direct))
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		b.Fatal(err)
	}
	return inPlaceOfTheLast(b, program, copied)
}
