package proxy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

// Layout of a record batch of format v2 (KIP-98).
const (
	batchHeader = 61 // bytes before the records
	batchPrefix = 12 // base offset and length, which the length does not count
	batchMagic  = 16 // where the format's number stands
	codecMask   = 0b111
)

// noProducer stands in evidence where a batch has no producer id, or is of a
// format that knows none.
const noProducer = -1

var errBatch = errors.New("not a record batch")

// readBatches reads the header of each batch in the records of one partition,
// and the identities of its records. An error comes with the batches before it.
func readBatches(topic string, partition int32, records []byte) ([]evidence.TraceBatch, error) {
	var batches []evidence.TraceBatch
	for len(records) > 0 {
		b := evidence.TraceBatch{
			Topic: topic, Partition: partition, BaseOffset: evidence.NoOffset,
			ProducerID: noProducer, ProducerEpoch: noProducer, BaseSequence: noProducer,
		}
		rest, err := readBatch(&b, records)
		if err != nil {
			return batches, fmt.Errorf("read a batch of %s-%d: %w", topic, partition, err)
		}
		batches, records = append(batches, b), rest
	}
	return batches, nil
}

func readBatch(b *evidence.TraceBatch, records []byte) (rest []byte, err error) {
	if len(records) <= batchMagic {
		return nil, errBatch
	}
	if magic := records[batchMagic]; magic != 2 {
		return nil, nil // a message set of Kafka 0.10 and before: no identities to find
	}
	var raw kmsg.RecordBatch
	if err := raw.ReadFrom(records); err != nil {
		return nil, fmt.Errorf("%w: %w", errBatch, err)
	}
	size := batchPrefix + int(raw.Length)
	if size < batchHeader || size > len(records) {
		return nil, fmt.Errorf("%w: its length is %d", errBatch, raw.Length)
	}
	b.ProducerID, b.ProducerEpoch, b.BaseSequence = raw.ProducerID, raw.ProducerEpoch, raw.FirstSequence
	b.Records = raw.NumRecords
	b.IDs, b.Sends, err = identities(records[batchHeader:size], kgo.CompressionCodecType(raw.Attributes&codecMask))
	return records[size:], err
}

// decompressor is safe for concurrent use, and costly to make.
var decompressor = kgo.DefaultDecompressor()

// identities are the logical records of a batch. Whether there are any is seen
// at the first record: kcompare's drivers mark every record, other programs
// none, and bulk traffic of others shall not pay for a search.
func identities(records []byte, codec kgo.CompressionCodecType) ([]evidence.RecordID, []evidence.SendID, error) {
	if codec != kgo.CodecNone {
		plain, err := decompressor.Decompress(records, codec)
		if err != nil {
			return nil, nil, fmt.Errorf("decompress: %w", err)
		}
		records = plain
	}
	var ids []evidence.RecordID
	var sends []evidence.SendID
	for first := true; len(records) > 0; first = false {
		one, rest, err := nextRecord(records)
		if err != nil {
			return ids, sends, err
		}
		id, send, found, err := identity(one)
		switch {
		case err != nil:
			return ids, sends, err
		case found:
			ids, sends = append(ids, id), append(sends, send)
		case first:
			return nil, nil, nil
		}
		records = rest
	}
	return ids, sends, nil
}

// nextRecord cuts off the first record, its length included.
func nextRecord(records []byte) (one, rest []byte, err error) {
	length, n := kbin.Varint(records)
	end := n + int(length)
	if n <= 0 || length < 0 || end > len(records) {
		return nil, nil, fmt.Errorf("%w: a record claims %d bytes of %d", errBatch, length, len(records))
	}
	return records[:end], records[end:], nil
}

// identity reads the two headers of a marked record.
func identity(record []byte) (id evidence.RecordID, send evidence.SendID, found bool, err error) {
	var r kmsg.Record
	if err := r.UnsafeReadFrom(record); err != nil {
		return id, send, false, fmt.Errorf("%w: %w", errBatch, err)
	}
	value := func(key string) (string, bool) {
		i := slices.IndexFunc(r.Headers, func(h kmsg.Header) bool { return h.Key == key })
		if i < 0 {
			return "", false
		}
		return string(r.Headers[i].Value), true
	}
	idText, found := value(evidence.IDHeader)
	if !found {
		return id, send, false, nil
	}
	sendText, _ := value(evidence.SendHeader)
	if id, err = evidence.ParseRecordID(idText); err != nil {
		return id, send, false, err
	}
	send, err = evidence.ParseSendID(sendText)
	return id, send, err == nil, err
}
