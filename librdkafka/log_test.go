//go:build cgo

package librdkafka

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"kcompare/drivers"
)

// quietVariable makes the test binary use clients that have much to say.
const quietVariable = "KCOMPARE_TEST_QUIET"

// TestNothingOnStderr starts itself, because C writes past os.Stderr.
func TestNothingOnStderr(t *testing.T) {
	if os.Getenv(quietVariable) != "" {
		talk(t)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	child := exec.CommandContext(within(t, deadline), program, "-test.run=^TestNothingOnStderr$")
	child.Env, child.Stderr = append(os.Environ(), quietVariable+"=1"), &stderr
	if err := child.Run(); err != nil {
		t.Fatalf("%v; stderr:\n%s", err, &stderr)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr has:\n%s", &stderr)
	}
}

// talk makes librdkafka log at creation, at work, in death, and at the end.
func talk(t *testing.T) {
	s := settings(deadAddress(t), "debug", "all", "session.timeout.ms", "6000") // a consumer's key: a warning
	r := newReports()
	p := newTestProducer(t, s)
	produce(t.Context(), p, r, 0)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	s.Config["group.id"] = "kcompare-quiet"
	c := newTestConsumer(t, s)
	if _, err := c.Poll(within(t, 200*time.Millisecond)); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestLogGetsLines(t *testing.T) {
	s := settings(deadAddress(t), "debug", "broker")
	lines := make(chan string, 1000)
	s.Log = func(line string) {
		select {
		case lines <- line:
		default:
		}
	}
	newTestProducer(t, s)
	late := time.After(deadline)
	for logged := false; !logged; {
		select {
		case line := <-lines: // events come in between
			logged = strings.Contains(line, "rdkafka#producer")
		case <-late:
			t.Fatalf("no line with the client's name came within %v", deadline)
		}
	}
}

// Every goroutine of a client, the binding's too, ends with Close.
func TestNoGoroutineIsLeft(t *testing.T) {
	addr := newCluster(t).ListenAddrs()[0]
	r := newReports()
	p := newTestProducer(t, settings(addr))
	produce(t.Context(), p, r, 0)
	tx := newTransactional(t, addr)
	begin(t, tx)
	c := newTestConsumer(t, settings(addr, "group.id", "kcompare-leak", "auto.offset.reset", "earliest"))
	if err := c.Subscribe(t.Context(), []string{topic}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Poll(within(t, time.Second)); err != nil {
		t.Fatal(err)
	}
	for _, client := range []interface{ Close() error }{p, tx, c} {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := newDriver(t).NewProducer(drivers.Settings{Config: map[string]string{"no.such.key": "1"}}); err == nil {
		t.Error("a client with an unknown setting was made")
	}
	waitUntilGone(t)
}
