package batch

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

// FuzzParse looks for a panic, for a batch whose offsets would stop the reader or
// send it back, and for values that kmsg reads otherwise. Each input is tried as
// it is and with a fitting length and checksum, so that the records are reached.
func FuzzParse(f *testing.F) {
	records, _ := orders(0, 3)
	for _, codec := range codecs() {
		f.Add(encode(f, kmsg.RecordBatch{FirstOffset: 9}, codec, records...))
	}
	f.Add(encode(f, kmsg.RecordBatch{Attributes: controlBit}, kgo.NoCompression(), kmsg.Record{Key: []byte{0, 0, 0, 1}}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		check(t, raw)
		if len(raw) >= headerSize {
			check(t, seal(slices.Clone(raw)))
		}
	})
}

func check(t *testing.T, raw []byte) {
	p := NewParser()
	got, n, _ := parse(p, raw)
	if n < len(got)*headerSize || n > len(raw) {
		t.Errorf("%d batches in %d of %d bytes", len(got), n, len(raw))
	}
	for _, b := range got {
		checkOffsets(t, b)
		checkRecords(t, p, raw, b)
		h, err := ReadHeader(raw)
		if err != nil {
			t.Fatalf("a batch that was parsed has no header: %v", err)
		}
		if ids, sends, err := p.Identities(h, raw); err == nil && (len(ids) != len(sends) || len(ids) > int(h.Records)) {
			t.Errorf("%d ids, %d sends of %d records", len(ids), len(sends), h.Records)
		}
		raw = raw[h.Size:]
	}
}

func checkOffsets(t *testing.T, b evidence.Batch) {
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

// checkRecords reads the batch that raw begins with as kmsg does.
func checkRecords(t *testing.T, p *Parser, raw []byte, b evidence.Batch) {
	if b.Control != "" {
		return
	}
	var wire kmsg.RecordBatch
	if err := wire.ReadFrom(raw); err != nil {
		t.Fatalf("kmsg refuses the batch: %v", err)
	}
	plain, err := p.decompressor.Decompress(wire.Records, kgo.CompressionCodecType(wire.Attributes&codecBits))
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range b.Records {
		var r kmsg.Record
		if err := r.ReadFrom(plain); err != nil {
			t.Fatalf("kmsg refuses record %d: %v", i, err)
		}
		plain = plain[len(appendRecord(nil, r)):]
		want := asRead(b.BaseOffset, r)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("record %d (-want +got):\n%s", i, diff)
		}
	}
}

// asRead is the plain way to make a record of one that kmsg read.
func asRead(base int64, r kmsg.Record) evidence.LogRecord {
	header := func(name string) string {
		for _, h := range r.Headers {
			if h.Key == name {
				return string(h.Value)
			}
		}
		return ""
	}
	id, err1 := evidence.ParseRecordID(header(evidence.IDHeader))
	send, err2 := evidence.ParseSendID(header(evidence.SendHeader))
	foreign := err1 != nil || err2 != nil
	if foreign {
		id, send = evidence.RecordID{}, evidence.SendID{}
	}
	return evidence.LogRecord{
		Offset: base + int64(r.OffsetDelta), Key: string(r.Key), ID: id, Send: send, Foreign: foreign,
		Sum: evidence.Checksum(r.Key, r.Value, id),
	}
}
