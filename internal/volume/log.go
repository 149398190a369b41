package volume

import (
	"bytes"

	"kcompare/drivers"
	"kcompare/internal/audit"
	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

// log hands batches to the audit. It is a batch.Visitor: records of a bulk have no headers,
// their identity is the number in front of the value.
type log struct {
	to   *audit.Auditor
	next evidence.Batch
	dots []byte
	had  bool // next has a batch
}

func newLog(to *audit.Auditor, valueBytes int) *log {
	return &log{to: to, dots: bytes.Repeat([]byte("."), valueBytes)}
}

// Batch begins another one; the one before it is complete.
func (l *log) Batch(h batch.Header, control string) error {
	l.flush()
	l.had = true
	l.next = evidence.Batch{
		BaseOffset: h.BaseOffset, LastOffset: h.BaseOffset + int64(h.LastOffsetDelta),
		ProducerID: h.ProducerID, ProducerEpoch: h.ProducerEpoch, BaseSequence: h.BaseSequence,
		Transactional: h.Transactional(), Control: control, Records: l.next.Records[:0],
	}
	return nil
}

// wrong is the sum of a record whose key or value is not that of its number; all others have 0.
const wrong = 1

// Record of which the number cannot be read is foreign.
func (l *log) Record(offset int64, key, value []byte) error {
	r := evidence.LogRecord{Offset: offset}
	n, digits := drivers.BulkNumber(value)
	if digits == 0 {
		r.Foreign = true
	} else {
		r.ID, r.Send.Ordinal = evidence.RecordID{Role: role, N: int(n)}, int(n)
	}
	if padding := max(0, len(l.dots)-digits); len(key) != 0 || !bytes.Equal(value[digits:], l.dots[:padding]) {
		r.Sum = wrong
	}
	l.next.Records = append(l.next.Records, r)
	return nil
}

// flush hands over the batch that is complete.
func (l *log) flush() {
	if l.had {
		l.to.Batch(&l.next)
	}
	l.had = false
}
