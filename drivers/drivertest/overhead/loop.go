//go:build linux

package overhead

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/internal/child"
	"kcompare/internal/cost"
)

// Loop is one of the two, a process.
type Loop struct {
	play    func(count int) (played, error)
	process int
	rounds  []round
}

// played is what a process says of its round.
type played struct {
	took    time.Duration
	objects int64 // that Go's runtime allocated; 0 where nobody says
}

type round struct{ took, cpu, objects float64 } // seconds

// patience bounds the start of a process, and its end.
const patience = 20 * time.Second

// StartProgram starts a client's program, with a producer of these settings.
func StartProgram(b *testing.B, program clients.Program, config map[string]string) *Loop {
	b.Helper()
	starter := child.NewStarter()
	b.Cleanup(starter.Close)
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	started, err := clients.New(ctx, starter, program)
	if err != nil {
		b.Fatal(err)
	}
	running, err := started.Start(ctx)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(running.Close)
	p, err := running.NewProducer(drivers.Settings{Config: config})
	if err != nil {
		b.Fatal(err)
	}
	return &Loop{play: inBulk(p.(drivers.BulkProducer)), process: running.Process()}
}

func inBulk(p drivers.BulkProducer) func(count int) (played, error) {
	return func(count int) (played, error) {
		var failed int64
		bulk := drivers.Bulk{Topic: Topic, Partition: drivers.AnyPartition, Count: int64(count), ValueBytes: ValueBytes}
		made, err := p.ProduceMany(context.Background(), bulk, func(r drivers.Reported) {
			if r.Outcome != drivers.Acked {
				failed += r.Count
			}
		})
		if err == nil && failed > 0 {
			err = fmt.Errorf("%d records failed", failed)
		}
		done := played{took: made.Elapsed}
		if made.Allocated != nil {
			done.objects = made.Allocated.Objects
		}
		return done, err
	}
}

// StartDirect starts a program that reads numbers of records, and answers each with a line:
// how many failed and, if it can tell, how many objects were allocated. It ends with its
// stdin, or is killed after that.
func StartDirect(b *testing.B, command []string, env ...string) *Loop {
	b.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	var said bytes.Buffer
	cmd.Stderr, cmd.Env = &said, append(os.Environ(), env...)
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		b.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		if err := cmd.Wait(); err != nil {
			b.Errorf("the direct loop: %v\n%s", err, said.String())
		}
	})
	answers := bufio.NewReader(stdout)
	return &Loop{process: cmd.Process.Pid, play: func(count int) (played, error) {
		began := time.Now()
		if _, err := fmt.Fprintln(stdin, count); err != nil {
			return played{}, err
		}
		answer, err := answers.ReadString('\n')
		done := played{took: time.Since(began)}
		var failed int
		if _, bad := fmt.Sscan(answer, &failed); err == nil && (bad != nil || failed > 0) {
			err = fmt.Errorf("the direct loop: expected that no record failed, got %q", answer)
		}
		_, _ = fmt.Sscan(answer, &failed, &done.objects)
		return done, err
	}}
}

// InTurns plays b.N rounds of each, of so many records, after two that are not counted. Each
// is first every other time. It reports
//
//	of-direct              the program's throughput as a part of the direct loop's: the median of rounds
//	of-direct-cpu          the same of records for a second of processor time of the process, kernel included
//	records/s              of the program, in its median round
//	cpu-ns/record          its processor time
//	objects/record         that Go's runtime allocated, and direct-objects/record; where the programs say it
func InTurns(b *testing.B, records int, direct, program *Loop) {
	loops := [2]*Loop{direct, program}
	for range 2 { // connected, and buffers have grown
		direct.round(b, records)
		program.round(b, records)
	}
	direct.rounds, program.rounds = nil, nil
	b.ResetTimer()
	for n := range b.N {
		loops[n%2].round(b, records)
		loops[1-n%2].round(b, records)
	}
	b.StopTimer()
	report(b, float64(records), direct, program)
}

func report(b *testing.B, records float64, direct, program *Loop) {
	took := func(r round) float64 { return r.took }
	cpu := func(r round) float64 { return r.cpu }
	objects := func(r round) float64 { return r.objects }
	b.ReportMetric(direct.over(program, took), "of-direct")
	b.ReportMetric(direct.over(program, cpu), "of-direct-cpu")
	b.ReportMetric(records/program.median(took), "records/s")
	b.ReportMetric(1e9*program.median(cpu)/records, "cpu-ns/record")
	if direct.median(objects) > 0 {
		b.ReportMetric(program.median(objects)/records, "objects/record")
		b.ReportMetric(direct.median(objects)/records, "direct-objects/record")
	}
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
