package batch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"kcompare/internal/evidence"
)

// record is one record as it stands in its batch. The slices point into the
// bytes of the batch.
type record struct {
	delta      int64 // of its offset
	key, value []byte
	id, send   []byte // values of the first headers with these names; nil: there is none
}

// walk goes through the records of a batch. Offsets rise, and gaps between them
// are what compaction left.
type walk struct {
	record // the one that next came to

	rest      []byte
	at, count int32
	previous  int64 // offset delta; -1 before the first record
	last      int64 // offset delta of the batch
	err       error
}

// smallestRecord is one byte each for length, attributes, timestamp, offset,
// key length, value length and header count.
const smallestRecord = 7

// newWalk begins in front of the first record. plain is what follows the header,
// decompressed.
func newWalk(h Header, plain []byte) walk {
	w := walk{rest: plain, count: h.Records, previous: -1, last: int64(h.LastOffsetDelta)}
	if h.Records < 0 || int(h.Records) > len(plain)/smallestRecord {
		w.err = fmt.Errorf("%d records in %d bytes", h.Records, len(plain))
	}
	return w
}

// next comes to the next record. After the last one it is false, and err says
// whether the batch was in order.
func (w *walk) next() bool {
	if w.err != nil {
		return false
	}
	if w.at == w.count {
		if len(w.rest) > 0 {
			w.err = fmt.Errorf("%d bytes behind the last record", len(w.rest))
		}
		return false
	}
	if err := w.read(); err != nil {
		w.err = fmt.Errorf("record %d: %w", w.at, err)
		return false
	}
	w.at++
	return true
}

var (
	errLong   = errors.New("longer than its batch")
	errFields = errors.New("its fields do not fill its length")
)

// read cuts one record off. kmsg.Record would allocate its headers, and more
// than one in three bytes of a short record are varints.
func (w *walk) read() error {
	length, prefix := binary.Varint(w.rest)
	if prefix <= 0 || length < 0 || length > int64(len(w.rest)-prefix) {
		return errLong
	}
	end := prefix + int(length)
	if !w.parse(w.rest[prefix:end]) {
		return errFields
	}
	if w.delta <= w.previous || w.delta > w.last {
		return fmt.Errorf("offset delta %d after %d, the batch's last is %d", w.delta, w.previous, w.last)
	}
	w.previous, w.rest = w.delta, w.rest[end:]
	return nil
}

// parse reads a record without its length, and says whether it was in order.
func (r *record) parse(raw []byte) bool {
	f := fields{raw: raw, at: 1} // behind the attributes, of which no bit has a meaning
	f.varint()                   // timestamp delta
	r.delta = f.varint()
	r.key, r.value = f.bytes(), f.bytes()
	r.id, r.send = nil, nil
	for n := f.varint(); n > 0 && !f.bad(); n-- {
		key, value := f.bytes(), f.bytes()
		switch {
		case r.id == nil && string(key) == evidence.IDHeader:
			r.id = value
		case r.send == nil && string(key) == evidence.SendHeader:
			r.send = value
		}
	}
	return f.at == len(raw)
}

// fields reads one field after the other. Once one did not fit, it is bad, and
// reads nothing more.
type fields struct {
	raw []byte
	at  int // bad: behind the end
}

func (f *fields) bad() bool { return f.at > len(f.raw) }

func (f *fields) fail() { f.at = len(f.raw) + 1 }

// varint reads a zigzag number. Most take one byte, and the compiler puts that
// case where the call is.
func (f *fields) varint() int64 {
	if f.at < len(f.raw) && f.raw[f.at] < 0x80 {
		f.at++
		return unzigzag(f.raw[f.at-1])
	}
	return f.longVarint()
}

func unzigzag(b byte) int64 { return int64(b>>1) ^ -int64(b&1) }

func (f *fields) longVarint() int64 {
	n, size := binary.Varint(f.raw[min(f.at, len(f.raw)):])
	if size <= 0 {
		f.fail()
		return 0
	}
	f.at += size
	return n
}

// bytes reads a length and so many bytes. A negative length is Kafka's null; it
// reads as no bytes, and is not nil, because nil says that a header is missing.
func (f *fields) bytes() []byte {
	n := max(f.varint(), 0)
	if n > int64(len(f.raw)-f.at) {
		f.fail()
		return nil
	}
	start := f.at
	f.at += int(n)
	return f.raw[start:f.at]
}
