//go:build linux

package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/drivers/drivertest/overhead"
	"kcompare/internal/clienttest"
	"kcompare/internal/cost"
	"kcompare/internal/pythontest"
)

// runTests runs the tests, or is the sink of BenchmarkOverhead.
func runTests(m *testing.M) int { return overhead.Main(m) }

// overheadRecords are those of a round.
const overheadRecords = 100_000

// BenchmarkOverhead compares each client's program with the same loop written on its
// library alone, in the same language and with the same settings. Both send to the same
// sink, in rounds that take turns and of which each is first every other time. It reports
//
//	of-direct      the program's throughput as a part of the direct loop's: the median of rounds
//	of-direct-cpu  the same of records for a second of processor time of the process
//	records/s      of the program, in its median round
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
			playInTurns(b, startDirect(b, c.command(b, program.Command, source), servers), startBulk(b, program, config))
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

// bulkLoop is one of the two.
type bulkLoop struct {
	play      func(count int) (time.Duration, error)
	process   int
	took, cpu []float64 // seconds of each round
}

func startBulk(b *testing.B, program clients.Program, config map[string]string) *bulkLoop {
	b.Helper()
	running, err := start(b, program)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(running.Close)
	p, err := running.NewProducer(drivers.Settings{Config: config})
	if err != nil {
		b.Fatal(err)
	}
	play := func(count int) (time.Duration, error) {
		var failed int64
		bulk := drivers.Bulk{Topic: overhead.Topic, Partition: drivers.AnyPartition, Count: int64(count), ValueBytes: overhead.ValueBytes}
		made, err := p.(drivers.BulkProducer).ProduceMany(context.Background(), bulk, func(r drivers.Reported) {
			if r.Outcome != drivers.Acked {
				failed += r.Count
			}
		})
		if err == nil && failed > 0 {
			err = fmt.Errorf("%d records failed", failed)
		}
		return made.Elapsed, err
	}
	return &bulkLoop{play: play, process: running.Process()}
}

// startDirect starts a program that reads numbers of records and answers with how many
// failed. It ends with its stdin, or is killed after that.
func startDirect(b *testing.B, command []string, servers string) *bulkLoop {
	b.Helper()
	cmd := exec.Command(command[0], append(command[1:], servers)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		b.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close()
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		if err := cmd.Wait(); err != nil {
			b.Errorf("the direct loop: %v\n%s", err, said.String())
		}
	})
	answers := bufio.NewReader(stdout)
	play := func(count int) (time.Duration, error) {
		began := time.Now()
		if _, err := fmt.Fprintln(stdin, count); err != nil {
			return 0, err
		}
		answer, err := answers.ReadString('\n')
		if err == nil && strings.TrimSpace(answer) != "0" {
			err = fmt.Errorf("the direct loop: expected that no record failed, got %q", answer)
		}
		return time.Since(began), err
	}
	return &bulkLoop{play: play, process: cmd.Process.Pid}
}

// playInTurns plays b.N rounds of each, after two that are not counted.
func playInTurns(b *testing.B, direct, program *bulkLoop) {
	loops := [2]*bulkLoop{direct, program}
	for range 2 {
		direct.round(b)
		program.round(b)
	}
	direct.took, direct.cpu, program.took, program.cpu = nil, nil, nil, nil
	b.ResetTimer()
	for n := range b.N {
		loops[n%2].round(b)
		loops[1-n%2].round(b)
	}
	b.StopTimer()
	b.ReportMetric(quotient(direct.took, program.took), "of-direct")
	b.ReportMetric(quotient(direct.cpu, program.cpu), "of-direct-cpu")
	b.ReportMetric(overheadRecords/overhead.Median(program.took), "records/s")
}

func (l *bulkLoop) round(b *testing.B) {
	before, err1 := cost.CPU(l.process)
	took, err := l.play(overheadRecords)
	if err != nil {
		b.Fatal(err)
	}
	l.took = append(l.took, took.Seconds())
	after, err2 := cost.CPU(l.process)
	if err1 != nil || err2 != nil {
		b.Fatal(err1, err2)
	}
	l.cpu = append(l.cpu, (after - before).Seconds())
}

// quotient is the median of those of rounds that followed each other.
func quotient(direct, program []float64) float64 {
	var all []float64
	for i := range direct {
		all = append(all, direct[i]/program[i])
	}
	return overhead.Median(all)
}
