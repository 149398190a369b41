package broker

// Record batches of format v2 (KIP-98), from the bytes of a Fetch answer. Pure:
// bytes in, values out. Older formats are refused.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

// Where things stand in a batch. Base offset and length come first, and length
// counts what follows it; the checksum covers everything after itself.
const (
	lengthAt   = 8
	magicAt    = 16
	crcAt      = 17
	attrsAt    = 21
	headerSize = 61
	frameSize  = lengthAt + 4 // in front of what length counts
)

// The bits of a batch's attributes.
const (
	codecBits        = 0x07
	transactionalBit = 0x10
	controlBit       = 0x20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// parseBatches calls each with every whole batch of raw and returns how many
// bytes these took. A broker cuts its answer at a size limit, so a piece of one
// more batch may follow; it is no error. The errors name the batch's offset;
// those of each are returned as they are.
func parseBatches(raw []byte, d kgo.Decompressor, each func(evidence.Batch) error) (int, error) {
	read := 0
	for {
		size, err := batchSize(raw[read:])
		if err != nil || size == 0 {
			return read, err
		}
		batch, err := parseBatch(raw[read:read+size], d)
		if err != nil {
			return read, err
		}
		if err := each(batch); err != nil {
			return read, err
		}
		read += size
	}
}

// batchSize is the size of the batch at the start of raw, 0 when it is cut.
func batchSize(raw []byte) (int, error) {
	if len(raw) <= magicAt {
		return 0, nil
	}
	offset := int64(binary.BigEndian.Uint64(raw))
	if magic := raw[magicAt]; magic != 2 {
		return 0, fmt.Errorf("batch at offset %d: record format %d: expected 2, as brokers write since Kafka 0.11", offset, magic)
	}
	length := int32(binary.BigEndian.Uint32(raw[lengthAt:]))
	if length < headerSize-frameSize {
		return 0, fmt.Errorf("batch at offset %d: length %d: the header alone has %d", offset, length, headerSize-frameSize)
	}
	if size := frameSize + int(length); size <= len(raw) {
		return size, nil
	}
	return 0, nil
}

// parseBatch reads one whole batch.
func parseBatch(raw []byte, d kgo.Decompressor) (evidence.Batch, error) {
	var wire kmsg.RecordBatch
	if err := wire.UnsafeReadFrom(raw); err != nil {
		return evidence.Batch{}, fmt.Errorf("batch of %d bytes: %w", len(raw), err)
	}
	batch, err := readBatch(raw, wire, d)
	if err != nil {
		return evidence.Batch{}, fmt.Errorf("batch at offset %d: %w", wire.FirstOffset, err)
	}
	return batch, nil
}

func readBatch(raw []byte, wire kmsg.RecordBatch, d kgo.Decompressor) (evidence.Batch, error) {
	if want, have := uint32(wire.CRC), crc32.Checksum(raw[attrsAt:], castagnoli); want != have {
		return evidence.Batch{}, fmt.Errorf("checksum is %08x, its header says %08x: the log or the way here is corrupt", have, want)
	}
	if wire.FirstOffset < 0 || wire.LastOffsetDelta < 0 || wire.FirstOffset > math.MaxInt64-int64(wire.LastOffsetDelta) {
		return evidence.Batch{}, fmt.Errorf("last offset delta %d does not fit", wire.LastOffsetDelta)
	}
	batch := evidence.Batch{
		BaseOffset:    wire.FirstOffset,
		LastOffset:    wire.FirstOffset + int64(wire.LastOffsetDelta),
		ProducerID:    wire.ProducerID,
		ProducerEpoch: wire.ProducerEpoch,
		BaseSequence:  wire.FirstSequence,
		Transactional: wire.Attributes&transactionalBit != 0,
	}
	records, err := d.Decompress(wire.Records, kgo.CompressionCodecType(wire.Attributes&codecBits))
	if err != nil {
		return evidence.Batch{}, fmt.Errorf("decompress: %w", err)
	}
	if wire.Attributes&controlBit != 0 {
		batch.Control, err = parseControl(wire, records)
	} else {
		batch.Records, err = parseRecords(wire, records)
	}
	return batch, err
}

// parseControl names the marker in a control batch. A batch from which
// compaction took the marker has none.
func parseControl(wire kmsg.RecordBatch, raw []byte) (string, error) {
	control := "EMPTY"
	err := eachRecord(wire, raw, func(record *kmsg.Record) error {
		var key kmsg.ControlRecordKey
		if err := key.ReadFrom(record.Key); err != nil {
			return fmt.Errorf("control record: key of %d bytes: %w", len(record.Key), err)
		}
		control = controlName(key.Type)
		return nil
	})
	return control, err
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

// parseRecords reads the data records of a batch.
func parseRecords(wire kmsg.RecordBatch, raw []byte) ([]evidence.LogRecord, error) {
	var records []evidence.LogRecord
	err := eachRecord(wire, raw, func(record *kmsg.Record) error {
		if records == nil {
			records = make([]evidence.LogRecord, 0, wire.NumRecords)
		}
		records = append(records, logRecord(wire.FirstOffset, record))
		return nil
	})
	return records, err
}

// smallestRecord is one byte each for length, attributes, timestamp, offset,
// key length, value length and header count.
const smallestRecord = 7

// eachRecord walks the records of a batch; offsets rise, and gaps between them
// are what compaction left. The record is reused.
func eachRecord(wire kmsg.RecordBatch, raw []byte, each func(*kmsg.Record) error) error {
	if n := int(wire.NumRecords); n < 0 || n > len(raw)/smallestRecord {
		return fmt.Errorf("%d records in %d bytes", n, len(raw))
	}
	var record kmsg.Record
	previous := int32(-1)
	for i := range wire.NumRecords {
		size, err := recordSize(raw)
		if err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		if err := record.UnsafeReadFrom(raw[:size]); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		if delta := record.OffsetDelta; delta <= previous || delta > wire.LastOffsetDelta {
			return fmt.Errorf("record %d: offset delta %d after %d, the batch's last is %d", i, delta, previous, wire.LastOffsetDelta)
		}
		if err := each(&record); err != nil {
			return err
		}
		previous, raw = record.OffsetDelta, raw[size:]
	}
	if len(raw) > 0 {
		return fmt.Errorf("%d bytes behind the last record", len(raw))
	}
	return nil
}

// recordSize is the size of the record at the start of raw, its length prefix
// included.
func recordSize(raw []byte) (int, error) {
	length, prefix := binary.Varint(raw)
	if prefix <= 0 || length < 0 || length > int64(len(raw)-prefix) {
		return 0, errors.New("longer than its batch")
	}
	return prefix + int(length), nil
}

// logRecord takes from a record what evidence keeps. A record without readable
// identities was not written by a scenario; a record may have one of the two
// only if something broke it, so neither counts then.
func logRecord(base int64, wire *kmsg.Record) evidence.LogRecord {
	record := evidence.LogRecord{Offset: base + int64(wire.OffsetDelta), Key: string(wire.Key)}
	id, err1 := evidence.ParseRecordID(header(wire, evidence.IDHeader))
	send, err2 := evidence.ParseSendID(header(wire, evidence.SendHeader))
	if err1 == nil && err2 == nil {
		record.ID, record.Send = id, send
	} else {
		record.Foreign = true
	}
	record.Sum = evidence.Checksum(wire.Key, wire.Value, record.ID)
	return record
}

// header is the value of the first header of that name, empty if there is none.
func header(record *kmsg.Record, name string) string {
	for _, h := range record.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}
