package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// processID names a process for good. The system hands a pid out again, but not
// with the same start time.
type processID struct {
	pid   int
	start string // digits, in the system's own unit
}

// errNoProcess is what startTime returns for a pid that nobody has, and for a
// process that has ended and waits to be collected.
var errNoProcess = errors.New("no such process")

// identify names the process that has a pid now.
func identify(pid int) (processID, error) {
	start, err := startTime(pid)
	return processID{pid, start}, err
}

// String is the form that parseProcessID reads.
func (p processID) String() string { return fmt.Sprintf("%d-%s", p.pid, p.start) }

func parseProcessID(s string) (processID, bool) {
	pid, start, _ := strings.Cut(s, "-")
	n, err := strconv.Atoi(pid)
	return processID{n, start}, err == nil && n > 0 && start != ""
}

// runs says whether exactly this process is there. It says yes where it cannot
// know.
func (p processID) runs() bool {
	start, err := startTime(p.pid)
	if err != nil {
		return !errors.Is(err, errNoProcess)
	}
	return start == p.start
}

// kill ends exactly this process and waits until it is gone. The handle is taken
// before the look at the start time: on Linux it stays with the process that had
// the pid at that moment, so that no successor is hit.
func (p processID) kill(ctx context.Context) error {
	handle, err := os.FindProcess(p.pid)
	if err != nil || !p.runs() {
		return nil
	}
	defer func() { _ = handle.Release() }()
	if err := handle.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill process %d: %w", p.pid, err)
	}
	for p.runs() {
		if err := again(ctx, fmt.Errorf("process %d is still there after SIGKILL", p.pid)); err != nil {
			return err
		}
	}
	return nil
}
