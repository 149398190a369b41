package broker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

var decompressor = kgo.DefaultDecompressor()

// encode is a batch of records as a broker stores it.
func encode(wire kmsg.RecordBatch, codec kgo.CompressionCodec, records ...kmsg.Record) []byte {
	var body []byte
	for i, r := range records {
		if r.OffsetDelta == 0 {
			r.OffsetDelta = int32(i)
		}
		body = appendRecord(body, r)
	}
	compressor, err := kgo.DefaultCompressor(codec)
	if err != nil {
		panic(err)
	}
	if compressor != nil {
		var used kgo.CompressionCodecType
		body, used = compressor.Compress(new(bytes.Buffer), body)
		wire.Attributes |= int16(used)
	}
	wire.Magic, wire.Records = 2, body
	wire.NumRecords += int32(len(records))
	if wire.LastOffsetDelta == 0 {
		wire.LastOffsetDelta = max(int32(len(records))-1, 0)
	}
	return seal(wire.AppendTo(nil))
}

// appendRecord sets the length, which kmsg leaves to its caller.
func appendRecord(body []byte, r kmsg.Record) []byte {
	encoded := r.AppendTo(nil)
	body = binary.AppendVarint(body, int64(len(encoded)-1)) // without the one byte of length 0
	return append(body, encoded[1:]...)
}

// seal sets length and checksum to what the rest says.
func seal(raw []byte) []byte {
	binary.BigEndian.PutUint32(raw[lengthAt:], uint32(len(raw)-frameSize))
	binary.BigEndian.PutUint32(raw[crcAt:], crc32.Checksum(raw[attrsAt:], castagnoli))
	return raw
}

// wireOrder is order(n) as it stands in a batch.
func wireOrder(n int) (kmsg.Record, evidence.LogRecord) {
	sent, read := order(n)
	record := kmsg.Record{Key: sent.Key, Value: sent.Value}
	for _, h := range sent.Headers {
		record.Headers = append(record.Headers, kmsg.Header{Key: h.Key, Value: h.Value})
	}
	return record, read
}

// orders is n of them, the first at offset base.
func orders(base int64, n int) (records []kmsg.Record, want []evidence.LogRecord) {
	for i := range n {
		record, read := wireOrder(i)
		read.Offset = base + int64(i)
		records, want = append(records, record), append(want, read)
	}
	return records, want
}

func parse(raw []byte) ([]evidence.Batch, int, error) {
	var got []evidence.Batch
	n, err := parseBatches(raw, decompressor, func(b evidence.Batch) error {
		got = append(got, b)
		return nil
	})
	return got, n, err
}

func TestParseBatchesEveryCodec(t *testing.T) {
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			records, read := orders(40, 50)
			raw := encode(kmsg.RecordBatch{FirstOffset: 40, ProducerID: 7, ProducerEpoch: 2, FirstSequence: 11, Attributes: transactionalBit}, codec, records...)
			if compressed := raw[attrsAt+1]&codecBits != 0; compressed != (name != "none") {
				t.Fatalf("attributes %x: the batch does not test %s", raw[attrsAt+1], name)
			}
			want := []evidence.Batch{{
				BaseOffset: 40, LastOffset: 89, ProducerID: 7, ProducerEpoch: 2, BaseSequence: 11, Transactional: true, Records: read,
			}}
			got, n, err := parse(raw)
			if diff := cmp.Diff(want, got); diff != "" || err != nil || n != len(raw) {
				t.Errorf("%d of %d bytes, error %v, -want +got:\n%s", n, len(raw), err, diff)
			}
		})
	}
}

// Wherever an answer is cut, the whole batches before the cut are read.
func TestParseBatchesCutAnywhere(t *testing.T) {
	records, _ := orders(0, 2)
	one := encode(kmsg.RecordBatch{}, kgo.NoCompression(), records...)
	two := encode(kmsg.RecordBatch{FirstOffset: 2}, kgo.NoCompression(), records...)
	raw := slices.Concat(one, two)
	for cut := range len(raw) {
		want := 0
		if cut >= len(one) {
			want = len(one)
		}
		if _, n, err := parse(raw[:cut]); n != want || err != nil {
			t.Errorf("cut at %d: %d bytes taken, error %v, expected %d", cut, n, err, want)
		}
	}
}

// Every bit behind the checksum is covered by it.
func TestParseBatchesCorrupt(t *testing.T) {
	records, _ := orders(0, 2)
	clean := encode(kmsg.RecordBatch{FirstOffset: 17}, kgo.NoCompression(), records...)
	for at := crcAt; at < len(clean); at++ {
		raw := slices.Clone(clean)
		raw[at] ^= 0x10
		got, _, err := parse(raw)
		if got != nil || err == nil || !strings.HasPrefix(err.Error(), "batch at offset 17: checksum is ") {
			t.Fatalf("byte %d changed: %d batches, error %v", at, len(got), err)
		}
	}
}

func TestParseControlBatches(t *testing.T) {
	marker := func(key ...byte) []kmsg.Record { return []kmsg.Record{{Key: key, Value: make([]byte, 6)}} }
	tests := []struct {
		name    string
		records []kmsg.Record
		want    string
		err     string
	}{
		{"abort", marker(0, 0, 0, 0), "ABORT", ""},
		{"commit", marker(0, 0, 0, 1), "COMMIT", ""},
		{"later version", marker(0, 9, 0, 1), "COMMIT", ""},
		{"unknown type", marker(0, 0, 0, 2), "TYPE 2", ""},
		{"compacted away", nil, "EMPTY", ""},
		{"short key", marker(0, 0, 0), "", "batch at offset 5: control record: key of 3 bytes: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			raw := encode(kmsg.RecordBatch{FirstOffset: 5, ProducerID: 7, Attributes: controlBit | transactionalBit, FirstSequence: -1}, kgo.NoCompression(), test.records...)
			got, _, err := parse(raw)
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) {
					t.Errorf("error %v, expected %s...", err, test.err)
				}
				return
			}
			want := []evidence.Batch{{BaseOffset: 5, LastOffset: 5, ProducerID: 7, BaseSequence: -1, Transactional: true, Control: test.want}}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("error %v, -want +got:\n%s", err, diff)
			}
		})
	}
}

func TestForeignRecords(t *testing.T) {
	good, _ := wireOrder(1)
	id, send := good.Headers[0], good.Headers[1]
	broken := func(h kmsg.Header) kmsg.Header { return kmsg.Header{Key: h.Key, Value: []byte("?")} }
	tests := []struct {
		name    string
		headers []kmsg.Header
		foreign bool
	}{
		{"both", []kmsg.Header{id, send}, false},
		{"with padding", []kmsg.Header{{Key: "kc-pad", Value: make([]byte, 300)}, send, id}, false},
		{"the first of a name counts", []kmsg.Header{id, send, broken(id)}, false},
		{"none", nil, true},
		{"no send", []kmsg.Header{id}, true},
		{"no id", []kmsg.Header{send}, true},
		{"broken id", []kmsg.Header{broken(id), send}, true},
		{"broken send", []kmsg.Header{id, broken(send)}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			record := good
			record.Headers = test.headers
			_, want := wireOrder(1)
			if test.foreign {
				want = evidence.LogRecord{Key: want.Key, Foreign: true, Sum: evidence.Checksum(good.Key, good.Value, evidence.RecordID{})}
			}
			got, _, err := parse(encode(kmsg.RecordBatch{}, kgo.NoCompression(), record))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]evidence.LogRecord{want}, got[0].Records); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The sum is that of what stands in the log, not what the header claims.
func TestSumIsComputed(t *testing.T) {
	record, sent := wireOrder(1)
	record.Value = []byte("payment-9999")
	got, _, err := parse(encode(kmsg.RecordBatch{}, kgo.NoCompression(), record))
	if err != nil {
		t.Fatal(err)
	}
	r := got[0].Records[0]
	if r.Send.Sum != sent.Sum || r.Sum == sent.Sum {
		t.Errorf("sum %08x, sent %08x: expected them to differ", r.Sum, r.Send.Sum)
	}
}

func TestParseBatchesRefuses(t *testing.T) {
	records, _ := orders(0, 3)
	change := func(f func(raw []byte) []byte) []byte {
		return f(encode(kmsg.RecordBatch{FirstOffset: 9}, kgo.NoCompression(), records...))
	}
	gapped := slices.Clone(records)
	gapped[1].OffsetDelta, gapped[2].OffsetDelta = 7, 7
	tests := []struct {
		name string
		raw  []byte
		want string
	}{
		{"old format", change(func(raw []byte) []byte { raw[magicAt] = 1; return raw }), "record format 1: expected 2"},
		{"short length", change(func(raw []byte) []byte { raw[lengthAt+3], raw[lengthAt+2] = 48, 0; return raw }), "length 48: the header alone has 49"},
		{"unknown codec", change(func(raw []byte) []byte { raw[attrsAt+1] |= 7; return seal(raw) }), "decompress: "},
		{"not gzip", change(func(raw []byte) []byte { raw[attrsAt+1] |= 1; return seal(raw) }), "decompress: "},
		{"bytes left over", change(func(raw []byte) []byte { return seal(append(raw, 0)) }), "1 bytes behind the last record"},
		{"fewer than announced", encode(kmsg.RecordBatch{FirstOffset: 9, NumRecords: 1}, kgo.NoCompression(), records...), "record 3: longer than its batch"},
		{"far more than can be", encode(kmsg.RecordBatch{FirstOffset: 9, NumRecords: 1 << 30}, kgo.NoCompression(), records...), "1073741827 records in "},
		{"negative count", encode(kmsg.RecordBatch{FirstOffset: 9, NumRecords: -9}, kgo.NoCompression(), records...), "-6 records in "},
		{"offset repeated", encode(kmsg.RecordBatch{FirstOffset: 9, LastOffsetDelta: 9}, kgo.NoCompression(), gapped...), "record 2: offset delta 7 after 7"},
		{"offset outside", encode(kmsg.RecordBatch{FirstOffset: 9, LastOffsetDelta: 6}, kgo.NoCompression(), gapped...), "record 1: offset delta 7 after 0, the batch's last is 6"},
		{"negative last", encode(kmsg.RecordBatch{FirstOffset: 9, LastOffsetDelta: -1}, kgo.NoCompression()), "last offset delta -1 does not fit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := parse(test.raw)
			if want := "batch at offset 9: " + test.want; got != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%d batches, error %v, expected %s...", len(got), err, want)
			}
		})
	}
}

func TestParseBatchesOffsetsOverflow(t *testing.T) {
	records, _ := orders(0, 2)
	_, _, err := parse(encode(kmsg.RecordBatch{FirstOffset: math.MaxInt64}, kgo.NoCompression(), records...))
	if err == nil || !strings.HasSuffix(err.Error(), "last offset delta 1 does not fit") {
		t.Errorf("error %v", err)
	}
}

// FuzzParseBatches looks for a panic, and for a batch whose offsets would stop
// the reader or send it back. Each input is tried as it is and with a fitting
// length and checksum, so that the record parser is reached.
func FuzzParseBatches(f *testing.F) {
	records, _ := orders(0, 3)
	for _, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		f.Add(encode(kmsg.RecordBatch{FirstOffset: 9}, codec, records...))
	}
	f.Add(encode(kmsg.RecordBatch{Attributes: controlBit}, kgo.NoCompression(), kmsg.Record{Key: []byte{0, 0, 0, 1}}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		check(t, raw)
		if len(raw) >= headerSize {
			check(t, seal(slices.Clone(raw)))
		}
	})
}

func check(t *testing.T, raw []byte) {
	got, n, _ := parse(raw)
	if n < len(got)*headerSize || n > len(raw) {
		t.Errorf("%d batches in %d of %d bytes", len(got), n, len(raw))
	}
	for _, b := range got {
		previous := b.BaseOffset - 1
		for _, r := range b.Records {
			if r.Offset <= previous || r.Offset > b.LastOffset {
				t.Errorf("offset %d after %d in a batch of %d to %d", r.Offset, previous, b.BaseOffset, b.LastOffset)
			}
			previous = r.Offset
		}
		if b.BaseOffset < 0 || b.LastOffset < b.BaseOffset {
			t.Errorf("batch of %d to %d", b.BaseOffset, b.LastOffset)
		}
	}
}

// Clean batches as fetched: header parsed, checksum verified, records with
// their identities and sums.
func BenchmarkParseBatches(b *testing.B) {
	for _, size := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("records=%d", size), func(b *testing.B) {
			records, _ := orders(0, size)
			raw := encode(kmsg.RecordBatch{}, kgo.NoCompression(), records...)
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := parseBatches(raw, decompressor, func(evidence.Batch) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
