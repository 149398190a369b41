package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sleeper is a process that does nothing, and its name.
func sleeper(t *testing.T) (*exec.Cmd, processID) {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	id, err := identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, id
}

// TestCleanKafka: of all that lies in a directory only what has lost its owner
// goes, with those processes that the owner had started and nobody else's.
func TestCleanKafka(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	_, child := sleeper(t)
	_, other := sleeper(t)
	self, err := identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	reused := func(p processID) processID { return processID{p.pid, p.start + "0"} }
	gone := ended(t)
	for name, list := range map[string]string{
		fmt.Sprintf("%s%v-1", kafkaDirs, reused(self)): fmt.Sprintf("%v\n%v\n%v\n%d", child, reused(other), gone, other.pid),
		fmt.Sprintf("%s%v-2", kafkaDirs, gone):         "",
		fmt.Sprintf("%s%v-3", kafkaDirs, self):         fmt.Sprintf("%v\n", other),
		kafkaDirs + "notes":                            "",
		kafkaDirs + "1-2":                              "",
		"somebody-else-1-2-3":                          "",
	} {
		if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(parent, name, recordName), []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := CleanKafka(withTimeout(t, patience), parent); err != nil {
		t.Error(err)
	}
	want := []string{fmt.Sprintf("%s%v-3", kafkaDirs, self), kafkaDirs + "1-2", kafkaDirs + "notes", "somebody-else-1-2-3"}
	slices.Sort(want)
	if diff := cmp.Diff(want, entries(t, parent)); diff != "" {
		t.Errorf("-want +left:\n%s", diff)
	}
	if child.runs() {
		t.Error("the listed child still runs")
	}
	if !other.runs() {
		t.Error("a process was killed that only has a listed pid")
	}
}

// ended names a process that is gone.
func ended(t *testing.T) processID {
	t.Helper()
	cmd, id := sleeper(t)
	cmd.Process.Kill()
	cmd.Wait()
	return id
}

func TestProcessID(t *testing.T) {
	t.Parallel()
	cmd, id := sleeper(t)
	if again, err := identify(cmd.Process.Pid); again != id || err != nil {
		t.Errorf("named %v, then %v, error %v", id, again, err)
	}
	if read, ok := parseProcessID(id.String()); read != id || !ok {
		t.Errorf("%q reads as %v, %t", id, read, ok)
	}
	for _, text := range []string{"", "1", "1-", "-1-2", "0-5", "x-5"} {
		if id, ok := parseProcessID(text); ok {
			t.Errorf("%q reads as %v", text, id)
		}
	}
	// Nobody has waited for it yet: what is left of it holds the pid, but runs no more.
	if err := id.kill(withTimeout(t, patience)); err != nil {
		t.Error(err)
	}
	if _, err := identify(cmd.Process.Pid); !errors.Is(err, errNoProcess) {
		t.Errorf("after the end: %v, expected %v", err, errNoProcess)
	}
}

// TestRun: what a child prints comes back with its end, and the end of a context
// is the end of the child.
func TestRun(t *testing.T) {
	t.Parallel()
	c := newChildren(t.TempDir())
	defer c.close()
	out, err := c.run(t.Context(), exec.Command("sh", "-c", "echo out; echo err >&2; exit 3"))
	if out != "out\nerr\n" || err == nil || err.Error() != "exit status 3" {
		t.Errorf("output %q, error %v", out, err)
	}
	stopped := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if _, err := c.run(ctx, exec.Command("sleep", "600")); !errors.Is(err, stopped) {
		t.Errorf("error %v, expected the cause", err)
	}
	if _, err := c.run(t.Context(), exec.Command(filepath.Join(t.TempDir(), "nothing"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, expected that there is no such program", err)
	}
	if pids := readChildren(filepath.Join(c.dir, recordName)); len(pids) < 1 {
		t.Errorf("children %v in the list, expected at least the one that was stopped", pids)
	}
}

// TestUnlistedChild: a child that cannot be written down is not kept.
func TestUnlistedChild(t *testing.T) {
	t.Parallel()
	c := newChildren(filepath.Join(t.TempDir(), "gone"))
	defer c.close()
	_, err := c.start(exec.Command("sleep", "600"))
	if err == nil || !strings.HasPrefix(err.Error(), "write down process ") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
