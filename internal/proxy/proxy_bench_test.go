//go:build unix

package proxy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

const (
	inFlight   = 5 // frames that travel at once, as a producer lets them
	roundOf    = 16
	recordSize = 1000 // bytes of a value
)

// BenchmarkProduce1MiB sends Produce frames with 1 MiB of records over loopback to
// a sink: directly and through the proxy with its trace, sixteen frames each in
// turn, so that a busy machine hits both. Time, MB/s and allocations are those of
// the frames through the proxy, and
//
//	of-direct      their throughput as a part of the direct one
//	cpu-s/GiB      processor time of the process beyond that of the direct frames
//	direct-MiB/s   what the machine does without a proxy
//	wire-KiB/op    size of a frame
//
// GiB and MB are those of the records before a codec. Records have 1000 bytes and
// identities, a frame is one batch of them.
func BenchmarkProduce1MiB(b *testing.B) {
	b.Run("headers", func(b *testing.B) { benchmarkProduce(b, kgo.NoCompression(), Options{HeadersOnly: true}) })
	b.Run("records", func(b *testing.B) { benchmarkProduce(b, kgo.NoCompression(), Options{}) })
}

// BenchmarkProduceCodecs decodes the records of every codec.
func BenchmarkProduceCodecs(b *testing.B) {
	for _, name := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		b.Run(name, func(b *testing.B) { benchmarkProduce(b, codecs()[name], Options{}) })
	}
}

func benchmarkProduce(b *testing.B, codec kgo.CompressionCodec, opts Options) {
	frame, plain := produceFrame(b, codec)
	addr := sink(b)
	opts.Upstreams, opts.Clock, opts.Keep = map[int32]string{0: addr}, clock(), 10
	p, err := Start(opts)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	direct, proxied := dialSink(b, addr, frame), dialSink(b, p.Bootstrap(), frame)
	b.SetBytes(int64(plain))
	b.ReportAllocs()
	b.ResetTimer()
	for sent := 0; sent < b.N; sent += roundOf {
		n := min(roundOf, b.N-sent)
		b.StopTimer()
		direct.round(n)
		b.StartTimer()
		proxied.round(n)
	}
	b.StopTimer()
	if problems := p.Observed().Problems; len(problems) > 0 {
		b.Fatalf("problems: %q", problems)
	}
	const mib = 1 << 20
	bytes := float64(plain) * float64(b.N)
	b.ReportMetric(direct.took.Seconds()/proxied.took.Seconds(), "of-direct")
	b.ReportMetric((proxied.cpu-direct.cpu).Seconds()/(bytes/(1<<30)), "cpu-s/GiB")
	b.ReportMetric(bytes/mib/direct.took.Seconds(), "direct-MiB/s")
	b.ReportMetric(bytes/mib/proxied.took.Seconds(), "MiB/s")
	b.ReportMetric(float64(len(frame))/1024, "wire-KiB/op")
}

// produceFrame is a request with 1 MiB of records, and how many bytes these are
// before the codec.
func produceFrame(b *testing.B, codec kgo.CompressionCodec) (frame []byte, plain int) {
	chance := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("order payment customer amount currency accepted shipped refunded pending address")
	var records []kmsg.Record
	for n := 0; plain < 1<<20; n++ {
		var value []byte
		for len(value) < recordSize {
			value = fmt.Appendf(value, "%q:%d,", words[chance.IntN(len(words))], chance.IntN(1_000_000))
		}
		records = append(records, marked(n, value[:recordSize]))
		plain += recordSize
	}
	header := kmsg.NewRecordBatch()
	header.ProducerID, header.FirstSequence = 7, 0
	raw, err := batch.Encode(header, codec, records...)
	if err != nil {
		b.Fatal(err)
	}
	req := produceTo(9, -1, "bench", map[int32][]byte{0: raw})
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID("bench")).AppendRequest(nil, req, 1), plain
}

// marked is a record as drivers send it.
func marked(n int, value []byte) kmsg.Record {
	id := evidence.RecordID{Role: "payments", N: n}
	send := evidence.SendID{Instance: 1, Ordinal: n, Sum: evidence.Checksum(nil, value, id)}
	return kmsg.Record{Value: value, Headers: []kmsg.Header{
		{Key: evidence.IDHeader, Value: []byte(id.String())},
		{Key: evidence.SendHeader, Value: []byte(send.String())},
	}}
}

// sinkAnswer is the whole answer to each frame, which all have correlation id 1.
func sinkAnswer() []byte {
	resp := kmsg.NewPtrProduceResponse()
	resp.Version = 9
	answer := append([]byte{0, 0, 0, 0, 0, 0, 0, 1, 0}, resp.AppendTo(nil)...)
	binary.BigEndian.PutUint32(answer, uint32(len(answer)-sizeBytes))
	return answer
}

// sink stands in for a broker that costs next to nothing: it reads each frame as a
// whole into the same memory, looks at no byte of it, and answers with the few
// bytes of an empty Produce answer.
func sink(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	answer := sinkAnswer()
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

// stream is a connection that sends the same frame again and again, and what that
// took so far.
type stream struct {
	b      *testing.B
	conn   net.Conn
	frame  []byte
	answer int

	took, cpu time.Duration
	rounds    []time.Duration // of took
}

func dialSink(b *testing.B, addr string, frame []byte) *stream {
	b.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	s := &stream{b: b, conn: conn, frame: frame, answer: len(sinkAnswer())}
	s.round(roundOf) // buffers have grown before anything is measured
	s.took, s.cpu, s.rounds = 0, 0, nil
	return s
}

// round sends n frames and waits for their answers.
func (s *stream) round(n int) {
	start, cpu := time.Now(), processorTime()
	window := make(chan bool, inFlight)
	var reader sync.WaitGroup
	reader.Go(func() {
		got := make([]byte, s.answer)
		for range n {
			if _, err := io.ReadFull(s.conn, got); err != nil {
				s.b.Errorf("read an answer: %v", err)
				return
			}
			<-window
		}
	})
	for range n {
		window <- true
		if _, err := s.conn.Write(s.frame); err != nil {
			s.b.Fatal(err)
		}
	}
	reader.Wait()
	took := time.Since(start)
	s.took, s.rounds = s.took+took, append(s.rounds, took)
	s.cpu += processorTime() - cpu
}

// processorTime is what this process has used, kernel included.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
