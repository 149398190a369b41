package brokerdiff

import (
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
)

// transactional is the bit of a batch's attributes (KIP-98).
const transactional = 0x10

// producer is what InitProducerId hands out.
type producer struct {
	txid  string // empty without transactions
	id    int64
	epoch int16
}

// at is the same producer at an epoch that many later.
func (p producer) at(later int16) producer {
	p.epoch += later
	return p
}

// batch is the header of a batch of this producer; the sequence is that of its
// first record.
func (p producer) batch(sequence int32) kmsg.RecordBatch {
	b := kmsg.RecordBatch{ProducerID: p.id, ProducerEpoch: p.epoch, FirstSequence: sequence, PartitionLeaderEpoch: -1}
	if p.txid != "" {
		b.Attributes = transactional
	}
	return b
}

// nobody is who writes without idempotence, with noSequence.
func nobody() producer { return producer{id: -1, epoch: -1} }

const noSequence = -1

// writing is a Produce request of one batch.
type writing struct {
	version int16 // 13 and later name the topic by its id (KIP-516)
	acks    int16
	topic   topic
	txid    string
	records []byte
}

func (w writing) request() *kmsg.ProduceRequest {
	part := kmsg.NewProduceRequestTopicPartition()
	part.Records = w.records
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.TopicID = w.topic.name, w.topic.id
	t.Partitions = append(t.Partitions, part)
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = w.version, w.acks, 5000
	req.Topics = append(req.Topics, t)
	if w.txid != "" {
		req.TransactionID = &w.txid
	}
	return req
}

// encode is a batch as it goes over the wire, of records that are known by their
// keys.
func (s *session) encode(b kmsg.RecordBatch, keys ...string) []byte {
	var records []kmsg.Record
	for _, key := range keys {
		records = append(records, kmsg.Record{Key: []byte(key), Value: []byte("value of " + key)})
	}
	return s.encodeRecords(b, records...)
}

func (s *session) encodeRecords(b kmsg.RecordBatch, records ...kmsg.Record) []byte {
	raw, err := batch.Encode(b, kgo.NoCompression(), records...)
	if err != nil {
		s.fail(err)
	}
	return raw
}

// written is what a broker says of one partition of a Produce.
type written struct {
	code   int16
	offset int64
}

// String has no offset where nothing was written: row error-base-offset is about it.
func (w written) String() string {
	if w.code != 0 {
		return code(w.code)
	}
	return fmt.Sprintf("ok at %d", w.offset)
}

// produce writes records of a producer with acks=all.
func (s *session) produce(version int16, t topic, p producer, sequence int32, keys ...string) written {
	return s.send(writing{version: version, acks: -1, topic: t, txid: p.txid, records: s.encode(p.batch(sequence), keys...)})
}

func (s *session) send(w writing) written {
	resp := ask[*kmsg.ProduceResponse](s, w.version, w.request())
	part := only(s, "partitions", only(s, "topics", resp.Topics).Partitions)
	return written{part.ErrorCode, part.BaseOffset}
}

// write prepares a question: it has to be accepted.
func (s *session) write(version int16, t topic, p producer, sequence int32, keys ...string) {
	s.must("write", s.produce(version, t, p, sequence, keys...).code)
}

// sendUnanswered writes with acks=0 and says whether the broker kept the connection,
// which is all that it can tell.
func (s *session) sendUnanswered(w writing) string {
	if s.err != nil {
		return ""
	}
	if err := s.conn.send(w.request()); err != nil {
		s.fail(err)
	}
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "kcompare", "1"
	req.SetVersion(3)
	switch _, err := s.conn.ask(req); {
	case err == nil:
		return "connection stays open"
	case errors.Is(err, io.EOF):
		return "connection closed"
	default:
		s.fail(err)
		return ""
	}
}
