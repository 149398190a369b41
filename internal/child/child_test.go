package child_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"kcompare/internal/child"
)

// TestMain runs the tests, or a parent that TestKilledParent kills: it starts a child
// and prints its pid.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asParent {
		s := child.NewStarter()
		p, err := s.Start(exec.Command("sleep", "600"))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.Cmd.Process.Pid)
		<-p.Done()
	}
	os.Exit(m.Run())
}

const asParent = "parent-of-a-test"

func TestStart(t *testing.T) {
	t.Parallel()
	s := child.NewStarter()
	defer s.Close()
	var out bytes.Buffer
	cmd := exec.Command("sh", "-c", "echo said; exit 3")
	cmd.Stdout = &out
	p, err := s.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if out.String() != "said\n" || p.Err() == nil || p.Err().Error() != "exit status 3" {
		t.Errorf("said %q and ended with %v", &out, p.Err())
	}
	if _, err := s.Start(exec.Command("no-such-program")); err == nil {
		t.Error("a program was started that there is not")
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	s := child.NewStarter()
	defer s.Close()
	p, err := s.Start(exec.Command("sleep", "600"))
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	<-p.Done()
	p.Kill() // there is nothing to kill any more
	if p.Err() == nil || p.Err().Error() != "signal: killed" {
		t.Errorf("ended with %v, expected to be killed", p.Err())
	}
}

// TestClose: what runs still is gone after it, and nothing starts any more.
func TestClose(t *testing.T) {
	t.Parallel()
	s := child.NewStarter()
	p, err := s.Start(exec.Command("sleep", "600"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	select {
	case <-p.Done():
	default:
		t.Error("the child outlives its starter")
	}
	if _, err := s.Start(exec.Command("sleep", "600")); err == nil {
		t.Error("a child was started after the end of its starter")
	}
}

// TestKilledParent: on Linux a kill -9 of the parent ends the child too.
func TestKilledParent(t *testing.T) {
	t.Parallel()
	onLinux(t)
	parent := exec.Command(os.Args[0], asParent)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the parent said %q", line)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	_ = parent.Wait() // killed, as it was to be
	deadline := time.After(10 * time.Second)
	for tick := time.Tick(10 * time.Millisecond); runs(pid); {
		select {
		case <-tick:
		case <-deadline:
			t.Fatalf("child %d outlives its parent", pid)
		}
	}
}

func onLinux(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("only Linux ends a child with its parent")
	}
}

// runs says whether a process is there that has not ended.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}
