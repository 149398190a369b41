package proxy

import (
	"errors"
	"fmt"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

// noProducer stands in evidence where a batch has no producer id, or is of a
// format that knows none.
const noProducer = -1

// readBatches reads the header of each batch in the records of one partition,
// and with a parser the identities of its records as well. An error comes with
// the batches before it.
func readBatches(at place, records []byte, parser *batch.Parser) ([]evidence.TraceBatch, error) {
	var batches []evidence.TraceBatch
	for len(records) > 0 {
		h, err := batch.ReadHeader(records)
		var old *batch.FormatError
		if errors.As(err, &old) {
			return append(batches, unnamed(at)), nil
		}
		b := evidence.TraceBatch{
			Topic: at.topic, Partition: at.partition, Records: h.Records, Codec: h.CodecName(), BaseOffset: evidence.NoOffset,
			ProducerID: h.ProducerID, ProducerEpoch: h.ProducerEpoch, BaseSequence: h.BaseSequence,
		}
		if err == nil && parser != nil {
			b.IDs, b.Sends, err = parser.Identities(h, records)
		}
		if err != nil {
			return batches, fmt.Errorf("read a batch of %s-%d: %w", at.topic, at.partition, err)
		}
		batches, records = append(batches, b), records[h.Size:]
	}
	return batches, nil
}

// unnamed is a message set of Kafka 0.10 and before, which has no producer and no
// identities to find.
func unnamed(at place) evidence.TraceBatch {
	return evidence.TraceBatch{
		Topic: at.topic, Partition: at.partition, BaseOffset: evidence.NoOffset,
		ProducerID: noProducer, ProducerEpoch: noProducer, BaseSequence: noProducer,
	}
}
