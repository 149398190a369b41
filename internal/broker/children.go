package broker

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"kcompare/internal/child"
)

// children starts the processes that serve one private directory, and writes
// them down there for whoever finds the directory without its owner.
type children struct {
	dir     string
	starter *child.Starter
}

func newChildren(dir string) *children { return &children{dir: dir, starter: child.NewStarter()} }

// close ends any child that still runs.
func (c *children) close() { c.starter.Close() }

// process is a child that is written down.
type process struct{ *child.Process }

// start starts a child. Whoever calls it waits for its Done.
func (c *children) start(cmd *exec.Cmd) (*process, error) {
	started, err := c.starter.Start(cmd)
	if err != nil {
		return nil, err
	}
	if err := c.record(cmd.Process.Pid); err != nil {
		started.Kill()
		<-started.Done()
		return nil, fmt.Errorf("write down process %d: %w", cmd.Process.Pid, err)
	}
	return &process{started}, nil
}

// run runs a child to its end, or until ctx ends, and returns what it printed.
func (c *children) run(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // for the output of a grandchild, once the child is gone
	p, err := c.start(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-p.Done():
		return out.String(), p.Err()
	case <-ctx.Done():
		p.Kill()
		<-p.Done()
		return out.String(), context.Cause(ctx)
	}
}

// recordName is the file in a private directory that lists children.
const recordName = "children"

// record adds a child to the list. One that is gone already needs no line.
func (c *children) record(pid int) error {
	id, err := identify(pid)
	if err != nil {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(c.dir, recordName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, id)
	return joined([]error{err, f.Close()})
}
