package broker

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/broker/brokertest"
	"kcompare/internal/scripttest"
)

// TestKafkaRefused: what cannot be started is refused in one line that says what
// to do, and leaves nothing.
func TestKafkaRefused(t *testing.T) {
	t.Parallel()
	brokertest.NeedKafka(t)
	java, _ := program(os.Environ(), "java")
	onlyJava := onPath(t, map[string]string{"java": java})
	nothing := t.TempDir()
	for _, test := range []struct {
		name string
		opts KafkaOptions
		want string // of CACHE, PATH: directories of this test
	}{
		{"nodes", KafkaOptions{Nodes: 2}, "2 nodes: expected 1 or 3"},
		{"no java", KafkaOptions{Nodes: 1, Env: []string{"PATH=" + nothing}},
			"no java in JAVA_HOME or PATH: install Java 17 or later"},
		{"no java in JAVA_HOME", KafkaOptions{Nodes: 1, Env: []string{"PATH=" + onlyJava, "JAVA_HOME=" + nothing}},
			"no java in JAVA_HOME or PATH: install Java 17 or later"},
		{"no mvn", KafkaOptions{Nodes: 1, Env: []string{"PATH=" + onlyJava}},
			"the jars of Kafka 4.4.0 are not in CACHE, and there is no mvn in PATH to bring them: install Apache Maven, or set KAFKA_HOME"},
		{"not a release", KafkaOptions{Nodes: 1, Version: "trunk"},
			`version "trunk": expected a release from 3.9 on, such as 4.4.0`},
		{"too old", KafkaOptions{Nodes: 1, Version: "3.8.1"},
			`version "3.8.1": expected a release from 3.9 on, such as 4.4.0`},
		{"KAFKA_HOME without jars", KafkaOptions{Nodes: 1, Env: append(os.Environ(), "KAFKA_HOME="+nothing)},
			"KAFKA_HOME: jars in " + filepath.Join(nothing, "libs") + ": 0 of kafka-clients, expected one"},
		{"another release in KAFKA_HOME", KafkaOptions{Nodes: 1, Version: "4.3.0", Env: append(os.Environ(), "KAFKA_HOME="+home(t, "4.1.0"))},
			"KAFKA_HOME has Kafka 4.1.0, asked for is 4.3.0: unset KAFKA_HOME, or ask for what it has"},
	} {
		opts := test.opts
		opts.Dir, opts.Cache = t.TempDir(), t.TempDir()
		if opts.Env == nil {
			opts.Env = ownJars()
		}
		_, err := StartKafka(withTimeout(t, patience), opts)
		want := "start Apache Kafka: " + strings.ReplaceAll(test.want, "CACHE", opts.Cache)
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v\nexpected %s", test.name, err, want)
		}
		if left := append(entries(t, opts.Dir), entries(t, opts.Cache)...); left != nil {
			t.Errorf("%s: left behind: %v", test.name, left)
		}
	}
}

// TestKafkaUnknownRelease asks Maven for a release that will not come soon.
func TestKafkaUnknownRelease(t *testing.T) {
	t.Parallel()
	brokertest.NeedKafka(t)
	opts := KafkaOptions{Nodes: 1, Version: "99.0.0", Dir: t.TempDir(), Cache: t.TempDir(), Env: ownJars()}
	_, err := StartKafka(withTimeout(t, starting), opts)
	const want = "start Apache Kafka: bring the jars of Kafka 99.0.0 with mvn: exit status 1: "
	if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), "99.0.0") < 2 {
		t.Errorf("error %v\nexpected %s and Maven's own words, in one line", err, want)
	}
	if left := append(entries(t, opts.Dir), entries(t, opts.Cache)...); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestKafkaUnknownFeature: the tool that formats knows best, so it is quoted.
func TestKafkaUnknownFeature(t *testing.T) {
	brokertest.NeedKafka(t)
	fillCache(t)
	dir := t.TempDir()
	_, err := StartKafka(withTimeout(t, starting), KafkaOptions{Nodes: 1, Features: map[string]int16{"taste.version": 1}, Dir: dir, Env: ownJars()})
	if err == nil || !strings.HasPrefix(err.Error(), "start Apache Kafka: format with features map[taste.version:1]: exit status 1; the tool said:\n") || strings.Count(err.Error(), "taste.version") < 2 {
		t.Errorf("error %v\nexpected the words of Kafka's tool about taste.version", err)
	}
	if left := entries(t, dir); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestHalfResolved: a Maven that brings a part and fails, and one that brings a
// part and says nothing, leave a cache that is as empty as before.
func TestHalfResolved(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ script, want string }{
		{"exit 1", "bring the jars of Kafka 4.4.0 with mvn: exit status 1: the disk is full"},
		{"exit 0", "mvn ended well, but: jars in LIBS: 0 of kafka-clients, expected one"},
	} {
		script := "#!/bin/sh\nmkdir libs && : > libs/zstd.jar\nprintf '\\033[0m[ERROR] the disk is full -> [Help 1]\\n[ERROR] \\n'\n" + test.script + "\n"
		cache, bin := t.TempDir(), t.TempDir()
		scripttest.Write(t, bin, "mvn", script)
		env := []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")}
		opts, err := KafkaOptions{Cache: cache, Env: env}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		_, err = findJars(withTimeout(t, patience), opts)
		want, _, _ := strings.Cut(test.want, "LIBS")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, expected %s", test.script, err, test.want)
		}
		if left := entries(t, cache); left != nil {
			t.Errorf("%s: left in the cache: %v", test.script, left)
		}
	}
}

// TestPublishTwice: of two processes that bring the same release, the second
// finds the jars of the first.
func TestPublishTwice(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "kafka-4.1.0")
	for range 2 {
		if err := publish(filepath.Join(home(t, "4.1.0"), "libs"), cache, hasJars); err != nil {
			t.Error(err)
		}
	}
	got, err := readJars(cache)
	if diff := cmp.Diff(jars{dir: cache, version: "4.1.0"}, got, cmp.AllowUnexported(jars{})); diff != "" || err != nil {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
}

// TestServerEnds: a server that gives up is noticed at once, and its log quoted.
func TestServerEnds(t *testing.T) {
	t.Parallel()
	k := unstarted(t)
	brokertest.NeedKafka(t)
	java, _ := program(os.Environ(), "java")
	if err := k.nodes[0].start(k.children, jvm{java: java, libs: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	err := k.await(withTimeout(t, starting))
	const want = "wait until every node knows every other: node 0 ended by itself (exit status 1); last lines of the log of node 0:\n"
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "kafka.Kafka") {
		t.Errorf("error %v\nexpected %s and what java said", err, want)
	}
}

// TestServerSilent: a process that never listens.
func TestServerSilent(t *testing.T) {
	t.Parallel()
	k := unstarted(t)
	var err error
	if k.nodes[0].server, err = k.children.start(exec.Command("sleep", "60")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(k.nodes[0].log(), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	late := errors.New("not up within a moment")
	ctx, cancel := context.WithTimeoutCause(t.Context(), brief, late)
	defer cancel()
	err = k.await(ctx)
	if !errors.Is(err, late) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, expected the cause of the deadline", err)
	}
	if text := fmt.Sprint(err); !strings.HasPrefix(text, "wait until every node knows every other: ") || !strings.HasSuffix(text, "last lines of the log of node 0:\n  one\n  two") {
		t.Errorf("error %v, expected what never came and the log", text)
	}
}

// unstarted is a cluster with one node and no server.
func unstarted(t *testing.T) *Kafka {
	t.Helper()
	dir, err := claimDir(t.TempDir(), kafkaDirs)
	if err != nil {
		t.Fatal(err)
	}
	k := newKafka(dir)
	t.Cleanup(func() { k.Close() })
	if k.nodes, err = newNodes(dir, KafkaOptions{Nodes: 1, Ports: []int{anyPort}}); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestSupported(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"4.4.0": true, "3.9.0": true, "3.10.1": true, "10.0.0": true,
		"3.8.1": false, "2.13.0": false, "4.4": false, "v4.4.0": false, "4.4.0-rc1": false, "4.4.0/..": false, "": false, "3.99999999999999999999.0": false,
	} {
		if got := supported(version); got != want {
			t.Errorf("%q: %t, expected %t", version, got, want)
		}
	}
}

func TestReadJava(t *testing.T) {
	t.Parallel()
	const said = "Property settings:\n    java.home = /opt/my java\n    java.specification.version = %s\n    java.vm.version = 17.0.15+6\n\nopenjdk\n"
	for version, release := range map[string]int{"17": 17, "1.8": 8} {
		got, err := readJava(fmt.Sprintf(said, version))
		want := java{path: filepath.Join("/opt/my java", "bin", "java"), release: release, build: "17.0.15+6"}
		if got != want || err != nil {
			t.Errorf("%+v, %v, expected %+v", got, err, want)
		}
	}
	if _, err := readJava("Unable to locate a Java Runtime."); err == nil {
		t.Error("no error though there is no java")
	}
	old := java{path: "/opt/java", release: 11}
	const want = "Kafka 4.4.0 needs Java 17 or later, and /opt/java is 11: install a newer one, or set JAVA_HOME"
	if err := old.canRun("4.4.0"); err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
	if err := old.canRun("3.9.1"); err != nil {
		t.Errorf("Java 11 runs Kafka 3.9: %v", err)
	}
}

// home is an unpacked Kafka of which only the jar that names the release is there.
func home(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "libs"), 0o755); err != nil {
		t.Fatal(err)
	}
	jar, err := os.Create(filepath.Join(dir, "libs", "kafka-clients-"+version+".jar"))
	if err != nil {
		t.Fatal(err)
	}
	defer jar.Close()
	archive := zip.NewWriter(jar)
	w, err := archive.CreateHeader(&zip.FileHeader{Name: "kafka/kafka-version.properties", Modified: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, "commitId=0\nversion=%s\n", version)
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// onPath is a directory with these programs and nothing else.
func onPath(t *testing.T, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, path := range programs {
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
