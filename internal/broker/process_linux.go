package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// startTime is field 22 of /proc/PID/stat, ticks since the machine started
// (proc_pid_stat(5)).
func startTime(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNoProcess
	}
	if err != nil {
		return "", fmt.Errorf("start time of process %d: %w", pid, err)
	}
	// Field 2 is the program's name in brackets, and may hold spaces and brackets.
	rest := string(stat)[strings.LastIndexByte(string(stat), ')')+1:]
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return "", fmt.Errorf("start time of process %d: expected 52 fields in /proc/%d/stat, got %q", pid, pid, stat)
	}
	if state := fields[0]; state == "Z" || state == "X" {
		return "", errNoProcess
	}
	return fields[19], nil
}
