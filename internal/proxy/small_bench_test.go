//go:build unix

package proxy

import (
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
)

// BenchmarkSmallRequests sends Produce requests with one record to a sink and waits for
// each answer: one directly, one through the proxy with its trace, in turn, so that a busy
// machine hits both. It reports medians, in microseconds:
//
//	direct-us   request and answer without a proxy
//	proxied-us  through the proxy
//	added-us    the median of what a request took longer than the direct one before it
//
// Client, proxy and sink are one process on loopback; with one of two cores busy
// elsewhere a wake-up costs more than the proxy does.
func BenchmarkSmallRequests(b *testing.B) {
	addr := sink(b)
	p, err := Start(Options{Upstreams: map[int32]string{0: addr}, Clock: clock(), Keep: 10})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	frame, answer := smallFrame(b), sinkAnswer() // which is read into, and stays what it is
	direct, proxied := dialOnce(b, addr), dialOnce(b, p.Bootstrap())
	for range warmPairs {
		exchange(b, direct, frame, answer)
		exchange(b, proxied, frame, answer)
	}
	var directly, through, added []time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		d, t := exchange(b, direct, frame, answer), exchange(b, proxied, frame, answer)
		directly, through, added = append(directly, d), append(through, t), append(added, t-d)
	}
	b.StopTimer()
	if problems := p.Observed().Problems; len(problems) > 0 {
		b.Fatalf("problems: %q", problems)
	}
	b.ReportMetric(medianUS(directly), "direct-us")
	b.ReportMetric(medianUS(through), "proxied-us")
	b.ReportMetric(medianUS(added), "added-us")
}

const warmPairs = 200

func dialOnce(b *testing.B, addr string) net.Conn {
	b.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn
}

// exchange is the time from the first byte of a request to the last of its answer.
func exchange(b *testing.B, conn net.Conn, frame, answer []byte) time.Duration {
	b.Helper()
	start := time.Now()
	if _, err := conn.Write(frame); err != nil {
		b.Fatal(err)
	}
	if _, err := io.ReadFull(conn, answer); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// smallFrame is a request with one record of 100 bytes.
func smallFrame(b *testing.B) []byte {
	b.Helper()
	header := kmsg.NewRecordBatch()
	header.ProducerID = 7
	raw, err := batch.Encode(header, kgo.NoCompression(), marked(0, make([]byte, 100)))
	if err != nil {
		b.Fatal(err)
	}
	req := produceTo(9, -1, "bench", map[int32][]byte{0: raw})
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID("bench")).AppendRequest(nil, req, 1)
}

func medianUS(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2]) / float64(time.Microsecond)
}
