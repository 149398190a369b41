package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

// codecs are all that Kafka has.
func codecs() map[string]kgo.CompressionCodec {
	return map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
}

// Every codec shows the same in the trace, but for its name. Without a parser it is
// the header alone, whatever the records are.
func TestReadBatchesOfEveryCodec(t *testing.T) {
	at := place{"orders", 3}
	for name, codec := range codecs() {
		var records []kmsg.Record
		header := evidence.TraceBatch{
			Topic: "orders", Partition: 3, ProducerID: 7, ProducerEpoch: 1, BaseSequence: 40, Records: 30, BaseOffset: -1,
			Codec: strings.TrimPrefix(name, "none"),
		}
		whole := header
		for n := range 30 {
			r := payment(n)
			records = append(records, r)
			whole.IDs = append(whole.IDs, evidence.RecordID{Role: "payments", N: n})
			send, _ := evidence.ParseSendID(string(r.Headers[1].Value))
			whole.Sends = append(whole.Sends, send)
		}
		raw, err := batch.Encode(kmsg.RecordBatch{ProducerID: 7, ProducerEpoch: 1, FirstSequence: 40}, codec, records...)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			depth  string
			parser *batch.Parser
			want   evidence.TraceBatch
		}{{"headers", nil, header}, {"records", batch.NewParser(), whole}} {
			got, err := readBatches(at, raw, tt.parser)
			if diff := cmp.Diff([]evidence.TraceBatch{tt.want}, got); diff != "" || err != nil {
				t.Errorf("%s, %s: error %v (-want +got):\n%s", name, tt.depth, err, diff)
			}
		}
	}
}

func TestReadBatches(t *testing.T) {
	bad := payment(1)
	bad.Headers = []kmsg.Header{{Key: evidence.IDHeader, Value: []byte("payments")}}
	messageSet := slices.Concat(make([]byte, 16), []byte{1}, make([]byte, 20)) // the magic is 1
	one, whole := batchOf(payment(1)), batchOf(payment(2), payment(3))
	for _, tt := range []struct {
		name string
		in   []byte
		want []string // ids of each batch
		fail bool     // with records decoded
		head bool     // ... with headers alone
	}{
		{"nothing", nil, nil, false, false},
		{"two batches", slices.Concat(one, whole), []string{"[payments/1]", "[payments/2 payments/3]"}, false, false},
		{"a message set of 0.10", messageSet, []string{"[]"}, false, false},
		{"a message set behind a batch", slices.Concat(one, messageSet), []string{"[payments/1]", "[]"}, false, false},
		{"a broken id", batchOf(bad), nil, true, false},
		{"half a batch", one[:len(one)-1], nil, true, true},
		{"half a header", one[:20], nil, true, true},
		{"a whole one and half of one", slices.Concat(one, one[:70]), []string{"[payments/1]"}, true, true},
	} {
		batches, err := readBatches(place{"orders", 0}, tt.in, batch.NewParser())
		var got []string
		for _, b := range batches {
			got = append(got, fmt.Sprint(b.IDs))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.fail {
			t.Errorf("%s: error %v, batches (-want +got):\n%s", tt.name, err, diff)
		}
		if _, err := readBatches(place{"orders", 0}, tt.in, nil); (err != nil) != tt.head {
			t.Errorf("%s, headers alone: error %v", tt.name, err)
		}
	}
}

// Bytes that are no records must not be taken for some, nor bring the proxy down.
func FuzzReadBatches(f *testing.F) {
	f.Add(batchOf(payment(1), payment(2)))
	f.Add(slices.Concat(batchOf(payment(1)), batchOf(payment(2))))
	f.Add(make([]byte, 40))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, parser := range []*batch.Parser{nil, batch.NewParser()} {
			batches, err := readBatches(place{"orders", 0}, in, parser)
			if err == nil && len(in) >= 61 && len(batches) == 0 {
				t.Errorf("nothing in %d bytes, and no error", len(in))
			}
			for _, b := range batches {
				if len(b.IDs) != len(b.Sends) {
					t.Errorf("%d ids, %d sends", len(b.IDs), len(b.Sends))
				}
			}
		}
	})
}
