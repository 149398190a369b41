package programs

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"kcompare/internal/child"
)

// mostLines is far more than a page shows.
const mostLines = 2000

// run is the process of a program: its lines on stdout if it ends with exit code 0,
// otherwise an error with the last that it printed: stdout, then stderr. In which order
// the two were written to cannot be known.
func run(ctx context.Context, starter *child.Starter, command, env []string, dir string) ([]string, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env, cmd.Dir = env, dir
	var lines []string
	var last, stderr child.Tail
	cmd.Stdout = &child.Lines{Hear: func(line []byte) {
		if len(lines) < mostLines {
			lines = append(lines, string(line))
		}
		fmt.Fprintf(&last, "%s\n", line)
	}}
	cmd.Stderr = &stderr
	process, err := starter.Start(cmd)
	if err != nil {
		return nil, err
	}
	select {
	case <-process.Done():
		err = process.Err()
	case <-ctx.Done():
		process.KillGroup()
		<-process.Done()
		err = context.Cause(ctx)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w%s", err, indented(last.String()+stderr.String()))
	case len(lines) >= mostLines:
		return nil, fmt.Errorf("it printed %d lines or more: expected fewer", mostLines)
	}
	return lines, nil
}

// shownLines is how much of what a program printed stands in an error.
const shownLines = 12

func indented(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return "\n    " + strings.Join(lines[max(0, len(lines)-shownLines):], "\n    ")
}
