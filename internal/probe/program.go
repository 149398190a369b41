package probe

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"kcompare/internal/child"
)

// Ended says how the program came to its end.
type Ended struct {
	How  How
	Code int // exit code; -1 where a signal ended it
}

// How a program came to its end.
type How string

// The ways: by itself, or because the time was up or the user interrupted.
const (
	Exited      How = "exited"
	TimedOut    How = "timed-out"
	Interrupted How = "interrupted"
)

const (
	// patience is how long a program has to end by itself after it was asked to. The end
	// of a Ctrl-C is 2 s away in all.
	patience = time.Second

	// draining bounds the wait for what a program leaves behind when it has ended, and
	// that still holds its output open.
	draining = 500 * time.Millisecond
)

// runProgram starts the program and waits for its end. Nothing of it is left when it
// returns, where the system knows process groups.
func (s *session) runProgram(ctx context.Context, address string) (Ended, error) {
	starter := child.NewStarter()
	defer starter.Close()
	cmd := s.command(address)
	p, err := starter.Start(cmd)
	if err != nil {
		return Ended{}, fmt.Errorf("start the command: %w", err)
	}
	timer := time.NewTimer(s.Timeout)
	defer timer.Stop()
	how := Exited
	select {
	case <-p.Done():
	case <-timer.C:
		how = TimedOut
	case <-ctx.Done():
		how = Interrupted
	}
	if how != Exited {
		askToEnd(p)
	}
	p.KillGroup()
	<-p.Done()
	return Ended{how, cmd.ProcessState.ExitCode()}, nil
}

// askToEnd lets a program write out and close what it has, for a while.
func askToEnd(p *child.Process) {
	p.Interrupt()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.Done():
	case <-timer.C:
	}
}

// command has no stdin: in a process group of its own it may not read a terminal.
func (s *session) command(address string) *exec.Cmd {
	var args []string
	for _, arg := range s.Command {
		args = append(args, strings.ReplaceAll(arg, "{}", address))
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = slices.Concat(s.Env, []string{"BOOTSTRAP_SERVERS=" + address, "KAFKA_BOOTSTRAP_SERVERS=" + address})
	output := io.Writer(plain{s.Output})
	cmd.Stdout, cmd.Stderr = output, output // the same writer: exec sees to it that one writes at a time
	cmd.WaitDelay = draining
	return cmd
}

// plain hides what else a writer is. A program that gets an *os.File itself could go on
// writing when it is gone for us.
type plain struct{ io.Writer }
