package brokerdiff

import (
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// The last versions before and the first with KIP-890: a client that writes with
// Produce 12 or later adds no partitions to a transaction, and one that ends it
// with EndTxn 5 gets a new epoch. franz-go and Java speak the new ones, librdkafka
// 2.11.1 the old ones.
const (
	produceOld = 10
	produceNew = 13
	endOld     = 1
	endNew     = 5
	initOld    = 4
	initNew    = 5
)

// How a transaction ends.
const (
	commit = true
	abort  = false
)

// longTimeout is a transaction.timeout.ms that no situation reaches, shortTimeout
// one that it waits for.
const (
	longTimeout  = 60_000
	shortTimeout = 500
)

// initOnce asks for a producer id, or for the next epoch of a producer that has one
// (KIP-360).
func (s *session) initOnce(version int16, p producer, timeout int32) (producer, int16) {
	req := kmsg.NewPtrInitProducerIDRequest()
	if p.txid != "" {
		req.TransactionalID = &p.txid
	}
	req.TransactionTimeoutMillis, req.ProducerID, req.ProducerEpoch = timeout, p.id, p.epoch
	resp := ask[*kmsg.InitProducerIDResponse](s, version, req)
	return producer{p.txid, resp.ProducerID, resp.ProducerEpoch}, resp.ErrorCode
}

// initUntil is initOnce, again until the answer is about the question.
func (s *session) initUntil(version int16, p producer, timeout int32) (got producer, n int16) {
	s.until("InitProducerId is answered", func() bool {
		got, n = s.initOnce(version, p, timeout)
		return !notNow(n)
	})
	return got, n
}

// idempotent is a producer without transactions.
func (s *session) idempotent() producer {
	p, n := s.initUntil(initOld, nobody(), longTimeout)
	s.must("InitProducerId", n)
	return p
}

// transactional is the next instance with the session's transactional.id.
func (s *session) transactional() producer { return s.transactionalWithin(longTimeout) }

func (s *session) transactionalWithin(timeout int32) producer {
	p, n := s.initUntil(initNew, s.unknown(), timeout)
	s.must("InitProducerId", n)
	return p
}

// unknown is the session's transactional.id as its next instance begins.
func (s *session) unknown() producer { return producer{s.name, -1, -1} }

// addPartition opens a transaction as clients did before KIP-890.
func (s *session) addPartition(p producer, t topic) int16 {
	one := kmsg.NewAddPartitionsToTxnRequestTopic()
	one.Topic, one.Partitions = t.name, []int32{0}
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch = p.txid, p.id, p.epoch
	req.Topics = append(req.Topics, one)
	resp := ask[*kmsg.AddPartitionsToTxnResponse](s, 0, req)
	return only(s, "partitions", only(s, "topics", resp.Topics).Partitions).ErrorCode
}

// openOld writes the first records of a transaction as librdkafka does.
func (s *session) openOld(t topic, p producer, sequence int32, keys ...string) {
	s.until("a partition is added", func() bool {
		n := s.addPartition(p, t)
		if notNow(n) {
			return false
		}
		s.must("AddPartitionsToTxn", n)
		return true
	})
	s.write(produceOld, t, p, sequence, keys...)
}

// end asks once; next is the producer of the transaction after it.
func (s *session) end(version int16, p producer, how bool) (next producer, n int16) {
	req := kmsg.NewPtrEndTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Commit = p.txid, p.id, p.epoch, how
	resp := ask[*kmsg.EndTxnResponse](s, version, req)
	if version < endNew || resp.ErrorCode != 0 {
		return p, resp.ErrorCode
	}
	return producer{p.txid, resp.ProducerID, resp.ProducerEpoch}, 0
}

// ended is end for a step that prepares a question: it has to go well, and its
// markers have been written when it returns.
func (s *session) ended(version int16, p producer, how bool) producer {
	next, n := s.end(version, p, how)
	s.must("EndTxn", n)
	s.settled(p)
	return next
}

// settled waits until the coordinator has nothing left to do for a transactional.id:
// Kafka writes markers after it answered EndTxn, and says CONCURRENT_TRANSACTIONS
// meanwhile.
func (s *session) settled(p producer) {
	s.until("the transaction has ended", func() bool {
		state := s.state(p)
		return state != "Ongoing" && !strings.HasPrefix(state, "Prepare")
	})
}

// state is the coordinator's word for where a transactional.id stands.
func (s *session) state(p producer) string {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{p.txid}
	resp := ask[*kmsg.DescribeTransactionsResponse](s, 0, req)
	one := only(s, "states", resp.TransactionStates)
	if one.ErrorCode != 0 {
		return code(one.ErrorCode)
	}
	return one.State
}
