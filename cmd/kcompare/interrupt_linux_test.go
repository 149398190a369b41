package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedContestants: Ctrl-C while clients run as processes of their own, in the
// story whose members stay longest. None of them is left.
func TestInterruptedContestants(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.Command(self, "run", "graceful-shutdown", "--variant=member=none,signal=term", "--client=franz")
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asMain+"=1"), &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var children []string
	within(t, "two members run", func() bool {
		children = childrenOf(t, cmd.Process.Pid)
		return len(children) == 2
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, expected exit code 130\n%s", err, &said)
	}
	within(t, "no member runs", func() bool {
		for _, pid := range children {
			if state, _ := stateOf(pid); state != "" && state != "Z" {
				return false
			}
		}
		return true
	})
}

// TestInterruptedProbe: Ctrl-C while the program under probe goes on. What it did until
// then is printed, and it is gone.
func TestInterruptedProbe(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	orders := filepath.Join(buildExamples(t), "orders")
	var out bytes.Buffer
	cmd := exec.Command(self, "probe", "--", "sh", "-c", orders+" {}; sleep 600 & wait")
	cmd.Env, cmd.Stdout = append(os.Environ(), asMain+"=1"), &out
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(said).ReadString('\n'); line != "30 of 30 orders written\n" {
		t.Fatalf("stderr: %q, error %v", line, err)
	}
	var children []string
	within(t, "the program waits for its own child", func() bool {
		children = childrenOf(t, cmd.Process.Pid)
		if len(children) == 1 {
			children = append(children, childrenOf(t, atoi(t, children[0]))...)
		}
		return len(children) == 2
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, expected exit code 130", err)
	}
	if !strings.Contains(out.String(), `client.id "orders-producer"`) || !strings.Contains(out.String(), "interrupted after ") {
		t.Errorf("printed:\n%s", &out)
	}
	within(t, "nothing of the program runs", func() bool {
		for _, pid := range children {
			if state, _ := stateOf(pid); state != "" && state != "Z" {
				return false
			}
		}
		return true
	})
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// childrenOf lists the processes that a process has.
func childrenOf(t *testing.T, parent int) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var children []string
	for _, dir := range all {
		pid := filepath.Base(dir)
		if _, of := stateOf(pid); of == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}

// stateOf is the state of a process and its parent, empty if there is no such process
// (proc_pid_stat(5): its name is in brackets, and may hold spaces).
func stateOf(pid string) (state, parent string) {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return "", ""
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return fields[0], fields[1]
}

// within waits for what other processes do.
func within(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for tick := time.Tick(10 * time.Millisecond); !met(); {
		select {
		case <-tick:
		case <-deadline:
			t.Fatalf("a minute later it is not so that %s", what)
		}
	}
}

// TestKilledContestant: the program of a client that plays in a process of its own ends
// with it, also by kill -9.
func TestKilledContestant(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.Command(self, "run", "graceful-shutdown", "--variant=member=none,signal=term",
		"--client=exec:env "+asMain+"= "+asFranz+"=1 "+self)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asMain+"=1"), &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	programs := map[string][]string{} // by contestant: one to ask, one to play
	within(t, "two members run their programs", func() bool {
		for _, pid := range childrenOf(t, cmd.Process.Pid) {
			if theirs := childrenOf(t, atoi(t, pid)); len(theirs) == 2 {
				programs[pid] = theirs
			}
		}
		return len(programs) == 2
	})
	gone := func(pids []string) func() bool {
		return func() bool {
			for _, pid := range pids {
				if state, _ := stateOf(pid); state != "" && state != "Z" {
					return false
				}
			}
			return true
		}
	}
	var all []string
	for contestant, theirs := range programs {
		if all == nil {
			if err := syscall.Kill(atoi(t, contestant), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			within(t, "the programs of a killed member are gone", gone(theirs))
		}
		all = append(append(all, theirs...), contestant)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as it was to be
	within(t, "nothing is left", gone(all))
}
