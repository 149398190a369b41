package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/broker"
	"kcompare/internal/cli"
	"kcompare/internal/evidence"
)

// patience bounds what must happen.
const patience = 30 * time.Second

// running is a command that serves until it is interrupted.
type running struct {
	addr      string // its first line on the stream that has the address
	interrupt func()
	code      chan int
	rest      chan string // what else came on that stream
}

// serve starts a command and waits for its address. toStderr says that the address
// is there, behind the first line.
func serve(t *testing.T, args []string, stdout, stderr io.Writer) *running {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	from, to := io.Pipe()
	r := &running{interrupt: interrupt, code: make(chan int, 1), rest: make(chan string, 1)}
	state := cli.State{Stdout: io.MultiWriter(to, stdout), Stderr: stderr, Now: time.Now}
	go func() {
		r.code <- cli.Main(ctx, state, args)
		to.Close()
	}()
	lines := bufio.NewReader(from)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v printed no address, exit code %d", args, <-r.code)
	}
	r.addr = strings.TrimSpace(first)
	go func() {
		rest, _ := io.ReadAll(lines)
		r.rest <- string(rest)
	}()
	return r
}

// stop interrupts the command and returns what it printed after its address.
func (r *running) stop(t *testing.T) (rest string, code int) {
	t.Helper()
	r.interrupt()
	select {
	case code = <-r.code:
		return <-r.rest, code
	case <-time.After(patience):
		t.Fatalf("did not end within %v", patience)
	}
	return "", 0
}

// TestProxyOfAStockClient: franz-go as any program uses it, without idempotence, so
// that the one answer that the plan loses is a duplicate in the log.
func TestProxyOfAStockClient(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	const rules = "rules:\n- {name: lost, action: drop-response, select: {api: Produce, topic: orders, nth: 2}}\n"
	if err := os.WriteFile(plan, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	served := serve(t, []string{"broker", "--listen=127.0.0.1:0"}, io.Discard, io.Discard)
	trace := filepath.Join(t.TempDir(), "trace.jsonl")
	var told bytes.Buffer
	through := serve(t, []string{"proxy", "--broker=" + served.addr, "--listen=127.0.0.1:0", "--plan=" + plan, "--trace=" + trace}, io.Discard, &told)
	produceOrders(t, through.addr, 3)
	summary, code := through.stop(t)
	if code != 0 {
		t.Errorf("exit code %d\n%s%s", code, &told, summary)
	}
	if !strings.Contains(told.String(), `lost  drop-response  Produce  client "shop"  Produce orders 2`) {
		t.Errorf("stderr does not tell the fault:\n%s", &told)
	}
	if !strings.Contains(summary, "drop-response 1") {
		t.Errorf("the summary does not have the fault:\n%s", summary)
	}
	expectTrace(t, trace)
	expectOffsets(t, served.addr, 4)
	if _, code := served.stop(t); code != 0 {
		t.Errorf("broker: exit code %d", code)
	}
}

// produceOrders relies on a topic that comes into being when a client asks for it.
func produceOrders(t *testing.T, addr string, n int) {
	t.Helper()
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(addr), kgo.ClientID("shop"), kgo.AllowAutoTopicCreation(), kgo.DisableClientMetrics(),
		kgo.DisableIdempotentWrite(), kgo.DefaultProduceTopic("orders"), kgo.MetadataMinAge(20*time.Millisecond),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for range n {
		if err := cl.ProduceSync(ctx, kgo.StringRecord("paid")).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// expectTrace reads the file as a trace of evidence is read.
func expectTrace(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, lines, _ := strings.Cut(string(text), "\n")
	if head != `{"schema":"kcompare/trace/v1","cut":0}` {
		t.Errorf("head %s", head)
	}
	var fates []string
	var numbers []int64
	for line := range strings.Lines(lines) {
		var e evidence.Exchange
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, e.N)
		if e.API == "Produce" {
			fates = append(fates, strings.TrimSpace(e.Fault+" "+e.Batches[0].Topic))
		}
	}
	if diff := cmp.Diff([]string{"orders", "drop-response orders", "orders", "orders"}, fates); diff != "" {
		t.Errorf("Produce in the trace: -want +got:\n%s", diff)
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if n != int64(i+1) {
			t.Fatalf("request %d is missing in the trace: %v", i+1, numbers)
		}
	}
}

func expectOffsets(t *testing.T, addr string, want int64) {
	t.Helper()
	r, err := broker.NewReader(map[int32]string{-1: addr}, broker.Access{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	topics, err := r.Topics(ctx)
	if err == nil {
		err = r.LookUpOffsets(ctx, topics)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(topics) != 1 || len(topics[0].Partitions) != 1 || topics[0].Partitions[0].End != want {
		t.Errorf("topics %+v, want one partition with %d records", topics, want)
	}
}

// TestProxySummaryAsJSON: stdout is one document, without the address.
func TestProxySummaryAsJSON(t *testing.T) {
	served := serve(t, []string{"broker", "--listen=127.0.0.1:0", "--nodes=1"}, io.Discard, io.Discard)
	defer served.stop(t)
	var out, told bytes.Buffer
	ctx, interrupt := context.WithCancel(t.Context())
	terminal := &onFirstLine{then: interrupt} // it stands as soon as it says so
	code := cli.Main(ctx, cli.State{Stdout: &out, Stderr: io.MultiWriter(terminal, &told), Now: time.Now},
		[]string{"proxy", "--broker=" + served.addr, "--listen=127.0.0.1:0", "--format=json", "--seed=7"})
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, &told)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if addr, _ := got["bootstrap"].(string); !strings.Contains(told.String(), addr+"\n") {
		t.Errorf("stderr does not have the address %q:\n%s", addr, &told)
	}
	delete(got, "bootstrap")
	want := map[string]any{
		"command": "proxy", "schema": "kcompare/proxy/v1", "kcompare": cli.Version, "seed": 7.0, "servers": []any{served.addr},
		"requests": []any{}, "rules": []any{}, "lowered": []any{}, "problems": []any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
