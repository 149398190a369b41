package trial

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"

	"kcompare/internal/child"
	"kcompare/internal/scenario"
)

// Contestants says how a client is started as a process of its own: by a program that
// calls scenario.Contest. Starter outlives the trial.
type Contestants struct {
	Starter *child.Starter
	Path    string
	Args    []string
}

// processless says why a variant's clients cannot be processes here; empty if they can,
// or need not be.
func (s Spec) processless() string {
	switch v := s.Variant; {
	case v.Processes && s.Contestants == nil:
		return "its clients run as processes of their own, and nobody said how they are started"
	case v.Terminates && !child.CanTerminate():
		return "it sends SIGTERM, which this system does not have"
	}
	return ""
}

// spawn is scenario.Spawn.
func (c *Contestants) spawn(ctx context.Context, line []byte, hear func([]byte)) (scenario.Process, error) {
	p := &contestant{}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Stdout, cmd.Stderr = &child.Lines{Hear: hear}, &p.complaint
	stdin, err := cmd.StdinPipe() // stays open until the process is gone
	if err != nil {
		return nil, err
	}
	if p.Process, err = c.Starter.Start(cmd); err != nil {
		return nil, err
	}
	if _, err := stdin.Write(line); err != nil {
		p.Process.Kill()
		<-p.Done()
		return nil, fmt.Errorf("tell it what to do: %w: %s", err, p.Complaint())
	}
	return p, nil
}

// contestant is scenario.Process.
type contestant struct {
	*child.Process
	complaint child.Tail
}

func (p *contestant) Terminate() error { return p.Cmd.Process.Signal(syscall.SIGTERM) }

func (p *contestant) Kill() error { return p.Cmd.Process.Kill() }

func (p *contestant) End() string { return p.Cmd.ProcessState.String() }

func (p *contestant) Complaint() string { return p.complaint.String() }
