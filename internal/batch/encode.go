package batch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Encode is a batch of records, for batches that are made by hand, and for tests and
// benchmarks of those who read batches. The header is taken from b, but for what follows from the records:
// format, length, checksum, codec, count and offsets, which rise by one. The error
// is that of a codec without a compressor.
func Encode(b kmsg.RecordBatch, codec kgo.CompressionCodec, records ...kmsg.Record) ([]byte, error) {
	var plain []byte
	for i, r := range records {
		r.OffsetDelta = int32(i)
		plain = appendRecord(plain, r)
	}
	b.NumRecords, b.LastOffsetDelta = int32(len(records)), int32(max(len(records)-1, 0))
	compressor, err := kgo.DefaultCompressor(codec)
	if err != nil {
		return nil, fmt.Errorf("encode a batch: %w", err)
	}
	b.Records, b.Attributes = plain, b.Attributes&^codecBits
	if compressor != nil { // there is none for no compression
		squeezed, used := compressor.Compress(new(bytes.Buffer), plain)
		b.Records, b.Attributes = squeezed, b.Attributes|int16(used)
	}
	return seal(b.AppendTo(nil)), nil
}

// appendRecord sets the length, which kmsg leaves to its caller.
func appendRecord(dst []byte, r kmsg.Record) []byte {
	r.Length = 0
	encoded := r.AppendTo(nil)
	dst = binary.AppendVarint(dst, int64(len(encoded)-1)) // without the one byte of length 0
	return append(dst, encoded[1:]...)
}

// seal sets format, length and checksum to what the rest says.
func seal(raw []byte) []byte {
	raw[magicAt] = 2
	binary.BigEndian.PutUint32(raw[lengthAt:], uint32(len(raw)-frameSize))
	binary.BigEndian.PutUint32(raw[crcAt:], crc32.Checksum(raw[attributesAt:], castagnoli))
	return raw
}
