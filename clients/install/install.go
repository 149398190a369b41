package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kcompare/internal/child"
)

// Lacking is an error that says what this machine lacks for a client, and what to do;
// nil if it can be installed. It asks the tools, which takes a moment.
func (c Cache) Lacking(ctx context.Context, n Named) error {
	starter := child.NewStarter()
	defer starter.Close()
	return n.environment.lacking(ctx, machine{c.Env, starter}, n)
}

// Install makes a client ready to start. One that is ready stays as it is. say gets a
// line for each step, from this goroutine. When ctx ends the tools are killed, and
// nothing is left that counts as ready. The error of a tool has the last lines that it
// printed.
func (c Cache) Install(ctx context.Context, n Named, say func(line string)) error {
	if c.Dir == "" {
		return errNoCache
	}
	if err := os.MkdirAll(c.folder(), 0o755); err != nil {
		return fmt.Errorf("make the folder of clients: %w", err)
	}
	unlock, err := lock(ctx, c.folderOf(n)+lockSuffix, say)
	if err != nil {
		return err
	}
	defer unlock()
	if c.check(n) == nil {
		return nil
	}
	c.sweep()
	starter := child.NewStarter()
	defer starter.Close()
	j := job{Named: n, cache: c, machine: machine{c.Env, starter}, dir: c.folderOf(n), say: say}
	if err := clear(j.dir); err != nil {
		return err
	}
	err = j.build(ctx)
	if err != nil {
		err = errors.Join(err, clear(j.dir))
	}
	return err
}

func (j job) build(ctx context.Context) error {
	if err := os.MkdirAll(j.dir, 0o755); err != nil {
		return err
	}
	packages, err := j.environment.build(ctx, j)
	if err != nil {
		return err
	}
	return j.cache.mark(j.Named, packages)
}

// clear removes a client's folder. It is not ready from the first moment on.
func clear(dir string) error {
	if err := os.Remove(filepath.Join(dir, markerName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(dir)
}

// sweep removes what interrupted installs left: folders that are not whole, and that
// nobody is at work in. What it cannot remove is in nobody's way.
func (c Cache) sweep() {
	locks, _ := filepath.Glob(filepath.Join(c.folder(), "*"+lockSuffix))
	for _, path := range locks {
		dir := strings.TrimSuffix(path, lockSuffix)
		if _, err := os.Stat(filepath.Join(dir, markerName)); err == nil {
			continue
		}
		if unlock, ok, _ := tryLock(path); ok {
			_ = os.RemoveAll(dir)
			unlock()
		}
	}
}
