package batch

import (
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

// codecs are all that Kafka has.
func codecs() map[string]kgo.CompressionCodec {
	return map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
}

// encode is a batch of records at the offset that b has.
func encode(t testing.TB, b kmsg.RecordBatch, codec kgo.CompressionCodec, records ...kmsg.Record) []byte {
	t.Helper()
	raw, err := Encode(b, codec, records...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// odd is a batch at offset 9 whose header and offsets are what the test says,
// right or wrong.
func odd(count, lastDelta int32, records ...kmsg.Record) []byte {
	b := kmsg.RecordBatch{FirstOffset: 9, NumRecords: count, LastOffsetDelta: lastDelta}
	for _, r := range records {
		b.Records = appendRecord(b.Records, r)
	}
	return seal(b.AppendTo(nil))
}

// order is a record with identities, and how it reads back.
func order(n int) (kmsg.Record, evidence.LogRecord) {
	id := evidence.RecordID{Role: "orders", N: n}
	key, value := fmt.Sprintf("order-%04d", n), fmt.Sprintf("payment-%04d", n)
	send := evidence.SendID{Instance: 1, Ordinal: n, Sum: evidence.Checksum([]byte(key), []byte(value), id)}
	record := kmsg.Record{Key: []byte(key), Value: []byte(value), Headers: []kmsg.Header{
		{Key: evidence.IDHeader, Value: []byte(id.String())},
		{Key: evidence.SendHeader, Value: []byte(send.String())},
	}}
	return record, evidence.LogRecord{Key: key, ID: id, Send: send, Sum: send.Sum}
}

// orders is n of them, the first at offset base.
func orders(base int64, n int) (records []kmsg.Record, want []evidence.LogRecord) {
	for i := range n {
		record, read := order(i)
		read.Offset = base + int64(i)
		records, want = append(records, record), append(want, read)
	}
	return records, want
}

// parse keeps what Parse hands on.
func parse(p *Parser, raw []byte) ([]evidence.Batch, int, error) {
	var got []evidence.Batch
	n, err := p.Parse(raw, func(b evidence.Batch) error {
		b.Records = slices.Clone(b.Records)
		got = append(got, b)
		return nil
	})
	return got, n, err
}

// The same records in every codec give the same values, whether the header alone
// is read, the identities, or everything. One parser reads them all, longer and
// shorter ones in turn, so that nothing is left over from the batch before.
func TestEveryCodec(t *testing.T) {
	p := NewParser()
	for name, codec := range codecs() {
		for _, n := range []int{50, 3, 400} {
			t.Run(fmt.Sprintf("%s of %d", name, n), func(t *testing.T) {
				records, read := orders(40, n)
				raw := encode(t, kmsg.RecordBatch{
					FirstOffset: 40, ProducerID: 7, ProducerEpoch: 2, FirstSequence: 11, Attributes: transactionalBit,
				}, codec, records...)
				h, err := ReadHeader(raw)
				wantHeader := Header{
					Sum:  crc32.Checksum(raw[attributesAt:], castagnoli),
					Size: len(raw), BaseOffset: 40, LastOffsetDelta: int32(n - 1), Attributes: h.Attributes,
					ProducerID: 7, ProducerEpoch: 2, BaseSequence: 11, Records: int32(n),
				}
				if diff := cmp.Diff(wantHeader, h); diff != "" || err != nil || !h.Transactional() || h.Control() {
					t.Errorf("error %v, header -want +got:\n%s", err, diff)
				}
				if compressed := h.Codec() != kgo.CodecNone; compressed != (name != "none") {
					t.Fatalf("codec %d: the batch does not test %s", h.Codec(), name)
				}
				want := []evidence.Batch{{
					BaseOffset: 40, LastOffset: int64(40 + n - 1), ProducerID: 7, ProducerEpoch: 2, BaseSequence: 11, Transactional: true, Records: read,
				}}
				got, size, err := parse(p, raw)
				if diff := cmp.Diff(want, got); diff != "" || err != nil || size != len(raw) {
					t.Errorf("%d of %d bytes, error %v, -want +got:\n%s", size, len(raw), err, diff)
				}
				var wantIDs []evidence.RecordID
				var wantSends []evidence.SendID
				for _, r := range read {
					wantIDs, wantSends = append(wantIDs, r.ID), append(wantSends, r.Send)
				}
				ids, sends, err := p.Identities(h, raw)
				if diff := cmp.Diff(wantIDs, ids) + cmp.Diff(wantSends, sends); diff != "" || err != nil {
					t.Errorf("error %v, identities -want +got:\n%s", err, diff)
				}
			})
		}
	}
}

// Wherever an answer is cut, the whole batches before the cut are read.
func TestParseCutAnywhere(t *testing.T) {
	records, _ := orders(0, 2)
	one := encode(t, kmsg.RecordBatch{}, kgo.NoCompression(), records...)
	two := encode(t, kmsg.RecordBatch{FirstOffset: 2}, kgo.NoCompression(), records...)
	raw := slices.Concat(one, two)
	for cut := range len(raw) {
		want := 0
		if cut >= len(one) {
			want = len(one)
		}
		if _, n, err := parse(NewParser(), raw[:cut]); n != want || err != nil {
			t.Errorf("cut at %d: %d bytes taken, error %v, expected %d", cut, n, err, want)
		}
	}
}

// Every bit behind the checksum is covered by it.
func TestParseCorrupt(t *testing.T) {
	records, _ := orders(0, 2)
	clean := encode(t, kmsg.RecordBatch{FirstOffset: 17}, kgo.NoCompression(), records...)
	for at := crcAt; at < len(clean); at++ {
		raw := slices.Clone(clean)
		raw[at] ^= 0x10
		got, _, err := parse(NewParser(), raw)
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
			raw := encode(t, kmsg.RecordBatch{FirstOffset: 5, ProducerID: 7, Attributes: controlBit | transactionalBit, FirstSequence: -1}, kgo.NoCompression(), test.records...)
			got, _, err := parse(NewParser(), raw)
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
	good, _ := order(1)
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
		{"id without a value", []kmsg.Header{{Key: id.Key}, send, id}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			record := good
			record.Headers = test.headers
			_, want := order(1)
			if test.foreign {
				want = evidence.LogRecord{Key: want.Key, Foreign: true, Sum: evidence.Checksum(good.Key, good.Value, evidence.RecordID{})}
			}
			got, _, err := parse(NewParser(), encode(t, kmsg.RecordBatch{}, kgo.NoCompression(), record))
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
	record, sent := order(1)
	record.Value = []byte("payment-9999")
	got, _, err := parse(NewParser(), encode(t, kmsg.RecordBatch{}, kgo.NoCompression(), record))
	if err != nil {
		t.Fatal(err)
	}
	r := got[0].Records[0]
	if r.Send.Sum != sent.Sum || r.Sum == sent.Sum {
		t.Errorf("sum %08x, sent %08x: expected them to differ", r.Sum, r.Send.Sum)
	}
}

func TestParseRefuses(t *testing.T) {
	records, _ := orders(0, 3)
	for i := range records {
		records[i].OffsetDelta = int32(i)
	}
	change := func(f func(raw []byte) []byte) []byte { return f(odd(3, 2, records...)) }
	gapped := slices.Clone(records)
	gapped[1].OffsetDelta, gapped[2].OffsetDelta = 7, 7
	tests := []struct {
		name string
		raw  []byte
		want string
	}{
		{"old format", change(func(raw []byte) []byte { raw[magicAt] = 1; return raw }), "record format 1: expected 2"},
		{"short length", change(func(raw []byte) []byte { raw[lengthAt+3], raw[lengthAt+2] = 48, 0; return raw }), "length 48: the header alone has 49"},
		{"unknown codec", change(func(raw []byte) []byte { raw[attributesAt+1] |= 7; return seal(raw) }), "decompress: "},
		{"not gzip", change(func(raw []byte) []byte { raw[attributesAt+1] |= 1; return seal(raw) }), "decompress: "},
		{"bytes left over", change(func(raw []byte) []byte { return seal(append(raw, 0)) }), "1 bytes behind the last record"},
		{"fewer than announced", odd(4, 2, records...), "record 3: longer than its batch"},
		{"far more than can be", odd(1<<30, 2, records...), "1073741824 records in "},
		{"negative count", odd(-6, 2, records...), "-6 records in "},
		{"offset repeated", odd(3, 9, gapped...), "record 2: offset delta 7 after 7"},
		{"offset outside", odd(3, 6, gapped...), "record 1: offset delta 7 after 0, the batch's last is 6"},
		{"negative last", odd(0, -1), "last offset delta -1 does not fit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := parse(NewParser(), test.raw)
			if want := "batch at offset 9: " + test.want; got != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%d batches, error %v, expected %s...", len(got), err, want)
			}
		})
	}
}

// A record is cut by its length, and its fields have to fill it.
func TestParseRefusesFields(t *testing.T) {
	record, _ := order(1)
	encoded := appendRecord(nil, record)
	_, prefix := binary.Varint(encoded)
	fields := encoded[prefix:]
	for name, fields := range map[string][]byte{
		"too many bytes":         append(slices.Clone(fields), 0),
		"a varint without end":   append(slices.Clone(fields[:1]), slices.Repeat([]byte{0xff}, 20)...),
		"a header that is short": fields[:len(fields)-1],
		"no header count":        {0, 0, 0, 2, 'k', 2, 'v'},
	} {
		b := kmsg.RecordBatch{FirstOffset: 9, NumRecords: 1}
		b.Records = append(binary.AppendVarint(nil, int64(len(fields))), fields...)
		got, _, err := parse(NewParser(), seal(b.AppendTo(nil)))
		const want = "batch at offset 9: record 0: its fields do not fill its length"
		if got != nil || err == nil || err.Error() != want {
			t.Errorf("%s: %d batches, error %v, expected %s", name, len(got), err, want)
		}
	}
}

func TestParseOffsetsOverflow(t *testing.T) {
	records, _ := orders(0, 2)
	_, _, err := parse(NewParser(), encode(t, kmsg.RecordBatch{FirstOffset: math.MaxInt64}, kgo.NoCompression(), records...))
	if err == nil || !strings.HasSuffix(err.Error(), "last offset delta 1 does not fit") {
		t.Errorf("error %v", err)
	}
}

// Gaps are what compaction leaves: offsets are those of the records that stayed.
func TestParseGaps(t *testing.T) {
	records, read := orders(9, 2)
	records[0].OffsetDelta, records[1].OffsetDelta = 3, 7
	read[0].Offset, read[1].Offset = 12, 16
	got, _, err := parse(NewParser(), odd(2, 9, records...))
	want := []evidence.Batch{{BaseOffset: 9, LastOffset: 18, Records: read}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
}

// One buffer takes what every batch decompresses to.
func TestDecompressReusesMemory(t *testing.T) {
	records, _ := orders(0, 100)
	for name, codec := range codecs() {
		if name == "none" {
			continue
		}
		p, raw := NewParser(), encode(t, kmsg.RecordBatch{}, codec, records...)
		var at []*byte
		for range 2 {
			if _, _, err := parse(p, raw); err != nil {
				t.Fatal(err)
			}
			at = append(at, &p.plain.bytes[:1][0])
		}
		if at[0] != at[1] {
			t.Errorf("%s: the second batch got memory of its own", name)
		}
	}
}

// What is kept of a batch is not changed by the next one.
func TestParseKeepsKeys(t *testing.T) {
	p := NewParser()
	records, read := orders(0, 3)
	others, _ := orders(0, 3)
	for i := range others {
		others[i].Key, others[i].Headers = []byte("OTHER-0000"), nil
	}
	got, _, err := parse(p, slices.Concat(
		encode(t, kmsg.RecordBatch{}, kgo.ZstdCompression(), records...),
		encode(t, kmsg.RecordBatch{FirstOffset: 3}, kgo.ZstdCompression(), others...)))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d batches, error %v", len(got), err)
	}
	if diff := cmp.Diff(read, got[0].Records); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseAllocates(t *testing.T) {
	records, _ := orders(0, 1000)
	raw := encode(t, kmsg.RecordBatch{}, kgo.NoCompression(), records...)
	p := NewParser()
	got := testing.AllocsPerRun(20, func() {
		if _, err := p.Parse(raw, func(evidence.Batch) error { return nil }); err != nil {
			t.Error(err)
		}
	})
	if got > 1 {
		t.Errorf("%v allocations for a batch of 1000 records, expected one, of its keys", got)
	}
}
