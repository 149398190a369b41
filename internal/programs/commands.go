package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"kcompare/clients/install"
	"kcompare/internal/child"
	"kcompare/internal/workbook"
)

// commands is how each program is started. What has to be compiled is compiled before any
// of them starts: all programs of a client at once.
func (p Player) commands(ctx context.Context, starter *child.Starter, work string, programs []workbook.Program) ([][]string, error) {
	commands := make([][]string, len(programs))
	done := map[string]bool{}
	for _, program := range programs {
		client := program.Client
		if done[client] {
			continue
		}
		done[client] = true
		var files []string
		for _, other := range programs {
			if other.Client == client {
				files = append(files, p.file(other))
			}
		}
		dir := filepath.Join(work, strconv.Itoa(len(done)))
		made, err := p.start(ctx, starter, client, dir, files)
		if err != nil {
			return nil, fmt.Errorf("programs of client %s: %w", client, err)
		}
		for i, other := range programs {
			if other.Client == client {
				commands[i], made = made[0], made[1:]
			}
		}
	}
	return commands, nil
}

// goClients are written for the Go drivers, whose libraries are modules of the course's.
var goClients = []string{"franz", "librdkafka", "sarama"}

func (p Player) start(ctx context.Context, starter *child.Starter, client, dir string, files []string) ([][]string, error) {
	if slices.Contains(goClients, client) {
		return p.build(ctx, starter, dir, files)
	}
	named, err := install.Parse(client)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return nil, err
	}
	return p.Cache.Starts(ctx, named, dir, files)
}

// build is `go build` for the packages in folders, in the module that they are part of. A
// folder whose name comes twice has to be built by itself, for its name is the program's.
func (p Player) build(ctx context.Context, starter *child.Starter, dir string, folders []string) ([][]string, error) {
	var commands [][]string
	for i, group := range uniqueNames(folders) {
		into := filepath.Join(dir, strconv.Itoa(i)) + string(filepath.Separator)
		// Without symbols: nobody debugs them, and linking takes most of the time.
		build := append([]string{"go", "build", "-ldflags=-s -w", "-o", into}, group...)
		_, err := run(ctx, starter, build, p.Cache.Env, p.Root)
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("go was not found in PATH: programs in Go are built with it")
		}
		if err != nil {
			return nil, fmt.Errorf("go build: %w", err)
		}
		for _, folder := range group {
			commands = append(commands, []string{into + filepath.Base(folder) + suffix()})
		}
	}
	return commands, nil
}

// uniqueNames cuts a list into runs in which no base name comes twice.
func uniqueNames(folders []string) [][]string {
	var groups [][]string
	names := map[string]bool{}
	for _, folder := range folders {
		name := filepath.Base(folder)
		if len(groups) == 0 || names[name] {
			groups, names = append(groups, nil), map[string]bool{}
		}
		names[name] = true
		last := len(groups) - 1
		groups[last] = append(groups[last], folder)
	}
	return groups
}

func suffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
