// Package programs plays the programs of a course: each with the library that it is
// written for, against an embedded broker of its own, and keeps what it printed.
package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kcompare/clients/install"
	"kcompare/internal/child"
	"kcompare/internal/workbook"
)

// Player plays programs.
type Player struct {
	Cache install.Cache // has the clients of other languages, and the environment of the tools
	Root  string        // the course's folder
	Limit time.Duration // for one program, from its start to its end; more than two minutes are of no use to a page
	Side  int           // so many side by side
}

// Play plays programs, all of them even where one fails. printed is called with what each
// printed, line by line, in the order in which they end, never concurrently. The error says
// of each program that failed how it ended, with the last lines that it printed.
func (p Player) Play(ctx context.Context, programs []workbook.Program, printed func(workbook.Program, []string) error) error {
	work, err := os.MkdirTemp("", "kcompare-programs-*")
	if err != nil {
		return fmt.Errorf("play programs: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	starter := child.NewStarter()
	defer starter.Close()
	commands, err := p.commands(ctx, starter, work, programs)
	if err != nil {
		return err
	}

	var mu sync.Mutex
	var all sync.WaitGroup
	errs, places := make([]error, len(programs)), make(chan struct{}, max(1, p.Side))
	for i, program := range programs {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			lines, err := p.play(ctx, starter, program, commands[i])
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				err = printed(program, lines)
			}
			if err != nil {
				errs[i] = fmt.Errorf("program %s: %w", program.Name, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// play is one program, with a broker and a home of its own.
func (p Player) play(ctx context.Context, starter *child.Starter, program workbook.Program, command []string) ([]string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.Limit, fmt.Errorf("it did not end within %v", p.Limit))
	defer cancel()
	servers, stop, err := serve(ctx, program.Topics)
	if err != nil {
		return nil, err
	}
	defer stop()
	home, err := os.MkdirTemp("", "kcompare-home-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(home) }()
	return run(ctx, starter, append(command, servers), environment(p.Cache.Env, home, servers), home)
}

// passed are the variables of the user's that a program gets: those without which it would
// not start. The others are nobody's business, and could change what is printed.
var passed = []string{"PATH", "JAVA_HOME", "LD_LIBRARY_PATH", "TMPDIR", "SystemRoot", "TEMP", "TMP"}

// environment is the same on every machine, as far as output depends on it.
func environment(of []string, home, servers string) []string {
	all := []string{
		"HOME=" + home, "USERPROFILE=" + home, "BOOTSTRAP_SERVERS=" + servers,
		"TZ=UTC", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "NO_COLOR=1", "TERM=dumb", "COLUMNS=80",
		"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1",
	}
	for _, kv := range of {
		name, _, _ := strings.Cut(kv, "=")
		for _, keep := range passed {
			if name == keep {
				all = append(all, kv)
			}
		}
	}
	return all
}

// file is the path of a program's file or folder on this machine.
func (p Player) file(program workbook.Program) string {
	return filepath.Join(p.Root, filepath.FromSlash(program.File))
}
