package clients_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/drivers/drivertest/kfaketest"
)

// TestLatePoll: a poll that was given up has taken records from the library. They come
// with the next one.
func TestLatePoll(t *testing.T) {
	cluster := kfaketest.New(t)
	running, err := start(t, doctored("polls late"))
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	topic, err := cluster.CreateTopic(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := running.NewProducer(drivers.Settings{Config: cluster.Config()})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 5 {
		want = append(want, fmt.Sprint(i))
		p.Produce(ctx, drivers.Record{Topic: topic, Value: []byte(want[i])}, func(drivers.Delivery) {})
	}
	c, err := running.NewConsumer(drivers.Settings{Config: cluster.Config()})
	if err != nil {
		t.Fatal(err)
	}
	from := drivers.Position{TopicPartition: drivers.TopicPartition{Topic: topic}}
	if err := firstError(p.Flush(ctx), c.Assign(ctx, []drivers.Position{from})); err != nil {
		t.Fatal(err)
	}
	var got []string
	early := 0
	for len(got) < 5 && ctx.Err() == nil {
		records, err := pollFor(ctx, c, 50*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) == 0 {
			early++
		}
		for _, r := range records {
			got = append(got, string(r.Value))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || early == 0 {
		t.Errorf("%d polls returned before the program answered (-want +got):\n%s", early, diff)
	}
}

func pollFor(ctx context.Context, c drivers.Consumer, d time.Duration) ([]drivers.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return c.Poll(ctx)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestEndOfInput: a program ends at the end of its stdin, whatever it is doing. Nothing
// else ends it where no parent-death signal is.
func TestEndOfInput(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), asProgram+"=honest")
	cmd.Stdin = strings.NewReader(`{"id":1,"verb":"hello","protocol":1}
{"id":2,"verb":"new-consumer","handle":"c1","settings":{"bootstrap.servers":"127.0.0.1:1","group.id":"g"}}
{"id":3,"verb":"subscribe","handle":"c1","topics":["t"]}
{"id":4,"verb":"poll","handle":"c1","timeout_ms":600000}
`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("expected an end without complaint, got %v: %s", err, &stderr)
	}
}

// TestKilledParent: no program outlives a kcompare that was killed.
func TestKilledParent(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("only Linux ends a child with its parent; elsewhere the end of stdin does")
	}
	said, says, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), asProgram+"=a parent")
	parent.ExtraFiles = []*os.File{says}
	err = parent.Start()
	_ = says.Close()
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	_, scanErr := fmt.Fscan(said, &pid)
	killErr := parent.Process.Kill()
	_ = parent.Wait() // killed, as it was to be
	if err := firstError(scanErr, killErr); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(10 * time.Second)
	for tick := time.Tick(10 * time.Millisecond); runs(pid); {
		select {
		case <-tick:
		case <-deadline:
			t.Fatalf("program %d outlives its parent", pid)
		}
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

// TestStart: what cannot be started is an error that says so.
func TestStart(t *testing.T) {
	for want, p := range map[string]clients.Program{
		"nothing: its command is empty":                                             {Client: "nothing"},
		`stranger: start its program: exec: "no-such-program": executable file not`: {Client: "stranger", Command: []string{"no-such-program"}},
		"the program of echo printed what is no line of the protocol: \"hello\"":    {Client: "echo", Command: []string{"echo", "hello"}},
		"the program of true ended before it was asked to: exit status 0":           {Client: "true", Command: []string{"true"}},
		"the program of doctored found franz-go v":                                  expecting(doctored("honest"), "franz-go", "v0.0.1"),
		", expected kgo": expecting(doctored("honest"), "kgo", ""),
	} {
		if _, err := start(t, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: expected an error %q, got %v", p.Command, want, err)
		}
	}
}

func expecting(p clients.Program, library, version string) clients.Program {
	p.Library, p.Version = library, version
	return p
}
