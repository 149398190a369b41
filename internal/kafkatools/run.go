package kafkatools

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"kcompare/internal/bench"
	"kcompare/internal/child"
)

const (
	// turnTime bounds a turn, beside the time that its rate takes.
	turnTime = 10 * time.Minute

	// mostLine is longer than any line that a tool prints.
	mostLine = 64 << 10

	// lingering bounds the wait for output of what the tool has started itself.
	lingering = 2 * time.Second
)

// fixed are flags that the reading needs: numbers and times as they are written in English,
// whatever the machine speaks (the tools print by Java's default locale), and of the
// library's log only what explains a failure, on stderr.
func fixed() []string {
	return []string{"-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"}
}

func (p *player) play(ctx context.Context, t bench.Turn) (bench.Played, error) {
	arguments, err := p.tool.arguments(p.dir, p.stage, t)
	if err != nil {
		return bench.Played{}, err
	}
	command := slices.Concat(p.flags, fixed(), []string{"-cp", p.tools.ClassPath, p.tool.class()}, arguments)
	out := &heard{output: p.tool.output(t)}
	process, err := p.run(ctx, exec.Command(p.tools.Java, command...), out, bound(t))
	if err != nil {
		return bench.Played{}, err
	}
	played, err := out.played()
	if err != nil {
		return bench.Played{}, withTail(err, &out.stderr)
	}
	state := process.Cmd.ProcessState
	played.CPU = state.UserTime() + state.SystemTime()
	played.PeakMemory = peakMemory(state)
	return played, nil
}

// bound is how long a turn may take.
func bound(t bench.Turn) time.Duration {
	if t.Load.Rate <= 0 {
		return turnTime
	}
	return turnTime + time.Duration(float64(t.Load.Records)/t.Load.Rate*float64(time.Second))
}

// run runs the tool to its end, or until ctx ends or it prints what is not known.
func (p *player) run(ctx context.Context, cmd *exec.Cmd, out *heard, most time.Duration) (*child.Process, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("not done within %v", most))
	defer cancel()
	ctx, wrong := context.WithCancelCause(ctx)
	defer wrong(nil)
	out.wrong = wrong
	lines := &child.Lines{Hear: out.hear, Most: mostLine, Long: out.long}
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, p.env, lingering
	cmd.Stdout, cmd.Stderr = lines, &out.stderr
	process, err := p.starter.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		process.Kill()
		<-process.Done()
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, withTail(cause, &out.stderr)
	}
	if process.Err() != nil {
		return nil, withTail(process.Err(), &out.stderr)
	}
	return process, nil
}

// heard passes on lines until the first that is not known.
type heard struct {
	output
	stderr child.Tail
	wrong  context.CancelCauseFunc
	failed bool
}

func (h *heard) hear(line []byte) {
	if h.failed {
		return
	}
	if err := h.line(strings.TrimSuffix(string(line), "\r")); err != nil {
		h.failed = true
		h.wrong(err)
	}
}

func (h *heard) long() {
	h.wrong(errors.New("printed a line without an end"))
}

// withTail adds what the tool complained of last.
func withTail(err error, tail *child.Tail) error {
	said := strings.TrimSpace(tail.String())
	if said == "" {
		return err
	}
	return fmt.Errorf("%w; its stderr ends in: %s", err, said)
}
