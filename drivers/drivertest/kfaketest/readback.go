package kfaketest

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
)

// Log reads raw batches as a read_uncommitted consumer would, and finds out
// from the control records what became of each transaction.
func (c *cluster) Log(ctx context.Context, topic string) ([]drivertest.LogRecord, error) {
	leaders, err := c.leaders(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("read %s back: %w", topic, err)
	}
	var log []drivertest.LogRecord
	for partition, leader := range leaders {
		tp := drivers.TopicPartition{Topic: topic, Partition: int32(partition)}
		batches, stable, err := c.batches(ctx, leader, tp)
		if err != nil {
			return nil, fmt.Errorf("read %s back: %w", tp, err)
		}
		records, err := decide(tp, batches, stable)
		if err != nil {
			return nil, fmt.Errorf("read %s back: %w", tp, err)
		}
		log = append(log, records...)
	}
	return log, nil
}

// leaders is the node that leads each partition of the topic.
func (c *cluster) leaders(ctx context.Context, topic string) ([]int32, error) {
	req := kmsg.NewPtrMetadataRequest()
	wanted := kmsg.NewMetadataRequestTopic()
	wanted.Topic = &topic
	req.Topics = append(req.Topics, wanted)
	resp, err := req.RequestWith(ctx, c.reader)
	if err != nil {
		return nil, err
	}
	if err := kerr.ErrorForCode(resp.Topics[0].ErrorCode); err != nil {
		return nil, err
	}
	leaders := make([]int32, len(resp.Topics[0].Partitions))
	for _, p := range resp.Topics[0].Partitions {
		leaders[p.Partition] = p.Leader
	}
	return leaders, nil
}

// batches is everything up to the high watermark, and the last stable offset.
func (c *cluster) batches(ctx context.Context, leader int32, tp drivers.TopicPartition) ([]kmsg.RecordBatch, int64, error) {
	var batches []kmsg.RecordBatch
	for next := int64(0); ; {
		p, err := c.fetch(ctx, leader, tp, next)
		if err != nil {
			return nil, 0, err
		}
		fetched, err := splitBatches(p.RecordBatches)
		if err != nil {
			return nil, 0, err
		}
		batches = append(batches, fetched...)
		if len(batches) > 0 {
			last := batches[len(batches)-1]
			next = last.FirstOffset + int64(last.LastOffsetDelta) + 1
		}
		switch {
		case next >= p.HighWatermark:
			return batches, p.LastStableOffset, nil
		case len(fetched) == 0:
			return nil, 0, fmt.Errorf("nothing at offset %d, but the high watermark is %d", next, p.HighWatermark)
		}
	}
}

func (c *cluster) fetch(ctx context.Context, leader int32, tp drivers.TopicPartition, offset int64) (*kmsg.FetchResponseTopicPartition, error) {
	partition := kmsg.NewFetchRequestTopicPartition()
	partition.Partition, partition.FetchOffset, partition.PartitionMaxBytes = tp.Partition, offset, 8<<20
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.Partitions = tp.Topic, append(topic.Partitions, partition)
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes, req.SessionEpoch = 8<<20, -1
	req.Topics = append(req.Topics, topic)
	answer, err := c.reader.Broker(int(leader)).RetriableRequest(ctx, req)
	if err != nil {
		return nil, err
	}
	resp := answer.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return nil, err
	}
	p := &resp.Topics[0].Partitions[0]
	return p, kerr.ErrorForCode(p.ErrorCode)
}

// splitBatches cuts what Fetch returned into batches: 8 bytes of offset, 4 of
// length, then as many as the length says.
func splitBatches(raw []byte) ([]kmsg.RecordBatch, error) {
	const head = 12
	var batches []kmsg.RecordBatch
	for len(raw) >= head {
		size := head + int(binary.BigEndian.Uint32(raw[8:]))
		if size > len(raw) {
			break // Fetch may cut the last batch short; it is fetched again
		}
		batch := kmsg.NewRecordBatch()
		if err := batch.ReadFrom(raw[:size]); err != nil {
			return nil, fmt.Errorf("record batch: %w", err)
		}
		batches, raw = append(batches, batch), raw[size:]
	}
	return batches, nil
}

// Bits of RecordBatch.Attributes (KIP-98).
const (
	codecBits        = 0x07
	transactionalBit = 0x10
	controlBit       = 0x20
)

// decide turns batches into records. A record of a transaction is pending until
// the next control record of its producer.
func decide(tp drivers.TopicPartition, batches []kmsg.RecordBatch, stable int64) ([]drivertest.LogRecord, error) {
	var log []drivertest.LogRecord
	open := map[int64][]int{} // by producer id: the records without a marker yet
	for _, batch := range batches {
		records, err := recordsOf(batch)
		if err != nil {
			return nil, fmt.Errorf("batch at offset %d: %w", batch.FirstOffset, err)
		}
		if batch.Attributes&controlBit != 0 {
			state := stateAfter(records[0])
			for _, i := range open[batch.ProducerID] {
				log[i].State = state
			}
			delete(open, batch.ProducerID)
			continue
		}
		for _, r := range records {
			if batch.Attributes&transactionalBit != 0 {
				open[batch.ProducerID] = append(open[batch.ProducerID], len(log))
			}
			log = append(log, logRecord(tp, batch, r))
		}
	}
	for i, r := range log {
		if r.State == drivertest.Visible && r.Offset >= stable {
			log[i].State = drivertest.Pending
		}
	}
	return slices.Clip(log), nil
}

func logRecord(tp drivers.TopicPartition, batch kmsg.RecordBatch, r kmsg.Record) drivertest.LogRecord {
	var headers []drivers.Header
	for _, h := range r.Headers {
		headers = append(headers, drivers.Header{Key: h.Key, Value: h.Value})
	}
	state := drivertest.Visible
	if batch.Attributes&transactionalBit != 0 {
		state = drivertest.Pending
	}
	return drivertest.LogRecord{
		Record: drivers.Record{
			Topic: tp.Topic, Partition: tp.Partition, Offset: batch.FirstOffset + int64(r.OffsetDelta),
			Key: r.Key, Value: r.Value, Headers: headers,
		},
		State: state, BatchRecords: int(batch.NumRecords),
	}
}

// stateAfter reads a control record: version, then 0 for ABORT, 1 for COMMIT.
func stateAfter(marker kmsg.Record) drivertest.State {
	if binary.BigEndian.Uint16(marker.Key[2:]) == 1 {
		return drivertest.Visible
	}
	return drivertest.Aborted
}

func recordsOf(batch kmsg.RecordBatch) ([]kmsg.Record, error) {
	codec := kgo.CompressionCodecType(batch.Attributes & codecBits)
	raw, err := kgo.DefaultDecompressor().Decompress(batch.Records, codec)
	if err != nil {
		return nil, err
	}
	records := make([]kmsg.Record, batch.NumRecords)
	for i := range records {
		length, head := binary.Varint(raw)
		if size := head + int(length); head <= 0 || length < 0 || size > len(raw) {
			return nil, fmt.Errorf("record %d of %d: %d bytes left, but its length says %d", i, batch.NumRecords, len(raw), size)
		} else if err := records[i].ReadFrom(raw[:size]); err != nil {
			return nil, fmt.Errorf("record %d of %d: %w", i, batch.NumRecords, err)
		} else {
			raw = raw[size:]
		}
	}
	return records, nil
}
