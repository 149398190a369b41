package broker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A private directory carries its owner in its name, PREFIX PID-START-RANDOM, so
// that there is no moment at which it has none. The children of the owner are
// listed in a file in it.

// kafkaDirs is how the directories of clusters begin.
const kafkaDirs = "kcompare-kafka-"

// dyingTime bounds how long a killed process may take to be gone.
const dyingTime = 10 * time.Second

// claimDir makes a directory in parent that belongs to this process.
func claimDir(parent, prefix string) (string, error) {
	owner, err := identify(os.Getpid())
	if err != nil {
		return "", fmt.Errorf("make a private directory: %w", err)
	}
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s%v-*", prefix, owner))
	if err != nil {
		return "", fmt.Errorf("make a private directory: %w", err)
	}
	return dir, nil
}

// CleanKafka removes what clusters of StartKafka left in dir ("" is the system's
// directory for temporary files) when their process ended without Close, and
// kills their servers where the system did not. It never touches a cluster whose
// process runs, nor a process that merely has an old pid. StartKafka calls it.
func CleanKafka(ctx context.Context, dir string) error {
	if dir == "" {
		dir = os.TempDir()
	}
	return cleanDirs(ctx, dir, kafkaDirs)
}

func cleanDirs(ctx context.Context, parent, prefix string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return fmt.Errorf("clean up after earlier runs: %w", err)
	}
	var errs []error
	for _, e := range entries {
		owner, ok := ownerOf(e.Name(), prefix)
		if !ok || owner.runs() {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if err := abandon(ctx, dir); err != nil && !errors.Is(err, fs.ErrPermission) { // another user's
			errs = append(errs, fmt.Errorf("clean up %s: %w", dir, err))
		}
	}
	return joined(errs)
}

// ownerOf reads the name of a private directory.
func ownerOf(name, prefix string) (processID, bool) {
	rest, ours := strings.CutPrefix(name, prefix)
	end := strings.LastIndexByte(rest, '-')
	if !ours || end < 0 {
		return processID{}, false
	}
	return parseProcessID(rest[:end])
}

// abandon kills the children listed in a directory and removes it.
func abandon(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, dyingTime)
	defer cancel()
	list, err := os.ReadFile(filepath.Join(dir, recordName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(list)) {
		child, ok := parseProcessID(strings.TrimSpace(line))
		if !ok {
			continue // its owner was killed while it wrote
		}
		if err := child.kill(ctx); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}
