package broker

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// children starts the processes that serve one private directory, and writes
// them down there for whoever finds the directory without its owner.
//
// All are started from one OS thread, because Linux sends a child its
// parent-death signal when the thread that started it ends. A goroutine's usual
// threads come and go.
type children struct {
	dir    string
	starts chan func()
	done   chan struct{}
}

// newChildren starts the thread; close ends it.
func newChildren(dir string) *children {
	c := &children{dir: dir, starts: make(chan func()), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		runtime.LockOSThread() // and never unlock: the thread ends with this goroutine
		for start := range c.starts {
			start()
		}
	}()
	return c
}

// close ends the thread, on Linux also any child that still runs.
func (c *children) close() {
	close(c.starts)
	<-c.done
}

// process is a child and the goroutine that waits for its end.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the process is gone
	err  error         // of Wait; only after done
}

// start starts a child. Whoever calls it waits for done.
func (c *children) start(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = endWithParent()
	started := make(chan error)
	c.starts <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
	}()
	if err := c.record(cmd.Process.Pid); err != nil {
		p.kill()
		<-p.done
		return nil, fmt.Errorf("write down process %d: %w", cmd.Process.Pid, err)
	}
	return p, nil
}

func (p *process) kill() { _ = p.cmd.Process.Kill() } // fails only if there is nothing to kill

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
	case <-p.done:
		return out.String(), p.err
	case <-ctx.Done():
		p.kill()
		<-p.done
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
