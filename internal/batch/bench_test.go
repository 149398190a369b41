package batch

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

// BenchmarkParse reads clean batches as fetched: header parsed, checksum
// verified, records of about 125 bytes with their identities and sums.
func BenchmarkParse(b *testing.B) {
	for _, size := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("records=%d", size), func(b *testing.B) {
			benchmarkParse(b, kgo.NoCompression(), size)
		})
	}
	for name, codec := range codecs() {
		b.Run("codec="+name, func(b *testing.B) { benchmarkParse(b, codec, 1000) })
	}
}

func benchmarkParse(b *testing.B, codec kgo.CompressionCodec, size int) {
	records, _ := orders(0, size)
	for i := range records {
		records[i].Value = append(records[i].Value, bytes.Repeat([]byte("."), 50)...)
	}
	plain := len(encode(b, kmsg.RecordBatch{}, kgo.NoCompression(), records...))
	raw := encode(b, kmsg.RecordBatch{}, codec, records...)
	p := NewParser()
	b.ReportAllocs()
	b.SetBytes(int64(plain))
	for b.Loop() {
		if _, err := p.Parse(raw, func(evidence.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	n := float64(b.N * size)
	b.ReportMetric(n/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/record")
	b.ReportMetric(float64(plain-headerSize)/float64(size), "bytes/record")
}

// BenchmarkIdentities is what a relay pays for records beside their headers.
func BenchmarkIdentities(b *testing.B) {
	records, _ := orders(0, 1000)
	raw := encode(b, kmsg.RecordBatch{}, kgo.NoCompression(), records...)
	h, err := ReadHeader(raw)
	if err != nil {
		b.Fatal(err)
	}
	p := NewParser()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := p.Identities(h, raw); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(records)), "ns/record")
}
