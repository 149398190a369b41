package franz

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
	"kcompare/internal/batch"
)

// raw sends batches that were made by hand, as kmsg requests over kgo's connections.
// kgo's own producer takes no part: it has neither an id nor a sequence here.
//
// kgo writes the acks of its settings into every kmsg.ProduceRequest (kgo/broker.go),
// and only for acks=0 does it expect no answer. So requests without an answer have a
// client of their own, and the others go past that in a type that kgo does not know.
type raw struct {
	answered, unanswered *kgo.Client
	cancel               []context.CancelFunc
}

// NewRaw is drivers.RawDriver. A transactional.id is each batch's own.
func (driver) NewRaw(s drivers.Settings) (drivers.Raw, error) {
	s.Config = maps.Clone(s.Config)
	delete(s.Config, "transactional.id")
	t, err := translate(drivers.RoleProducer, s)
	if err != nil {
		return nil, err
	}
	r := &raw{}
	for _, c := range []struct {
		client **kgo.Client
		own    []kgo.Opt
	}{
		{&r.answered, nil},
		{&r.unanswered, []kgo.Opt{kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite()}},
	} {
		cl, cancel, err := open(append(t.opts[:len(t.opts):len(t.opts)], c.own...))
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		*c.client, r.cancel = cl, append(r.cancel, cancel)
	}
	return r, nil
}

// Init is drivers.Raw. What is a matter of time is asked again: the coordinator of a
// new cluster is still loading, or the transaction of an older instance being ended.
func (r *raw) Init(ctx context.Context, transactionalID string) (drivers.ProducerID, error) {
	req := kmsg.NewPtrInitProducerIDRequest()
	if transactionalID != "" {
		req.TransactionalID = &transactionalID
		req.TransactionTimeoutMillis = int32(time.Minute.Milliseconds())
	}
	for {
		resp, err := req.RequestWith(ctx, r.answered)
		if err == nil {
			err = kerr.ErrorForCode(resp.ErrorCode)
		}
		if err == nil {
			return drivers.ProducerID{ID: resp.ProducerID, Epoch: resp.ProducerEpoch}, nil
		}
		said := errorOf("init", err)
		if said.Class != drivers.Retriable || pauseFor(ctx, 10*time.Millisecond) != nil {
			return drivers.ProducerID{}, said
		}
	}
}

func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rawProduce hides the request from kgo, which would change its acks.
type rawProduce struct{ *kmsg.ProduceRequest }

// Produce is drivers.Raw. The leader is asked for each time: it may have moved.
func (r *raw) Produce(ctx context.Context, b drivers.RawBatch) (drivers.RawAnswer, error) {
	none := drivers.RawAnswer{Offset: drivers.NoOffset}
	cl := r.answered
	if b.Acks == 0 {
		cl = r.unanswered
	}
	leader, id, err := leaderOf(ctx, cl, b.TopicPartition)
	if err != nil {
		return none, errorOf("produce", err)
	}
	req, err := produceRequest(b, id)
	if err != nil {
		return none, errorOf("produce", err)
	}
	if b.Acks == 0 {
		_, err = cl.Broker(leader).Request(ctx, req)
		return none, asError("produce", err)
	}
	resp, err := cl.Broker(leader).Request(ctx, rawProduce{req})
	if err != nil {
		return none, errorOf("produce", err)
	}
	return rawAnswer(resp.(*kmsg.ProduceResponse))
}

// leaderOf also finds the id of the topic, by which Produce names it since v13.
func leaderOf(ctx context.Context, cl *kgo.Client, tp drivers.TopicPartition) (leader int, id [16]byte, err error) {
	req := kmsg.NewPtrMetadataRequest()
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = &tp.Topic
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return 0, id, err
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.Partition == tp.Partition && p.Leader >= 0 {
				return int(p.Leader), t.TopicID, nil
			}
		}
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return 0, id, fmt.Errorf("metadata of %s: %w", tp, err)
		}
	}
	return 0, id, fmt.Errorf("metadata of %s: %w", tp, kerr.LeaderNotAvailable)
}

// transactionalBit is that of a batch's attributes (KIP-98).
const transactionalBit = 0x10

func produceRequest(b drivers.RawBatch, topic [16]byte) (*kmsg.ProduceRequest, error) {
	now := time.Now().UnixMilli()
	header := kmsg.RecordBatch{
		PartitionLeaderEpoch: -1, FirstTimestamp: now, MaxTimestamp: now,
		ProducerID: b.ID, ProducerEpoch: b.Epoch, FirstSequence: b.Sequence,
	}
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis = b.Acks, int32((30 * time.Second).Milliseconds())
	if b.TransactionalID != "" {
		req.TransactionID, header.Attributes = &b.TransactionalID, transactionalBit
	}
	records, err := batch.Encode(header, kgo.NoCompression(), rawRecords(b.Records)...)
	if err != nil {
		return nil, err
	}
	part := kmsg.NewProduceRequestTopicPartition()
	part.Partition, part.Records = b.Partition, records
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.TopicID = b.Topic, topic
	t.Partitions = append(t.Partitions, part)
	req.Topics = append(req.Topics, t)
	return req, nil
}

func rawRecords(records []drivers.Record) []kmsg.Record {
	var all []kmsg.Record
	for _, r := range records {
		one := kmsg.Record{Key: r.Key, Value: r.Value}
		for _, h := range r.Headers {
			one.Headers = append(one.Headers, kmsg.Header{Key: h.Key, Value: h.Value})
		}
		all = append(all, one)
	}
	return all
}

// rawAnswer has no offset of a refusal: what stands there means nothing.
func rawAnswer(resp *kmsg.ProduceResponse) (drivers.RawAnswer, error) {
	none := drivers.RawAnswer{Offset: drivers.NoOffset}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return none, &drivers.Error{Call: "produce", Class: drivers.UnknownOutcome, Code: "CLIENT_ERROR", Text: "the answer is not about one partition"}
	}
	part := resp.Topics[0].Partitions[0]
	if part.ErrorCode == 0 {
		return drivers.RawAnswer{Offset: part.BaseOffset}, nil
	}
	none.Code = fmt.Sprintf("UNKNOWN_CODE_%d", part.ErrorCode)
	var known *kerr.Error
	if errors.As(kerr.ErrorForCode(part.ErrorCode), &known) {
		none.Code = known.Message
	}
	return none, nil
}

// Close is drivers.Raw. It cancels first, as that of a producer.
func (r *raw) Close() error {
	for _, cancel := range r.cancel {
		cancel()
	}
	for _, cl := range []*kgo.Client{r.answered, r.unanswered} {
		if cl != nil {
			cl.Close()
		}
	}
	return nil
}
