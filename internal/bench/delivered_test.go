package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
	"kcompare/internal/batch"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// rawBatch is records first to first+count-1 of a load as a broker keeps them.
func rawBatch(t testing.TB, load evidence.BenchLoad, first, count int64, codec kgo.CompressionCodec, header kmsg.RecordBatch) []byte {
	t.Helper()
	var records []kmsg.Record
	for n := first; n < first+count; n++ {
		r := recordOf(n, load)
		records = append(records, kmsg.Record{Key: r.Key, Value: r.Value})
	}
	raw, err := batch.Encode(header, codec, records...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// marker is the end of a transaction.
func marker(t testing.TB, id int64, commit bool) []byte {
	t.Helper()
	kind := byte(0)
	if commit {
		kind = 1
	}
	const control, transactional = 0x20, 0x10
	raw, err := batch.Encode(kmsg.RecordBatch{Attributes: control | transactional, ProducerID: id}, kgo.NoCompression(),
		kmsg.Record{Key: []byte{0, 0, 0, kind}, Value: []byte{0, 0, 0, 0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func visit(t testing.TB, d *delivered, raw []byte) {
	t.Helper()
	p := &partition{delivered: d, open: map[int64][]held{}}
	if n, err := batch.NewParser().Visit(raw, p); err != nil || n != len(raw) {
		t.Fatalf("%d of %d bytes, error %v", n, len(raw), err)
	}
}

// TestDeliveredTransactions: only what was committed counts, whoever's transactions
// stand between each other.
func TestDeliveredTransactions(t *testing.T) {
	load := evidence.BenchLoad{Records: 40, RecordBytes: 20, Partitions: 1}
	of := func(id int64) kmsg.RecordBatch { return kmsg.RecordBatch{Attributes: 0x10, ProducerID: id} }
	none := kgo.NoCompression()
	d := newDelivered(load, false)
	var raw []byte
	for _, b := range [][]byte{
		rawBatch(t, load, 0, 10, none, of(1)),
		rawBatch(t, load, 10, 10, kgo.GzipCompression(), of(2)),
		marker(t, 1, true),
		rawBatch(t, load, 20, 10, none, of(1)),
		marker(t, 2, false), // 10 to 19 were aborted
		rawBatch(t, load, 10, 10, none, of(2)),
		marker(t, 1, true),
		marker(t, 2, true),
		rawBatch(t, load, 30, 10, none, of(3)), // open
	} {
		raw = append(raw, b...)
	}
	visit(t, d, raw)
	got := fmt.Sprint(d.records, d.lost(), d.duplicates, d.foreign, d.bytes, d.batches, d.markers)
	if want := "30 10 0 0 600 5 map[0:3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"lost 10 of 40 records"}, d.void()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if why := d.transactions(3); why != nil {
		t.Error(why)
	}
	if why := d.transactions(4); len(why) != 1 || !strings.Contains(why[0], "tells of 4 transactions, and the markers in the log are those of 3 to 3") {
		t.Error(why)
	}
}

// TestDeliveredNumber: what is a record of the turn, and what is none.
func TestDeliveredNumber(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		want       int64
	}{
		{"key-2", "12........", 12},
		{"key-2", "12", 12}, // the number alone, as tools write it
		{"key-2", "12.", 12},
		{"key-9", "99........", 99},
		{"key-0", "100.......", isForeign},
		{"key-2", "12.........", isForeign}, // longer than it may be
		{"key-2", "12.......!", isForeign},
		{"key-2", "", isForeign},
		{"key-2", "..........", isForeign},
		{"key-2", "-12.......", isForeign},
		{"", "12........", isForeign},
		{"key-3", "12........", isForeign},
		{"key-2", strings.Repeat("9", 30), isForeign},
	} {
		d := newDelivered(evidence.BenchLoad{Records: 100, RecordBytes: 8, Keys: 10}, false)
		if got := d.number([]byte(tt.key), []byte(tt.value)); got != tt.want {
			t.Errorf("key %q, value %q: %d, want %d", tt.key, tt.value, got, tt.want)
		}
	}
}

// TestDeliveredCounted: where records have no number, too few are lost and too many are
// duplicates.
func TestDeliveredCounted(t *testing.T) {
	for count, want := range map[int64]string{9: "9 1 0", 10: "10 0 0", 12: "10 0 2"} {
		d := newDelivered(evidence.BenchLoad{Records: 10, RecordBytes: 5}, true)
		for range count {
			d.add(d.number(nil, []byte("SSXOR")), 5)
		}
		if got := fmt.Sprint(d.records, d.lost(), d.duplicates); got != want {
			t.Errorf("%d records: %s, want %s", count, got, want)
		}
	}
}

// TestReads: runs cover the offsets of the input exactly once, or it is said how they do
// not.
func TestReads(t *testing.T) {
	tp := func(p int32) broker.TopicPartition { return broker.TopicPartition{Topic: "in", Partition: p} }
	in := input{ends: map[broker.TopicPartition]int64{tp(0): 10, tp(1): 5, tp(2): 0}}
	run := func(p int32, first, count int64) drivers.Run {
		return drivers.Run{TopicPartition: tp(p), First: first, Count: count}
	}
	for _, tt := range []struct {
		name string
		runs []drivers.Run
		want reads
	}{
		{"all", []drivers.Run{run(1, 0, 5), run(0, 0, 4), run(0, 4, 6)}, reads{}},
		{"in pieces", []drivers.Run{run(0, 7, 3), run(1, 0, 5), run(0, 0, 7)}, reads{}},
		{"nothing", nil, reads{lost: 15}},
		{"a gap", []drivers.Run{run(0, 0, 4), run(0, 6, 4), run(1, 0, 5)}, reads{lost: 2}},
		{"twice", []drivers.Run{run(0, 0, 10), run(0, 3, 4), run(1, 0, 5)}, reads{duplicates: 4}},
		{"over each other", []drivers.Run{run(0, 0, 6), run(0, 4, 6), run(1, 0, 5)}, reads{duplicates: 2}},
		{"a gap and twice", []drivers.Run{run(0, 1, 9), run(0, 9, 1), run(1, 0, 5)}, reads{lost: 1, duplicates: 1}},
		{"too far", []drivers.Run{run(0, 0, 12), run(1, 0, 5)}, reads{foreign: 2}},
		{"far behind", []drivers.Run{run(0, 0, 10), run(0, 20, 2), run(1, 0, 5)}, reads{foreign: 2}},
		{"no such partition", []drivers.Run{run(0, 0, 10), run(1, 0, 5), run(7, 0, 3)}, reads{foreign: 3}},
	} {
		if diff := cmp.Diff(tt.want, in.readsOf(tt.runs), cmp.AllowUnexported(reads{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
}

// BenchmarkReadBack is what one core reads back a second, of 100 bytes each, from raw
// batches as fetched: checksums verified, records known by number, a bit for each.
func BenchmarkReadBack(b *testing.B) {
	for _, s := range []struct {
		name   string
		keys   int64
		codec  kgo.CompressionCodec
		header kmsg.RecordBatch
	}{
		{"plain", 0, kgo.NoCompression(), kmsg.RecordBatch{}},
		{"keys", 1000, kgo.NoCompression(), kmsg.RecordBatch{}},
		{"lz4", 0, kgo.Lz4Compression(), kmsg.RecordBatch{}},
		{"transactions", 0, kgo.NoCompression(), kmsg.RecordBatch{Attributes: 0x10, ProducerID: 1}},
	} {
		b.Run(s.name, func(b *testing.B) {
			const count, inBatch = 1_000_000, 1000
			load := evidence.BenchLoad{Records: count, RecordBytes: 100, Keys: s.keys, Partitions: 1}
			var raw []byte
			for first := int64(0); first < count; first += inBatch {
				raw = append(raw, rawBatch(b, load, first, inBatch, s.codec, s.header)...)
				if s.header.Attributes != 0 {
					raw = append(raw, marker(b, 1, true)...)
				}
			}
			b.ReportAllocs()
			began := clock(os.Getpid())
			for b.Loop() {
				d := newDelivered(load, false)
				visit(b, d, raw)
				if d.records != count || d.void() != nil {
					b.Fatal(d.void())
				}
			}
			spent := clock(os.Getpid()) - began // which other work on the machine does not change
			b.ReportMetric(float64(b.N)*count/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64(b.N)*count/spent.Seconds(), "records/cpu-s")
		})
	}
}
