package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

// compressed is the batch of these records with the codec that the compressor
// chose.
func compressed(t *testing.T, codec kgo.CompressionCodec, records ...kmsg.Record) []byte {
	t.Helper()
	compressor, err := kgo.DefaultCompressor(codec)
	if err != nil {
		t.Fatal(err)
	}
	squeezed, used := encode(records...), kgo.CodecNone
	if compressor != nil { // there is none for no compression
		squeezed, used = compressor.Compress(&bytes.Buffer{}, squeezed)
	}
	b := kmsg.NewRecordBatch()
	b.Attributes = int16(used)
	b.ProducerID, b.ProducerEpoch, b.FirstSequence = 7, 1, 40
	return seal(b, len(records), squeezed)
}

func TestIdentitiesOfEveryCodec(t *testing.T) {
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		var records []kmsg.Record
		want := evidence.TraceBatch{
			Topic: "orders", Partition: 3, ProducerID: 7, ProducerEpoch: 1, BaseSequence: 40, Records: 30, BaseOffset: -1,
		}
		for n := range 30 {
			r := payment(n)
			records = append(records, r)
			want.IDs = append(want.IDs, evidence.RecordID{Role: "payments", N: n})
			send, _ := evidence.ParseSendID(string(r.Headers[1].Value))
			want.Sends = append(want.Sends, send)
		}
		got, err := readBatches("orders", 3, compressed(t, codec, records...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff([]evidence.TraceBatch{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadBatches(t *testing.T) {
	foreign := kmsg.NewRecord()
	foreign.Value = []byte("no headers")
	bad := payment(1)
	bad.Headers = []kmsg.Header{{Key: evidence.IDHeader, Value: []byte("payments")}}
	unsent := payment(1)
	unsent.Headers = unsent.Headers[:1]
	messageSet := make([]byte, 40)
	messageSet[batchMagic] = 1
	whole := batchOf(payment(1))
	for _, tt := range []struct {
		name string
		in   []byte
		want []string // ids of each batch
		fail bool
	}{
		{"nothing", nil, nil, false},
		{"two batches", append(batchOf(payment(1)), batchOf(payment(2), payment(3))...), []string{"[payments/1]", "[payments/2 payments/3]"}, false},
		{"a foreign batch", batchOf(foreign, payment(1)), []string{"[]"}, false},
		{"a foreign record among ours", batchOf(payment(1), foreign, payment(2)), []string{"[payments/1 payments/2]"}, false},
		{"a message set of 0.10", messageSet, []string{"[]"}, false},
		{"a broken id", batchOf(bad), nil, true},
		{"an id without a send", batchOf(unsent), nil, true},
		{"half a batch", whole[:len(whole)-1], nil, true},
		{"half a header", whole[:20], nil, true},
		{"a whole one and half of one", append(batchOf(payment(1)), whole[:70]...), []string{"[payments/1]"}, true},
	} {
		batches, err := readBatches("orders", 0, tt.in)
		var got []string
		for _, b := range batches {
			got = append(got, fmt.Sprint(b.IDs))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.fail {
			t.Errorf("%s: error %v, batches (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// Bytes that are no records must not be taken for some, nor bring the proxy down.
func FuzzReadBatches(f *testing.F) {
	f.Add(batchOf(payment(1), payment(2)))
	f.Add(append(batchOf(payment(1)), batchOf(payment(2))...))
	f.Add(make([]byte, 40))
	f.Fuzz(func(t *testing.T, in []byte) {
		batches, err := readBatches("orders", 0, in)
		if err != nil && !errors.Is(err, errBatch) && err.Error() == "" {
			t.Error("an error without words")
		}
		for _, b := range batches {
			if len(b.IDs) != len(b.Sends) {
				t.Errorf("%d ids, %d sends", len(b.IDs), len(b.Sends))
			}
		}
	})
}
