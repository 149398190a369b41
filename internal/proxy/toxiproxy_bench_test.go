//go:build linux

package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// BenchmarkBesideToxiproxy1MiB sends Produce frames with 1 MiB of records to a sink
// through this proxy and through toxiproxy 2.5.0 with no toxic, sixteen frames each
// in turn, five in flight, so that a busy machine hits both. Each relay is a process
// of its own; client and sink are this one. toxiproxy copies bytes and looks at
// none; the proxy has its trace on, in "headers" by batch headers alone, in "records"
// with the identities of all records, a thousand a frame. Time and MB/s are those of
// the frames through the proxy, and
//
//	x-toxiproxy      the proxy's throughput in its median round, as a multiple of toxiproxy's
//	x-toxiproxy-cpu  the same of frames for a second of processor time of the relay
//	toxiproxy-MB/s   in the median round
//	direct-MB/s      in the median round: what the machine does without a relay
//
// What is required of the first two is said in internal/performance.
func BenchmarkBesideToxiproxy1MiB(b *testing.B) {
	program := buildToxiproxy(b)
	for _, trace := range []string{"headers", "records"} {
		b.Run(trace, func(b *testing.B) { besideToxiproxy(b, program, trace) })
	}
}

func besideToxiproxy(b *testing.B, program, trace string) {
	frame, plain := produceFrame(b, kgo.NoCompression())
	upstream := sink(b)
	toxiproxy, toxiAddr := startToxiproxy(b, program, upstream)
	proxy, ownAddr := startOwn(b, upstream, trace)
	direct, toxi, own := dialSink(b, upstream, frame), dialSink(b, toxiAddr, frame), dialSink(b, ownAddr, frame)
	toxiCPU, ownCPU := toxiproxy.processorTime(b), proxy.processorTime(b)
	b.SetBytes(int64(plain))
	b.ResetTimer()
	for sent := 0; sent < b.N; sent += roundOf {
		b.StopTimer()
		direct.round(roundOf)
		toxi.round(roundOf)
		b.StartTimer()
		own.round(roundOf)
	}
	b.StopTimer()
	toxiCPU, ownCPU = toxiproxy.processorTime(b)-toxiCPU, proxy.processorTime(b)-ownCPU
	rate := func(s *stream) float64 { return float64(plain) * roundOf / 1e6 / s.median().Seconds() }
	b.ReportMetric(toxi.median().Seconds()/own.median().Seconds(), "x-toxiproxy")
	b.ReportMetric(toxiCPU.Seconds()/max(ownCPU, tick).Seconds(), "x-toxiproxy-cpu")
	b.ReportMetric(rate(toxi), "toxiproxy-MB/s")
	b.ReportMetric(rate(direct), "direct-MB/s")
}

// median is what the median round took.
func (s *stream) median() time.Duration {
	rounds := slices.Sorted(slices.Values(s.rounds))
	return rounds[len(rounds)/2]
}

// buildToxiproxy builds what tools/toxiproxy/go.mod pins. In CI it has to.
func buildToxiproxy(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "toxiproxy")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-modfile=tools/toxiproxy/go.mod", "-o", program, "github.com/Shopify/toxiproxy/v2/cmd/server")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		b.Fatalf("build toxiproxy: %v\n%s", err, out)
	default:
		b.Skipf("toxiproxy cannot be built here, so nothing is compared (its modules have to be downloaded once): %v\n%s", err, out)
	}
	return program
}

// startToxiproxy is the address of a toxiproxy in front of upstream.
func startToxiproxy(b *testing.B, program, upstream string) (child, string) {
	b.Helper()
	api, listen := freePort(b), freePort(b)
	config, err := json.Marshal([]map[string]any{{"name": "sink", "listen": listen, "upstream": upstream, "enabled": true}})
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "toxiproxy.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		b.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(api)
	cmd := exec.Command(program, "-host", host, "-port", port, "-config", file)
	var log bytes.Buffer // read when the process has ended
	cmd.Stdout, cmd.Stderr = &log, &log
	toxiproxy := startChild(b, cmd)
	listens := func() bool {
		conn, err := net.Dial("tcp", listen)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	if !comesTrue(listens) {
		toxiproxy.stop()
		b.Fatalf("toxiproxy did not listen on %s within %v: %s", listen, deadline, log.String())
	}
	return toxiproxy, listen
}

// freePort is an address that was free a moment ago.
func freePort(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startOwn is the address of this proxy, run by the test binary as a process of its
// own: see TestMain.
func startOwn(b *testing.B, upstream, trace string) (child, string) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childUpstream+"="+upstream, childTrace+"="+trace)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // it ends when this is closed
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	proxy := startChild(b, cmd)
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("the proxy in a process of its own told no address: %v", err)
	}
	return proxy, strings.TrimSpace(addr)
}

// child is a process that ends with the benchmark.
type child struct {
	*exec.Cmd
	ended chan struct{}
}

// startChild starts a process that the kernel ends if this one is killed: the thread
// that it was started from is kept for that long.
func startChild(b *testing.B, cmd *exec.Cmd) child {
	b.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c := child{Cmd: cmd, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		defer close(c.ended)
		runtime.LockOSThread() // never unlocked, so the thread ends with this goroutine
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it is killed, which is no failure
		}
	}()
	if err := <-started; err != nil {
		b.Fatalf("start %s: %v", filepath.Base(cmd.Path), err)
	}
	b.Cleanup(c.stop)
	return c
}

// stop kills the process and waits for its end.
func (c child) stop() {
	_ = c.Process.Kill()
	<-c.ended
}

// tick is what Linux counts the processor time of other processes in.
const tick = 10 * time.Millisecond

// processorTime is what the process has used so far, kernel included: fields 14 and
// 15 of its stat, behind a name in parentheses.
func (c child) processorTime(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var user, kernel time.Duration
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &kernel); err != nil {
		b.Fatalf("read the processor time of a process: %v", err)
	}
	return (user + kernel) * tick
}

// What tells a test binary to be a proxy, and nothing else.
const (
	childUpstream = "KCOMPARE_TEST_UPSTREAM" // host:port
	childTrace    = "KCOMPARE_TEST_TRACE"    // "headers" or "records"
)

// TestMain runs the tests, or the proxy for startOwn.
func TestMain(m *testing.M) {
	upstream := os.Getenv(childUpstream)
	if upstream == "" {
		m.Run()
		return
	}
	p, err := Start(Options{
		Upstreams: map[int32]string{0: upstream}, Clock: clock(),
		HeadersOnly: os.Getenv(childTrace) == "headers", Keep: 1, LongLived: true,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(p.Bootstrap())
	_, _ = io.Copy(io.Discard, os.Stdin)
	p.Close()
}
