package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// startTime is field 22 of /proc/PID/stat, ticks since the machine started
// (proc_pid_stat(5)).
func startTime(pid int) (string, error) {
	fields, err := statFields(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNoProcess
	}
	if err != nil {
		return "", fmt.Errorf("start time of process %d: %w", pid, err)
	}
	if state := fields[0]; state == "Z" || state == "X" {
		return "", errNoProcess
	}
	return fields[19], nil
}

// standsStill says whether every thread of a process is stopped. The state of the
// process itself is that of its first thread only.
func standsStill(pid int) (bool, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil {
		return false, err
	}
	for _, thread := range threads {
		fields, err := statFields(thread)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has ended
		}
		if err != nil || fields[0] != "T" {
			return false, err
		}
	}
	return len(threads) > 0, nil
}

// statFields is what follows the name in a stat file, the state first. The name is
// in brackets, and may hold spaces and brackets.
func statFields(file string) ([]string, error) {
	stat, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(stat)[strings.LastIndexByte(string(stat), ')')+1:])
	if len(fields) < 20 {
		return nil, fmt.Errorf("expected 52 fields in %s, got %q", file, stat)
	}
	return fields, nil
}
