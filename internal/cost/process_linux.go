package cost

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpu reads the clock of the process. Its id is made as clock_getcpuclockid(3) of the C
// library makes it: the complement of the pid, and 2 for the scheduler's own count
// (include/linux/posix-timers.h), which is exact where /proc counts ticks of 10 ms.
func cpu(pid int) (time.Duration, error) {
	const scheduled = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|scheduled, &t); err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// peakMemory is VmHWM of proc_pid_status(5).
func peakMemory(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("peak memory of process %d: %w", pid, err)
	}
	kilobytes, err := kilobytesOf(status, "VmHWM:")
	if err != nil {
		return 0, fmt.Errorf("peak memory of process %d: %w", pid, err)
	}
	return kilobytes << 10, nil
}

// forgetPeak: 5 is what proc_pid_clear_refs(5) has for that.
func forgetPeak(pid int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		return fmt.Errorf("forget the peak memory of process %d: %w", pid, err)
	}
	return nil
}

// kilobytesOf finds "NAME   123 kB" among lines.
func kilobytesOf(lines []byte, name string) (int64, error) {
	for line := range bytes.Lines(lines) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == name && string(fields[2]) == "kB" {
			return strconv.ParseInt(string(fields[1]), 10, 64)
		}
	}
	return 0, fmt.Errorf("expected a line %q, there is none", name) // of a process that has ended, too
}
