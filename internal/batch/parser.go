package batch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

// Parser reads whole batches. It keeps its memory from batch to batch, so that a
// log of any length streams by without an allocation a record: one string a batch
// holds all its keys. Methods must not be called concurrently.
type Parser struct {
	decompressor kgo.Decompressor
	plain        buffer
	ids          identities
	summer       evidence.Summer

	records []evidence.LogRecord
	keys    []byte // of all records, one after the other
	ends    []int  // of each of them in keys
}

// NewParser makes a parser for all codecs that Kafka has.
func NewParser() *Parser {
	p := &Parser{}
	p.decompressor = kgo.DefaultDecompressor(&p.plain)
	return p
}

// Parse calls each with every whole batch of raw and returns how many bytes
// these took; a piece of one more batch may follow. The Records of a batch are
// overwritten after each returns: who keeps them, copies them. Strings in them
// stay what they are.
//
// Checksums are verified. Errors name the batch's offset, and a batch in which
// something is wrong is not handed on; those of each are returned as they are.
func (p *Parser) Parse(raw []byte, each func(evidence.Batch) error) (int, error) {
	return whole(raw, func(h Header, raw []byte) error {
		b, err := p.batch(h, raw)
		if err != nil {
			return err
		}
		return told(each(b))
	})
}

// whole calls read with every whole batch of raw. Its errors get the offset of the
// batch, unless they are those of whoever was told of it.
func whole(raw []byte, read func(Header, []byte) error) (int, error) {
	at := 0
	for {
		h, err := ReadHeader(raw[at:])
		if errors.Is(err, ErrCut) {
			return at, nil
		}
		if err != nil {
			return at, err
		}
		if err := read(h, raw[at:at+h.Size]); err != nil {
			var own *toldError
			if errors.As(err, &own) {
				return at, own.error
			}
			return at, fmt.Errorf("batch at offset %d: %w", h.BaseOffset, err)
		}
		at += h.Size
	}
}

// toldError is the error of whoever was told of a batch.
type toldError struct{ error }

func told(err error) error {
	if err == nil {
		return nil
	}
	return &toldError{err}
}

// open verifies a whole batch, and is its records without their codec.
func (p *Parser) open(h Header, raw []byte) ([]byte, error) {
	if err := verify(raw); err != nil {
		return nil, err
	}
	if _, err := h.lastOffset(); err != nil {
		return nil, err
	}
	return p.decompress(h, raw)
}

// batch reads one whole batch.
func (p *Parser) batch(h Header, raw []byte) (evidence.Batch, error) {
	plain, err := p.open(h, raw)
	if err != nil {
		return evidence.Batch{}, err
	}
	last := h.BaseOffset + int64(h.LastOffsetDelta)
	b := evidence.Batch{
		BaseOffset: h.BaseOffset, LastOffset: last,
		ProducerID: h.ProducerID, ProducerEpoch: h.ProducerEpoch, BaseSequence: h.BaseSequence,
		Transactional: h.Transactional(),
	}
	if h.Control() {
		b.Control, err = control(h, plain)
	} else {
		b.Records, err = p.logRecords(h, plain)
	}
	return b, err
}

// control names the marker in a control batch. A batch from which compaction
// took the marker has none.
func control(h Header, plain []byte) (string, error) {
	name := "EMPTY"
	w := newWalk(h, plain)
	for w.next() {
		if len(w.key) < 4 { // version and type
			return "", fmt.Errorf("control record: key of %d bytes: expected at least 4", len(w.key))
		}
		name = controlName(kmsg.ControlRecordKeyType(binary.BigEndian.Uint16(w.key[2:])))
	}
	return name, w.err
}

func controlName(t kmsg.ControlRecordKeyType) string {
	switch t {
	case kmsg.ControlRecordKeyTypeCommit:
		return evidence.Commit
	case kmsg.ControlRecordKeyTypeAbort:
		return evidence.Abort
	}
	return fmt.Sprintf("TYPE %d", t)
}

// logRecords reads the data records of a batch.
func (p *Parser) logRecords(h Header, plain []byte) ([]evidence.LogRecord, error) {
	p.records, p.keys, p.ends = p.records[:0], p.keys[:0], p.ends[:0]
	w := newWalk(h, plain)
	for w.next() {
		p.records = append(p.records, evidence.LogRecord{Offset: h.BaseOffset + w.delta})
		p.identify(&p.records[len(p.records)-1], &w.record)
		p.keys = append(p.keys, w.key...)
		p.ends = append(p.ends, len(p.keys))
	}
	if w.err != nil || len(p.records) == 0 {
		return nil, w.err
	}
	keys, start := string(p.keys), 0
	for i, end := range p.ends {
		p.records[i].Key, start = keys[start:end], end
	}
	return p.records, nil
}

// identify reads the identities of a record and computes its sum. A record
// without readable ones was not written by a scenario; a record may have one of
// the two only if something broke it, so neither counts then.
func (p *Parser) identify(rec *evidence.LogRecord, r *record) {
	rec.Foreign = true
	if r.id != nil && r.send != nil {
		if id, send, err := p.identity(r); err == nil {
			rec.ID, rec.Send, rec.Foreign = id, send, false
		}
	}
	rec.Sum = p.summer.Sum(r.key, r.value, rec.ID)
}

// Identities are the logical records of the batch that raw begins with, and the
// acts of sending them; h is its header. The slices are the caller's own.
// Checksums are not verified: the broker does that.
//
// Whether there are any is seen at the first record: kcompare's drivers mark
// every record, other programs none, and bulk traffic of others shall not pay for
// a search. A record without them among marked ones is left out. The error comes
// with those before it.
func (p *Parser) Identities(h Header, raw []byte) ([]evidence.RecordID, []evidence.SendID, error) {
	plain, err := p.decompress(h, raw[:h.Size])
	if err != nil {
		return nil, nil, err
	}
	var ids []evidence.RecordID
	var sends []evidence.SendID
	w := newWalk(h, plain)
	for w.next() {
		if w.id == nil {
			if w.at == 1 {
				return nil, nil, nil
			}
			continue
		}
		id, send, err := p.identity(&w.record)
		if err != nil {
			return ids, sends, fmt.Errorf("record %d: %w", w.at-1, err)
		}
		if ids == nil {
			ids, sends = make([]evidence.RecordID, 0, h.Records), make([]evidence.SendID, 0, h.Records)
		}
		ids, sends = append(ids, id), append(sends, send)
	}
	return ids, sends, w.err
}

func (p *Parser) identity(r *record) (evidence.RecordID, evidence.SendID, error) {
	id, err := p.ids.recordID(r.id)
	if err != nil {
		return evidence.RecordID{}, evidence.SendID{}, err
	}
	send, err := p.ids.sendID(r.send)
	return id, send, err
}

// decompress is the records of a whole batch as they were before a codec, valid
// until the next call.
func (p *Parser) decompress(h Header, raw []byte) ([]byte, error) {
	plain, err := p.decompressor.Decompress(raw[headerSize:], h.Codec())
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	if h.Codec() != kgo.CodecNone {
		p.plain.bytes = plain // grown, if it had to be
	}
	return plain, nil
}

// buffer is what the decompressor writes into, a kgo.PoolDecompressBytes of one.
type buffer struct{ bytes []byte }

// GetDecompressBytes is called by the decompressor.
func (b *buffer) GetDecompressBytes([]byte, kgo.CompressionCodecType) []byte { return b.bytes }

// PutDecompressBytes is called by the decompressor after an error.
func (b *buffer) PutDecompressBytes([]byte) {}
