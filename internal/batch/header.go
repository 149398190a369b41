// Package batch reads record batches of format v2 (KIP-98): bytes in, values
// out. It knows nothing of the network.
//
// There are two depths. ReadHeader looks at the 61 bytes in front of the records
// and nothing else, which is what a relay can afford. A Parser verifies checksums,
// decompresses, and reads the records with the identities that kcompare's drivers
// put on them.
package batch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Where things stand in a batch. Base offset and length come first, and length
// counts what follows it; the checksum covers everything after itself.
const (
	lengthAt        = 8
	magicAt         = 16
	crcAt           = 17
	attributesAt    = 21
	lastDeltaAt     = 23
	producerIDAt    = 43
	producerEpochAt = 51
	baseSequenceAt  = 53
	countAt         = 57
	headerSize      = 61
	frameSize       = lengthAt + 4 // in front of what length counts
)

// The bits of a batch's attributes.
const (
	codecBits        = 0x07
	transactionalBit = 0x10
	controlBit       = 0x20
)

// Header is what stands in front of a batch's records. Nothing of it is
// verified: the checksum is, when a Parser reads the records.
type Header struct {
	Size            int // bytes of the whole batch, header included
	BaseOffset      int64
	LastOffsetDelta int32  // of the last record; compaction keeps it when that record goes
	Sum             uint32 // CRC-32C of all that follows it, as the header has it
	Attributes      int16
	ProducerID      int64 // -1 without idempotence
	ProducerEpoch   int16
	BaseSequence    int32
	Records         int32 // how many the batch says it holds
}

// Codec is how the records are compressed.
func (h Header) Codec() kgo.CompressionCodecType {
	return kgo.CompressionCodecType(h.Attributes & codecBits)
}

// CodecName is that in words, empty where the records are not compressed.
func (h Header) CodecName() string {
	switch codec := h.Codec(); codec {
	case kgo.CodecNone:
		return ""
	case kgo.CodecGzip:
		return "gzip"
	case kgo.CodecSnappy:
		return "snappy"
	case kgo.CodecLz4:
		return "lz4"
	case kgo.CodecZstd:
		return "zstd"
	default:
		return fmt.Sprintf("codec %d", codec)
	}
}

// Transactional says that the records belong to a transaction, or mark its end.
func (h Header) Transactional() bool { return h.Attributes&transactionalBit != 0 }

// Control says that the batch holds a marker instead of data.
func (h Header) Control() bool { return h.Attributes&controlBit != 0 }

// ErrCut says that the bytes end before the batch does. A broker cuts the answer
// to a Fetch at a size limit, so a reader of the log finds it behind the last
// whole batch; in a Produce request it is a mistake of the client.
var ErrCut = errors.New("the bytes end before the batch does")

// FormatError says that the bytes hold records of another format than v2.
type FormatError struct {
	Offset int64 // as it stands where v2 has the base offset
	Magic  int8  // the format's number: 0 and 1 are the message sets of Kafka 0.10 and before
}

// Error names format and offset.
func (e *FormatError) Error() string {
	return fmt.Sprintf("batch at offset %d: record format %d: expected 2, as brokers write since Kafka 0.11", e.Offset, e.Magic)
}

// ReadHeader reads the header of the batch at the start of raw, which has to be
// there as a whole: the error is ErrCut otherwise, a *FormatError for another
// format, or names the offset of a batch whose length cannot be.
func ReadHeader(raw []byte) (Header, error) {
	if len(raw) <= magicAt {
		return Header{}, ErrCut
	}
	offset := int64(binary.BigEndian.Uint64(raw))
	if raw[magicAt] != 2 {
		return Header{}, &FormatError{Offset: offset, Magic: int8(raw[magicAt])}
	}
	length := int32(binary.BigEndian.Uint32(raw[lengthAt:]))
	if length < headerSize-frameSize {
		return Header{}, fmt.Errorf("batch at offset %d: length %d: the header alone has %d", offset, length, headerSize-frameSize)
	}
	if int64(length) > int64(len(raw)-frameSize) {
		return Header{}, ErrCut
	}
	return Header{
		Size:            frameSize + int(length),
		BaseOffset:      offset,
		LastOffsetDelta: int32(binary.BigEndian.Uint32(raw[lastDeltaAt:])),
		Sum:             binary.BigEndian.Uint32(raw[crcAt:]),
		Attributes:      int16(binary.BigEndian.Uint16(raw[attributesAt:])),
		ProducerID:      int64(binary.BigEndian.Uint64(raw[producerIDAt:])),
		ProducerEpoch:   int16(binary.BigEndian.Uint16(raw[producerEpochAt:])),
		BaseSequence:    int32(binary.BigEndian.Uint32(raw[baseSequenceAt:])),
		Records:         int32(binary.BigEndian.Uint32(raw[countAt:])),
	}, nil
}

// lastOffset is the offset of the last record, if there can be such a batch.
func (h Header) lastOffset() (int64, error) {
	if h.BaseOffset < 0 || h.LastOffsetDelta < 0 || h.BaseOffset > math.MaxInt64-int64(h.LastOffsetDelta) {
		return 0, fmt.Errorf("last offset delta %d does not fit", h.LastOffsetDelta)
	}
	return h.BaseOffset + int64(h.LastOffsetDelta), nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// verify compares the checksum of a whole batch with the one in its header.
func verify(raw []byte) error {
	want, have := binary.BigEndian.Uint32(raw[crcAt:]), crc32.Checksum(raw[attributesAt:], castagnoli)
	if want != have {
		return fmt.Errorf("checksum is %08x, its header says %08x: the log or the way here is corrupt", have, want)
	}
	return nil
}
