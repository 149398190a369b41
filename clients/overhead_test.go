//go:build linux

package clients_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kcompare/drivers/drivertest/overhead"
	"kcompare/internal/clienttest"
	"kcompare/internal/pythontest"
)

// runTests runs the tests, or is the sink of BenchmarkOverhead.
func runTests(m *testing.M) int { return overhead.Main(m, overhead.Programs{}) }

// beside is a client's program and a loop on its library alone.
type beside struct {
	name    string // of the client, and of the loop where there are several
	direct  string
	command func(b *testing.B, program []string, direct string) []string
	without []string // settings that the library has no word for
	turns   overhead.Turns
}

// BenchmarkOverhead compares each client's program with the same loop written on its
// library alone, in the same language and with the same settings, see overhead.Turns. Java
// does not tell a callback which record it is for, so whoever wants to know makes one for
// each: "numbered" does, "counted" has one for all.
func BenchmarkOverhead(b *testing.B) {
	turns := func(warmUps, rounds int) overhead.Turns {
		return overhead.Turns{Records: 100_000, WarmUps: warmUps, Rounds: rounds}
	}
	numbered := beside{"java/numbered", "Direct.java", compiled, []string{"queue.buffering.max.messages"}, turns(20, 12)}
	counted := numbered
	counted.name = "java/counted"
	for _, c := range []beside{
		{"python", "direct.py", inPlaceOfTheLast, nil, turns(2, 4)},
		numbered, counted,
		{"kafkajs", "direct.mjs", besideModules, nil, turns(2, 1)}, // a round takes 3 seconds
		{"kafka-python", "direct.py", inPlaceOfTheLast, nil, turns(1, 1)},
		{"aiokafka", "direct.py", inPlaceOfTheLast, []string{"max.in.flight.requests.per.connection"}, turns(2, 2)},
	} {
		b.Run(c.name, c.benchmark)
	}
}

func (c beside) benchmark(b *testing.B) {
	client, loop, _ := strings.Cut(c.name, "/")
	program := clienttest.Sustained(b, client)
	servers := overhead.StartSink(b)
	config := overhead.Settings(servers)
	maps.DeleteFunc(config, func(key, _ string) bool { return slices.Contains(c.without, key) })
	source := filepath.Join(pythontest.Repository(b), "clients", client, c.direct)
	direct := append(c.command(b, program.Command, source), servers, loop)
	c.turns.Benchmark(b,
		func(b *testing.B) *overhead.Loop { return overhead.StartDirect(b, direct) },
		func(b *testing.B) *overhead.Loop { return overhead.StartProgram(b, program, config) })
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

// compiled is the command of a class, on the class path of the program: Java would compile
// a source as it starts, and go on with what its compilers learned from that.
func compiled(b *testing.B, program []string, direct string) []string {
	path, classes := slices.Index(program, "-cp")+1, b.TempDir()
	_, lib, _ := strings.Cut(program[path], string(filepath.ListSeparator))
	jars, err := filepath.Glob(lib + ".jar") // it is a folder and a star
	if err != nil {
		b.Fatal(err)
	}
	javac := exec.Command(program[0], "-m", "jdk.compiler/com.sun.tools.javac.Main",
		"-cp", strings.Join(jars, string(filepath.ListSeparator)), "-d", classes, direct)
	if out, err := javac.CombinedOutput(); err != nil {
		b.Fatalf("compile %s: %v\n%s", filepath.Base(direct), err, out)
	}
	command := inPlaceOfTheLast(b, program, strings.TrimSuffix(filepath.Base(direct), ".java"))
	command[path] = classes + string(filepath.ListSeparator) + lib
	return command
}
