// Package child starts processes that do not outlive this one.
package child

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
)

// Starter starts child processes. All are started from one OS thread, because Linux
// sends a child its parent-death signal when the thread that started it ends. A
// goroutine's usual threads come and go. Methods may be called concurrently.
type Starter struct {
	starts chan func()
	stop   chan struct{} // closed by Close
	done   chan struct{} // closed when nothing can be started any more

	mu      sync.Mutex
	running map[*Process]bool
}

// NewStarter starts the thread; Close ends it.
func NewStarter() *Starter {
	s := &Starter{
		starts: make(chan func()), stop: make(chan struct{}), done: make(chan struct{}),
		running: map[*Process]bool{},
	}
	go s.serve()
	return s
}

func (s *Starter) serve() {
	defer close(s.done)
	runtime.LockOSThread() // and never unlock: the thread ends with this goroutine
	for {
		select {
		case start := <-s.starts:
			start()
		case <-s.stop:
			return
		}
	}
}

// Close kills every child that still runs and waits until it is gone. It is called
// once.
func (s *Starter) Close() {
	close(s.stop)
	<-s.done
	for _, p := range s.left() {
		p.Kill()
		<-p.Done()
	}
}

func (s *Starter) left() []*Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.running))
}

// Process is a child and the goroutine that waits for its end.
type Process struct {
	Cmd *exec.Cmd

	done chan struct{}
	err  error
}

var errClosed = errors.New("no process is started any more: their starter was closed")

// Start starts a child, in a process group of its own where that is what keeps a
// Ctrl-C in the terminal from it. The caller sees to it that Done is waited for.
func (s *Starter) Start(cmd *exec.Cmd) (*Process, error) {
	cmd.SysProcAttr = endWithParent()
	p := &Process{Cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	start := func() {
		err := cmd.Start()
		if err == nil {
			s.note(p, true)
		}
		started <- err
	}
	select {
	case s.starts <- start:
	case <-s.stop:
		return nil, errClosed
	}
	if err := <-started; err != nil {
		return nil, err
	}
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
		s.note(p, false)
	}()
	return p, nil
}

func (s *Starter) note(p *Process, runs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if runs {
		s.running[p] = true
	} else {
		delete(s.running, p)
	}
}

// Kill ends the child at once; Done is closed when it is gone.
func (p *Process) Kill() { _ = p.Cmd.Process.Kill() } // fails only if there is nothing to kill

// Interrupt asks the child to end, as Ctrl-C in a terminal does: on Linux whatever it
// has started as well. It asks nobody who is gone.
func (p *Process) Interrupt() { signalGroup(p.Cmd.Process, os.Interrupt) }

// KillGroup is Kill for the child and, on Linux, whatever it has started and left in its
// process group. It may be called right after Done as well, for what it left behind.
func (p *Process) KillGroup() { signalGroup(p.Cmd.Process, os.Kill) }

// Done is closed when the child is gone and all that it printed was taken.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is what exec.Cmd.Wait said. Call it after Done.
func (p *Process) Err() error { return p.err }

// CanTerminate says whether this system can ask a process to end, as SIGTERM does.
func CanTerminate() bool { return runtime.GOOS != "windows" }
