package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds the wait for a service: a real Kafka takes seconds to start.
const patience = 2 * time.Minute

// services are the programs that a script has started and not stopped yet, by name.
type services map[string]*service

// service is a program that prints its address and runs until it is told to end.
type service struct {
	cmd    *exec.Cmd
	output sync.WaitGroup // who copies stdout
	done   chan struct{}  // closed when the program has ended
}

// servicesKey finds a script's services in its environment.
type servicesKey struct{}

// serve starts a program and waits until it has printed its first line, which the
// variable of that name then has: serve broker kcompare broker --listen=127.0.0.1:0.
// NAME.out and NAME.err have what it prints.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serve NAME COMMAND...")
	}
	name := args[0]
	s, first, err := startService(ts, name, args[1:])
	ts.Check(err)
	ts.Defer(s.kill)
	ts.Value(servicesKey{}).(services)[name] = s
	select {
	case line, printed := <-first:
		if !printed {
			<-s.done
			ts.Fatalf("%s ended before it printed an address:\n%s", name, ts.ReadFile(name+".err"))
		}
		ts.Setenv(name, line)
	case <-time.After(patience):
		ts.Fatalf("%s printed no address within %v:\n%s", name, patience, ts.ReadFile(name+".err"))
	}
}

func startService(ts *testscript.TestScript, name string, command []string) (*service, <-chan string, error) {
	stderr, err := os.Create(ts.MkAbs(name + ".err"))
	if err != nil {
		return nil, nil, err
	}
	defer stderr.Close() // the program has its own
	stdout, err := os.Create(ts.MkAbs(name + ".out"))
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(program(ts, command[0]), command[1:]...)
	cmd.Dir, cmd.Stderr, cmd.Env = ts.MkAbs("."), stderr, environment(ts)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	s := &service{cmd: cmd, done: make(chan struct{})}
	first := make(chan string, 1)
	s.output.Go(func() { keep(pipe, stdout, first) })
	go func() {
		defer close(s.done)
		s.output.Wait()
		_ = cmd.Wait() // the exit code is in ProcessState
	}()
	return s, first, nil
}

// keep copies what a program prints, and tells the first line as soon as it is there.
func keep(from io.Reader, to *os.File, first chan<- string) {
	defer to.Close()
	defer close(first)
	lines := bufio.NewReader(from)
	for n := 0; ; n++ {
		line, err := lines.ReadString('\n')
		fmt.Fprint(to, line)
		if err != nil {
			return
		}
		if n == 0 {
			first <- strings.TrimSuffix(line, "\n")
		}
	}
}

// program finds a command where the script would.
func program(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return name
}

// environment is what the programs of a script see.
func environment(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "NO_COLOR"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// stopService sends a signal and demands an exit code: stop-service INT 0 broker. A program
// that a signal has killed has code -1.
func stopService(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: stop-service INT|KILL CODE NAME")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	running := ts.Value(servicesKey{}).(services)
	s := running[args[2]]
	if s == nil {
		ts.Fatalf("%s does not run", args[2])
	}
	delete(running, args[2])
	signal := map[string]os.Signal{"INT": os.Interrupt, "KILL": syscall.SIGKILL}[args[0]]
	if signal == nil {
		ts.Fatalf("signal %s: expected INT or KILL", args[0])
	}
	if err := s.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		ts.Fatalf("%v", err)
	}
	select {
	case <-s.done:
	case <-time.After(patience):
		ts.Fatalf("%s did not end within %v", args[2], patience)
	}
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("%s ended with exit code %d, expected %d:\n%s", args[2], got, want, ts.ReadFile(args[2]+".err"))
	}
}

// await waits until a file that a service writes has a line like this: await PATTERN
// FILE. What a proxy has passed on, it writes down a moment later.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await PATTERN FILE")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	deadline := time.After(patience)
	for !pattern.MatchString(ts.ReadFile(args[1])) {
		select {
		case <-deadline:
			ts.Fatalf("%s has no line like %s after %v:\n%s", args[1], args[0], patience, ts.ReadFile(args[1]))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// kill ends a service that its script has forgotten.
func (s *service) kill() {
	_ = s.cmd.Process.Kill() // it may be gone
	<-s.done
}
