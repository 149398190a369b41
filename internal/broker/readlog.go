package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
)

// How much a Fetch asks for. A broker sends the first batch whole even when it
// is larger than the limit (KIP-74); where one does not, the limit grows.
const (
	fetchBytes    = 8 << 20
	maxFetchBytes = 64 << 20 // kgo refuses answers above 100 MiB
)

// fetchWait is how long a broker may hold a Fetch for which it has nothing. It
// answers at once when the marker comes that the reader is waiting for.
const fetchWait = 50 // milliseconds

// ReadLog reads topics batch by batch, read_uncommitted, each partition from
// its offset in before (as EndOffsets told it) or from 0. It is complete only
// when the last stable offset of every partition has reached its end offset:
// Kafka writes the markers of a transaction after it answered EndTxn, so what
// can be read at once may be short of them.
//
// When it is not complete, the error says for each partition what never came,
// and the log holds what was read.
func (r *Reader) ReadLog(ctx context.Context, topics []string, before map[TopicPartition]int64) (evidence.Log, error) {
	return r.readLog(ctx, ctx, topics, before)
}

// OpenError says that a log was read to its end, and that transactions in it are
// open still: it names the partitions.
type OpenError struct{ Partitions string }

// Error is the partitions and where their readers stand.
func (e *OpenError) Error() string { return e.Partitions }

// ReadOpenLog is ReadLog for a log in which a transaction may be open for long. It
// waits so long for the last stable offsets. If they do not come, it reads on to the
// end that the log has then: the error is an *OpenError, and the log is complete.
func (r *Reader) ReadOpenLog(ctx context.Context, topics []string, before map[TopicPartition]int64, patience time.Duration) (evidence.Log, error) {
	stable, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.readLog(ctx, stable, topics, before)
}

// readLog waits for the last stable offsets until stable ends.
func (r *Reader) readLog(ctx, stable context.Context, topics []string, before map[TopicPartition]int64) (evidence.Log, error) {
	partitions, err := r.partitions(ctx, topics)
	if err != nil {
		return evidence.Log{}, fmt.Errorf("read back: %w", err)
	}
	logs := make([]evidence.PartitionLog, len(partitions))
	cursors := make([]*cursor, len(partitions))
	for i, tp := range partitions {
		logs[i] = evidence.PartitionLog{Topic: tp.Topic, Partition: tp.Partition, Before: before[tp]}
		cursors[i] = newCursor(tp, before[tp])
	}
	collect := func(i int) func(evidence.Batch) error {
		return func(b evidence.Batch) error {
			b.Records = slices.Clone(b.Records)
			logs[i].Batches = append(logs[i].Batches, b)
			return nil
		}
	}
	err = r.readAll(ctx, stable, cursors, collect)
	for i, c := range cursors {
		logs[i].After = max(c.end, c.offset)
	}
	return evidence.Log{Partitions: logs}, err
}

// readAll first reads what is there, in every partition, and then what an open
// transaction holds back, so that one such partition does not hide the others.
func (r *Reader) readAll(ctx, stable context.Context, cursors []*cursor, collect func(int) func(evidence.Batch) error) error {
	all := func(ctx context.Context, enough func(*cursor) bool) error {
		var errs []error
		for i, c := range cursors {
			errs = append(errs, r.advance(ctx, c, enough, parsing(collect(i))))
		}
		return joined(errs)
	}
	if err := all(ctx, (*cursor).atEnd); err != nil {
		return err
	}
	err := all(stable, (*cursor).stableEnd)
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, c := range cursors {
		c.end = -1 // what it was told last may be long ago: the leader is asked again
	}
	if err := all(ctx, (*cursor).atEnd); err != nil {
		return err
	}
	return open(cursors)
}

// open is nil if every transaction has ended after all.
func open(cursors []*cursor) error {
	var open []string
	for _, c := range cursors {
		if !c.stableEnd() {
			open = append(open, fmt.Sprintf("%s: last stable offset %d, end offset %d", c.TopicPartition, c.stable, c.end))
		}
	}
	if len(open) == 0 {
		return nil
	}
	return &OpenError{strings.Join(open, "; ")}
}

// ReadPartition calls each with every batch of a partition from an offset on,
// in order, under the conditions of ReadLog. It keeps no batch, so that a log
// of any length can be audited as it streams by: the Records of a batch are
// overwritten after each returns (see batch.Parser). An error of each ends it
// and is returned.
func (r *Reader) ReadPartition(ctx context.Context, tp TopicPartition, from int64, each func(evidence.Batch) error) error {
	return r.advance(ctx, newCursor(tp, from), (*cursor).stableEnd, parsing(each))
}

// VisitPartition is ReadPartition for whoever knows records by their values, and has
// many: see batch.Parser.Visit. It returns the offset behind the last batch.
func (r *Reader) VisitPartition(ctx context.Context, tp TopicPartition, from int64, v batch.Visitor) (int64, error) {
	c := newCursor(tp, from)
	err := r.advance(ctx, c, (*cursor).stableEnd, visiting(v))
	return c.offset, err
}

// cursor is how far the read of one partition has come.
type cursor struct {
	TopicPartition
	parser  *batch.Parser
	topicID [16]byte
	leader  int32 // -1 until it is looked up
	limit   int32 // bytes to ask for
	offset  int64 // the next one to read
	end     int64 // end offset of the last answer; -1 before the first
	stable  int64 // last stable offset of the same answer
}

func newCursor(tp TopicPartition, from int64) *cursor {
	return &cursor{TopicPartition: tp, parser: batch.NewParser(), leader: -1, limit: fetchBytes, offset: from, end: -1, stable: -1}
}

func (c *cursor) atEnd() bool     { return c.end >= 0 && c.offset >= c.end }
func (c *cursor) stableEnd() bool { return c.atEnd() && c.stable >= c.end }

// advance reads until there is enough, looking up the leader whenever it is
// not known or was left behind by a move.
func (r *Reader) advance(ctx context.Context, c *cursor, enough func(*cursor) bool, read readFunc) error {
	for wait := false; !enough(c); {
		part, err := r.fetch(ctx, c, wait)
		if err != nil {
			if err := r.retry(ctx, c, err); err != nil {
				return c.stopped(err)
			}
			continue
		}
		from := c.offset
		if err := c.take(part, read); err != nil {
			return fmt.Errorf("read back %s: %w", c.TopicPartition, err)
		}
		wait = c.offset == from
	}
	return nil
}

// stopped says what the reader was waiting for.
func (c *cursor) stopped(err error) error {
	switch {
	case c.end < 0:
		return fmt.Errorf("read back %s: no answer: %w", c.TopicPartition, err)
	case c.atEnd():
		return fmt.Errorf("read back %s: last stable offset %d has not reached end offset %d, a transaction is still open: %w",
			c.TopicPartition, c.stable, c.end, err)
	}
	return fmt.Errorf("read back %s: stopped at offset %d, end offset %d: %w", c.TopicPartition, c.offset, c.end, err)
}

// retry makes the next fetch possible, or returns why there is none.
func (r *Reader) retry(ctx context.Context, c *cursor, err error) error {
	if errors.Is(err, kerr.OffsetOutOfRange) {
		return r.toStart(ctx, c)
	}
	c.leader = -1
	return again(ctx, err)
}

// toStart moves to the first offset that is still in the log; what stood before
// it was deleted (retention, DeleteRecords).
func (r *Reader) toStart(ctx context.Context, c *cursor) error {
	starts, err := r.listOffsets(ctx, []TopicPartition{c.TopicPartition}, earliestOffset)
	if err != nil {
		return fmt.Errorf("start offset: %w", err)
	}
	start := starts[c.TopicPartition]
	if start <= c.offset {
		return fmt.Errorf("%w: the log starts at %d and ends before %d: was the topic made anew?", kerr.OffsetOutOfRange, start, c.offset)
	}
	c.offset = start
	return nil
}

// fetch asks the leader once. The error is that of the connection, of the
// answer, or of the partition in it.
func (r *Reader) fetch(ctx context.Context, c *cursor, wait bool) (kmsg.FetchResponseTopicPartition, error) {
	none := kmsg.FetchResponseTopicPartition{}
	if c.leader < 0 {
		if err := r.locate(ctx, c); err != nil {
			return none, fmt.Errorf("look up leader: %w", err)
		}
	}
	resp, err := c.request(wait).RequestWith(ctx, r.client.Broker(int(c.leader)))
	if err != nil {
		return none, fmt.Errorf("fetch from node %d: %w", c.leader, err)
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return none, fmt.Errorf("fetch from node %d: %w", c.leader, err)
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return none, fmt.Errorf("fetch from node %d: answer without the partition", c.leader)
	}
	part := resp.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
		return none, fmt.Errorf("fetch from node %d: %w", c.leader, err)
	}
	return part, nil
}

// locate looks up leader and topic id; Fetch names topics by id since version
// 13 (KIP-516).
func (r *Reader) locate(ctx context.Context, c *cursor) error {
	resp, err := r.metadata(ctx, []string{c.Topic})
	if err != nil {
		return err
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return err
		}
		for _, p := range t.Partitions {
			if p.Partition == c.Partition {
				c.topicID, c.leader = t.TopicID, p.Leader
				return partitionError(p)
			}
		}
	}
	return kerr.UnknownTopicOrPartition
}

// request is the next Fetch. Without wait the broker answers at once, which
// tells end offset and last stable offset even of an empty partition.
func (c *cursor) request(wait bool) *kmsg.FetchRequest {
	part := kmsg.NewFetchRequestTopicPartition()
	part.Partition, part.FetchOffset, part.PartitionMaxBytes = c.Partition, c.offset, c.limit
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID = c.Topic, c.topicID
	topic.Partitions = append(topic.Partitions, part)
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes = c.limit
	req.SessionEpoch = -1 // no fetch session (KIP-227)
	req.Topics = append(req.Topics, topic)
	req.MinBytes = 0
	if wait {
		req.MinBytes, req.MaxWaitMillis = 1, fetchWait
	}
	return req
}

// readFunc reads the batches of an answer, moves the cursor behind them, and says how
// many bytes they took.
type readFunc func(c *cursor, raw []byte) (int, error)

// parsing hands on whole batches.
func parsing(each func(evidence.Batch) error) readFunc {
	return func(c *cursor, raw []byte) (int, error) {
		return c.parser.Parse(raw, func(b evidence.Batch) error {
			if b.LastOffset < c.offset {
				return nil // a broker may start a little early
			}
			b.Records = from(b.Records, c.offset)
			c.offset = b.LastOffset + 1
			return each(b)
		})
	}
}

// visiting hands on batches and records.
func visiting(v batch.Visitor) readFunc {
	visitor := &standingBehind{Visitor: v}
	return func(c *cursor, raw []byte) (int, error) {
		visitor.from = c.offset
		n, err := c.parser.Visit(raw, visitor)
		c.offset = visitor.from
		return n, err
	}
}

// standingBehind is a visitor of what stands at an offset and behind it.
type standingBehind struct {
	batch.Visitor
	first int64 // of the batch that is wanted
	from  int64 // of the next batch
}

// Batch passes over those that stand before.
func (b *standingBehind) Batch(h batch.Header, control string) error {
	b.first = b.from
	last := h.BaseOffset + int64(h.LastOffsetDelta)
	if last < b.from {
		b.first = last + 1
		return nil
	}
	b.from = last + 1
	return b.Visitor.Batch(h, control)
}

// Record passes over those that stand before.
func (b *standingBehind) Record(offset int64, key, value []byte) error {
	if offset < b.first {
		return nil
	}
	return b.Visitor.Record(offset, key, value)
}

// take hands on the batches of an answer and moves behind them.
func (c *cursor) take(part kmsg.FetchResponseTopicPartition, read readFunc) error {
	c.end, c.stable = part.HighWatermark, part.LastStableOffset
	n, err := read(c, part.RecordBatches)
	if err == nil && n == 0 && len(part.RecordBatches) > 0 {
		return c.askForMore()
	}
	return err
}

// askForMore doubles the limit because not even one batch fitted.
func (c *cursor) askForMore() error {
	if c.limit >= maxFetchBytes {
		return fmt.Errorf("batch at offset %d does not fit into %d bytes", c.offset, c.limit)
	}
	c.limit *= 2
	return nil
}

// from drops the records of a batch that stand before the offset asked for:
// DeleteRecords may cut a log in the middle of a batch.
func from(records []evidence.LogRecord, offset int64) []evidence.LogRecord {
	for len(records) > 0 && records[0].Offset < offset {
		records = records[1:]
	}
	return records
}
