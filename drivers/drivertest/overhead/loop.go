//go:build linux

package overhead

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/internal/child"
)

// Loop is one of the two, a process.
type Loop struct {
	play    func(count int) (played, error)
	stop    func()
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
	starter := child.NewStarter() // which ends what it started
	l := &Loop{stop: starter.Close}
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	started, err := clients.New(ctx, starter, program)
	if err != nil {
		l.fail(b, err)
	}
	running, err := started.Start(ctx)
	if err != nil {
		l.fail(b, err)
	}
	l.stop = func() { running.Close(); starter.Close() }
	p, err := running.NewProducer(drivers.Settings{Config: config})
	if err != nil {
		l.fail(b, err)
	}
	l.play, l.process = inBulk(p.(drivers.BulkProducer)), running.Process()
	return l
}

// fail ends a benchmark to which the loop cannot be given.
func (l *Loop) fail(b *testing.B, err error) {
	b.Helper()
	l.stop()
	b.Fatal(err)
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
	stop := func() {
		_ = stdin.Close()
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		if err := cmd.Wait(); err != nil {
			b.Errorf("the direct loop: %v\n%s", err, said.String())
		}
	}
	answers := bufio.NewReader(stdout)
	return &Loop{stop: stop, process: cmd.Process.Pid, play: func(count int) (played, error) {
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
