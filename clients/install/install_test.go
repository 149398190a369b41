package install_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/clients"
	"kcompare/clients/install"
	"kcompare/internal/scripttest"
)

// workshop is a machine whose npm is a script, so that it can hang and fail.
type workshop struct {
	install.Cache

	files fstest.MapFS
	notes string // where the scripts write what they did
}

// honestNPM brings what it is asked for.
const honestNPM = `mkdir -p node_modules/kafkajs
echo '{"version": "2.2.4"}' >node_modules/kafkajs/package.json
echo '{"packages": {"node_modules/kafkajs": {"version": "2.2.4", "integrity": "sha512-abc"}}}' >node_modules/.package-lock.json`

func newWorkshop(t *testing.T, npm string) workshop {
	t.Helper()
	bin, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	script(t, bin, "node", "echo v20.0.0")
	script(t, bin, "npm", fmt.Sprintf("echo npm $1 >>%s\n%s", notes, npm))
	files := fstest.MapFS{
		"kafkajs/client.mjs":        {Data: []byte("first")},
		"kafkajs/package.json":      {Data: []byte("{}")},
		"kafkajs/package-lock.json": {Data: []byte("lock")},
	}
	path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	return workshop{install.Cache{Dir: t.TempDir(), Env: []string{"PATH=" + path}, Files: files}, files, notes}
}

func script(t *testing.T, dir, name, text string) {
	t.Helper()
	scripttest.Write(t, dir, name, "#!/bin/sh\n"+text+"\n")
}

// noted is what the scripts wrote.
func (w workshop) noted(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(w.notes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func named(t *testing.T, name string) install.Named {
	t.Helper()
	n, err := install.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func quiet(string) {}

// TestInstall: what is ready stays, is found with its program, and says where it came
// from. A program that has changed needs no new folder, a lock that has changed does.
func TestInstall(t *testing.T) {
	t.Parallel()
	w, kafkajs := newWorkshop(t, honestNPM), named(t, "kafkajs")
	if _, err := w.Find(t.Context(), kafkajs); err == nil || err.Error() != "it is not installed: kcompare clients install kafkajs" {
		t.Errorf("before it was installed: %v", err)
	}
	for range 2 {
		if err := w.Install(t.Context(), kafkajs, quiet); err != nil {
			t.Fatal(err)
		}
	}
	first := w.program(t, kafkajs, "first")
	w.files["kafkajs/client.mjs"].Data = []byte("second")
	if second := w.program(t, kafkajs, "second"); second == first {
		t.Errorf("two programs have the same path %s", first)
	}
	w.files["kafkajs/package-lock.json"].Data = []byte("another lock")
	if _, err := w.Find(t.Context(), kafkajs); err == nil || err.Error() != "it was installed by another version of kcompare: kcompare clients install kafkajs" {
		t.Errorf("with another lock: %v", err)
	}
	if err := w.Install(t.Context(), kafkajs, quiet); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("npm ci\nnpm ci\n", w.noted(t)); diff != "" {
		t.Errorf("npm was started (-want +got):\n%s", diff)
	}
}

// program finds a client and reads the program that it starts.
func (w workshop) program(t *testing.T, n install.Named, want string) string {
	t.Helper()
	p, err := w.Find(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	path := p.Command[len(p.Command)-1]
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		t.Errorf("the program is %q, %v, expected %q", text, err, want)
	}
	if diff := cmp.Diff(clients.Program{Client: "kafkajs", Command: p.Command, Dir: filepath.Join(w.Dir, "clients", "kafkajs@2.2.4"), Library: "kafkajs", Version: "2.2.4"}, p); diff != "" {
		t.Errorf("program (-want +got):\n%s", diff)
	}
	return path
}

// TestInterrupted: Ctrl-C ends the tools with all that they started, and leaves nothing
// that counts. What a kill -9 leaves, the next install of any client removes.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	w, kafkajs := newWorkshop(t, `touch half; sleep 600 & echo $! >>`+"pid; mv pid ../pid; wait"), named(t, "kafkajs")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Install(ctx, kafkajs, quiet) }()
	pid := filepath.Join(w.Dir, "clients", "pid")
	within(t, "npm works", func() bool {
		_, err := os.Stat(pid)
		return err == nil
	})
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected the interruption", err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "what npm started is gone", func() bool { return !runs(strings.TrimSpace(string(text))) })
	folder := filepath.Join(w.Dir, "clients", "kafkajs@2.2.4")
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "half"), 0o755); err != nil { // as kill -9 leaves it
		t.Fatal(err)
	}
	_ = w.Install(t.Context(), named(t, "java"), quiet) // whatever becomes of it here
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a killed install left is still there: %v", err)
	}
}

// runs says whether a process is there that has not ended.
func runs(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

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

// TestTwoAtOnce: one works, the other waits, says so, and finds it done.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	w, kafkajs := newWorkshop(t, "while ! test -e ../go; do sleep 0.01; done\n"+honestNPM), named(t, "kafkajs")
	var group sync.WaitGroup
	waits := make(chan string, 10)
	for range 2 {
		group.Go(func() {
			if err := w.Install(t.Context(), kafkajs, func(line string) { waits <- line }); err != nil {
				t.Error(err)
			}
		})
	}
	said := map[string]bool{<-waits: true, <-waits: true}
	if err := os.WriteFile(filepath.Join(w.Dir, "clients", "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	want := []string{"npm brings kafkajs 2.2.4", "waits for another kcompare that installs it"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(said))); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	if w.noted(t) != "npm ci\n" {
		t.Errorf("npm was started more than once: %s", w.noted(t))
	}
}

// TestFailed: a tool's last words are told, without a login and without colours, and
// nothing counts as ready.
func TestFailed(t *testing.T) {
	t.Parallel()
	for npm, want := range map[string]string{
		`seq 20; printf '\033[31mcannot reach https://me:secret@registry/\033[0m\n' >&2; exit 3`: "npm ci --ignore-scripts: exit status 3\n" +
			"    14\n    15\n    16\n    17\n    18\n    19\n    20\n    cannot reach https://***@registry/",
		strings.ReplaceAll(honestNPM, `"version": "2.2.4"}'`, `"version": "1.16.0"}'`): "npm brought kafkajs 1.16.0, asked for was 2.2.4",
	} {
		w, kafkajs := newWorkshop(t, npm), named(t, "kafkajs")
		err := w.Install(t.Context(), kafkajs, quiet)
		if err == nil || err.Error() != want {
			t.Errorf("error %v\nexpected %s", err, want)
		}
		if w.Ready(kafkajs) {
			t.Errorf("after %v it is ready", err)
		}
	}
}

// TestLacking: what this machine does not have is said before anything is made.
func TestLacking(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, honestNPM)
	nothing := w.Cache
	nothing.Env = []string{"PATH=" + t.TempDir()}
	node := filepath.Join(strings.TrimPrefix(strings.Split(w.Env[0], string(filepath.ListSeparator))[0], "PATH="), "node")
	for _, c := range []struct {
		cache  install.Cache
		client string
		want   string
	}{
		{w.Cache, "kafkajs", ""},
		{w.Cache, "platformatic", "needs Node 22.22 or 24.6 or later, with npm: " + node + " is v20.0.0"},
		{w.Cache, "platformatic@2.0.0", "needs Node 22.22 or 24.6 or later, with npm: " + node + " is v20.0.0"},
		{nothing, "kafkajs", "needs Node 18 or later, with npm: node was not found in PATH"},
		{nothing, "python", "needs Python 3.10 or later, with its venv module: not found in PATH"},
		{nothing, "java", "needs a JDK 17 or later, and Maven: java was not found in PATH"},
		{nothing, "librdkafka@v2.8.0", "needs Go, and a C compiler: go was not found in PATH"},
	} {
		got := ""
		if err := c.cache.Lacking(t.Context(), named(t, c.client)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, expected %q", c.client, got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"python":              "python@2.16.1",
		"python@2.11.1":       "python@2.11.1",
		"java@4.0.0-rc1":      "java@4.0.0-rc1",
		"java@4.0.0.Final":    "java@4.0.0.Final",
		"kafkajs@../../etc":   "kafkajs@../../etc: expected a version such as kafkajs@2.2.4",
		"kafkajs@":            "kafkajs@: expected a version behind the @",
		"kafkajs@latest":      "kafkajs@latest: expected a version such as kafkajs@2.2.4",
		"franz":               "franz is built in: name another version of github.com/twmb/franz-go, as franz@v1.2.3",
		"franz@1.21.7":        "franz@1.21.7: expected a version as go has it, as franz@v1.2.3",
		"franz@v1.21.7":       "franz@v1.21.7",
		"librdkafka@v2.8.0":   "librdkafka@v2.8.0",
		"confluent":           "there is no such client",
		"aiokafka@0.14.0 -rx": "aiokafka@0.14.0 -rx: expected a version such as aiokafka@0.14.0",
	} {
		n, err := install.Parse(text)
		got := n.Folder()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, expected %s", text, got, want)
		}
	}
}
