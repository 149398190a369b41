package proxy

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// inFlight is how many frames the benchmark lets travel at once, as a producer
// does.
const inFlight = 5

// BenchmarkProduce1MiB sends Produce frames of 1 MiB over loopback to a server
// that reads them and answers with a few bytes: once directly, once through the
// proxy with its trace. The difference is what the proxy costs.
func BenchmarkProduce1MiB(b *testing.B) {
	value := kmsg.NewRecord()
	value.Value = make([]byte, 1<<20)
	frame := kmsg.NewRequestFormatter(kmsg.FormatterClientID("bench")).
		AppendRequest(nil, produceTo(9, -1, "bench", map[int32][]byte{0: batchOf(value)}), 1)
	resp := kmsg.NewPtrProduceResponse()
	resp.Version = 9
	answer := append([]byte{0, 0, 0, 0, 0, 0, 0, 1, 0}, resp.AppendTo(nil)...)
	binary.BigEndian.PutUint32(answer, uint32(len(answer)-sizeBytes))

	addr := discard(b, answer)
	b.Run("direct", func(b *testing.B) { stream(b, addr, frame, len(answer)) })
	b.Run("proxy", func(b *testing.B) {
		p, err := Start(Options{Upstreams: map[int32]string{0: addr}, Clock: clock()})
		if err != nil {
			b.Fatal(err)
		}
		defer p.Close()
		stream(b, p.Bootstrap(), frame, len(answer))
		if problems := p.Observed().Problems; len(problems) > 0 {
			b.Fatalf("problems: %q", problems)
		}
	})
}

// discard answers each frame, and keeps nothing of it.
func discard(b *testing.B, answer []byte) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				for from := newFrameReader(conn, "bench"); ; {
					if _, err := from.next(); err != nil {
						return
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			})
		}
	})
	b.Cleanup(func() { l.Close(); running.Wait() })
	return l.Addr().String()
}

func stream(b *testing.B, addr string, frame []byte, answer int) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	window := make(chan bool, inFlight)
	var reader sync.WaitGroup
	reader.Go(func() {
		got := make([]byte, answer)
		for range b.N {
			if _, err := io.ReadFull(conn, got); err != nil {
				b.Errorf("read an answer: %v", err)
				return
			}
			<-window
		}
	})
	for range b.N {
		window <- true
		if _, err := conn.Write(frame); err != nil {
			b.Fatal(err)
		}
	}
	reader.Wait()
}
