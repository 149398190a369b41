package franz

import (
	"encoding/binary"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// padding keeps records apart. kgo has no limit on the records of a batch, only
// on its bytes (ProducerBatchMaxBytes, not below 512). So every record is
// padded until two of them cannot share a batch. kgo counts the bytes before it
// compresses, so any compression.type will do.
//
// kgo adds a record of e encoded bytes to a batch unless the sum would pass the
// limit (kgo/sink.go, recBatch.tryBuffer). It counts at least 62 bytes around
// the records, and at most 65 around the first one. So
//
//	no two fit    when every e >= (limit-62)/2 + 1
//	one does fit  when its  e <= limit-65
//
// The first record of a topic decides its limit: 512, or room for twice that
// record. kgo asks for a topic's limit once, when it loads the topic, which is
// after Produce was called with that first record; so the limit that kgo uses
// is the one that all records of the topic are padded for. A record that is
// more than twice as long as its topic's first one is refused by kgo with
// MESSAGE_TOO_LARGE.
type padding struct {
	most int32 // what the settings allow a batch

	mu     sync.Mutex
	limits map[string]int32 // by topic
}

const (
	smallest                = 512 // kgo's least ProducerBatchMaxBytes
	leastAround, mostAround = 62, 65
)

func newPadding(most int32) *padding {
	return &padding{most: max(most, smallest), limits: map[string]int32{}}
}

func (p *padding) options() []kgo.Opt {
	return []kgo.Opt{kgo.ProducerBatchMaxBytesFn(p.limit)}
}

// limit is what kgo asks, with an empty topic when it checks its options.
func (p *padding) limit(topic string) int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if limit, ok := p.limits[topic]; ok {
		return limit
	}
	return smallest
}

// pad adds the header, if the record needs it.
func (p *padding) pad(r *kgo.Record) {
	length := encodedLength(r)
	least := (p.decide(r.Topic, length)-leastAround)/2 + 1
	if length >= least {
		return
	}
	// The header's own name and lengths only add to what is missing.
	value := make([]byte, least-length)
	r.Headers = append(r.Headers, kgo.RecordHeader{Key: drivers.PaddingHeader, Value: value})
}

// decide is the limit of the record's topic, made from its first record.
func (p *padding) decide(topic string, length int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if limit, ok := p.limits[topic]; ok {
		return int(limit)
	}
	limit := max(smallest, min(int32(mostAround+2*length), p.most))
	p.limits[topic] = limit
	return int(limit)
}

// encodedLength is the size of a record that is the first of its batch, its
// own length included (record format v2).
func encodedLength(r *kgo.Record) int {
	n := 1 + 1 + 1 // attributes, timestamp delta, offset delta
	n += varint(len(r.Key)) + len(r.Key) + varint(len(r.Value)) + len(r.Value)
	n += varint(len(r.Headers))
	for _, h := range r.Headers {
		n += varint(len(h.Key)) + len(h.Key) + varint(len(h.Value)) + len(h.Value)
	}
	return varint(n) + n
}

func varint(n int) int {
	var buf [binary.MaxVarintLen64]byte
	return binary.PutVarint(buf[:], int64(n))
}
