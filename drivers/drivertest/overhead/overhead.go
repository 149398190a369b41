//go:build unix

// Package overhead measures what a driver costs beside its library: the loop of a
// benchmark that is written directly on the library, and what `kcompare serve-client`
// does, which is clients.Serve with the driver. Both send the same records with the same
// settings to a sink, in rounds that take turns, so that a busy machine hits both.
package overhead

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
)

// Direct is a loop on a library without a driver: a producer that is connected.
type Direct interface {
	// Play sends so many records of Values to Topic, and returns when all are reported.
	// It counts reports of failure, which are an error.
	Play(count int) error
	Close()
}

// Topic is where records go.
const Topic = "kcompare-overhead"

// ValueBytes is how long values are: short ones leave a driver the least room.
const ValueBytes = 100

// Settings are those of both. What a Direct sets by hand says the same.
func Settings(servers string) map[string]string {
	return map[string]string{
		"bootstrap.servers": servers, "acks": "all", "enable.idempotence": "true", "linger.ms": "5",
		"batch.size": "131072", "compression.type": "none", "max.in.flight.requests.per.connection": "5",
		"queue.buffering.max.messages": "500000",
	}
}

// Values makes the values of records as a bulk has them, of pieces of memory that are
// not used again.
type Values struct{ left []byte }

// Next is number n.
func (v *Values) Next(n int) []byte {
	if len(v.left) < ValueBytes {
		v.left = bytes.Repeat([]byte{'.'}, 256<<10)
	}
	value := v.left[:ValueBytes:ValueBytes]
	strconv.AppendInt(value[:0], int64(n), 10)
	v.left = v.left[ValueBytes:]
	return value
}

// Records are those of a round.
const Records = 200_000

// Benchmark plays b.N rounds of each, and reports
//
//	of-direct         the driver's throughput as a part of the direct loop's: the median of rounds
//	of-direct-cpu     the same of records for a second of processor time of the process
//	records/s         of the driver, in its median round
//	cpu-ns/record     processor time, kernel included
//	objects/record    that Go's runtime allocated, and direct-objects/record
func Benchmark(b *testing.B, d drivers.Driver, direct func(servers string) (Direct, error), more map[string]string) {
	servers := StartSink(b)
	without, err := direct(servers)
	if err != nil {
		b.Fatal(err)
	}
	defer without.Close()
	config := Settings(servers)
	maps.Copy(config, more)
	with := startServing(b, d, config)
	defer with.end(b)
	loops := [2]*loop{{play: without.Play}, {play: with.play}}
	for _, l := range loops { // connected, and buffers have grown
		l.round(b)
		l.rounds = nil
	}
	b.ResetTimer()
	for n := range b.N {
		loops[n%2].round(b)
		loops[1-n%2].round(b)
	}
	b.StopTimer()
	report(b, loops[0], loops[1])
}

func report(b *testing.B, direct, driver *loop) {
	took := func(r round) float64 { return r.took.Seconds() }
	cpu := func(r round) float64 { return r.cpu.Seconds() }
	objects := func(r round) float64 { return r.objects }
	b.ReportMetric(direct.over(driver, took), "of-direct")
	b.ReportMetric(direct.over(driver, cpu), "of-direct-cpu")
	b.ReportMetric(Records/driver.median(took), "records/s")
	b.ReportMetric(1e9*driver.median(cpu)/Records, "cpu-ns/record")
	b.ReportMetric(driver.median(objects)/Records, "objects/record")
	b.ReportMetric(direct.median(objects)/Records, "direct-objects/record")
}

// loop is one of the two, with what its rounds cost.
type loop struct {
	play   func(count int) error
	rounds []round
}

type round struct {
	took, cpu time.Duration
	objects   float64
}

// over is the median of quotients of rounds that followed each other: of a machine that
// is slower for some of them, both took more.
func (l *loop) over(other *loop, of func(round) float64) float64 {
	var all []float64
	for i, r := range l.rounds {
		all = append(all, of(r)/of(other.rounds[i]))
	}
	return Median(all)
}

func (l *loop) median(of func(round) float64) float64 {
	var all []float64
	for _, r := range l.rounds {
		all = append(all, of(r))
	}
	return Median(all)
}

// Median sorts its argument.
func Median(all []float64) float64 {
	slices.Sort(all)
	return (all[len(all)/2] + all[(len(all)-1)/2]) / 2
}

func (l *loop) round(b *testing.B) {
	runtime.GC() // what the other one left
	objects, began, cpu := allocations(), time.Now(), processorTime(b)
	if err := l.play(Records); err != nil {
		b.Fatal(err)
	}
	l.rounds = append(l.rounds, round{took: time.Since(began), cpu: processorTime(b) - cpu, objects: float64(allocations() - objects)})
}

func allocations() uint64 {
	heap := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(heap)
	return heap[0].Value.Uint64()
}

// serving is clients.Serve with a driver, in this process.
type serving struct {
	in    io.WriteCloser
	out   *bufio.Reader
	id    int
	ended chan error
}

func startServing(b *testing.B, d drivers.Driver, config map[string]string) *serving {
	b.Helper()
	in, requests := io.Pipe()
	lines, out := io.Pipe()
	s := &serving{in: requests, out: bufio.NewReader(lines), ended: make(chan error, 1)}
	go func() { s.ended <- clients.Serve(in, out, d) }()
	if err := s.ask("new-producer", map[string]any{"settings": config}); err != nil {
		b.Fatal(err)
	}
	return s
}

func (s *serving) play(count int) error {
	return s.ask("produce-many", map[string]any{"topic": Topic, "partition": -1, "count": count, "value_bytes": ValueBytes})
}

// ask sends a request and reads lines up to its answer. A report of failure is an error.
func (s *serving) ask(verb string, members map[string]any) error {
	s.id++
	members["id"], members["verb"], members["handle"] = s.id, verb, "p"
	line, err := json.Marshal(members)
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return err
	}
	answer := fmt.Appendf(nil, `{"id":%d`, s.id)
	for {
		line, err := s.out.ReadSlice('\n')
		if err != nil {
			return err
		}
		if bytes.Contains(line, []byte(`"error"`)) {
			return fmt.Errorf("%s: %s", verb, line)
		}
		if bytes.HasPrefix(line, answer) {
			return nil
		}
	}
}

func (s *serving) end(b *testing.B) {
	if err := s.ask("close", map[string]any{}); err != nil {
		b.Error(err)
	}
	_ = s.in.Close()
	if err := <-s.ended; err != nil {
		b.Error(err)
	}
}

// processorTime is what this process has used, kernel included.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
