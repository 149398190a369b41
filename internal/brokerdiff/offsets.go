package brokerdiff

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// offsets is what readers are given: committed offsets, and how far the log is
// stable. Kafka: OffsetMetadataManager.java, UnifiedLog.java; kfake: 01, 02, 08, 09 and 28.
func offsets() []Situation {
	return []Situation{
		{
			ID: "offsets-commit", Asks: "TxnOffsetCommit v5 (no AddOffsetsToTxn), EndTxn v5 commit",
			play: func(s *session) { s.offsetsInTransaction(commit) },
		},
		{
			ID: "offsets-abort", Asks: "TxnOffsetCommit v5 (no AddOffsetsToTxn), EndTxn v5 abort",
			play: func(s *session) { s.offsetsInTransaction(abort) },
		},
		{
			ID: "offsets-commit-old", Asks: "AddOffsetsToTxn v0, TxnOffsetCommit v3, EndTxn v1 commit",
			play: offsetsOld,
		},
		{
			ID: "offsets-not-added", Asks: "TxnOffsetCommit v3 without AddOffsetsToTxn",
			play: offsetsNotAdded,
		},
		{
			ID: "offsets-generation", Asks: "TxnOffsetCommit v5 with a generation, of a group that does not exist",
			play: offsetsGeneration,
		},
		{
			ID: "offsets-unstable", Asks: "OffsetFetch v7 with RequireStable while a transaction with offsets is open (KIP-447)",
			play: offsetsUnstable,
		},
		{
			ID: "offsets-unknown-group", Asks: "OffsetFetch v7 of a group that does not exist",
			Means: "A program that asks for offsets before it joins gets an error here, and none on Kafka.",
			Aside: "A consumer of the core asks after it has joined.",
			play: func(s *session) {
				s.tell("OffsetFetch", s.committed(s.newTopic(), false))
			},
		},
		{
			ID: "offset-commit", Asks: "OffsetCommit v8 by a program that is no member of the group",
			play: func(s *session) {
				t := s.newTopic()
				s.tell("OffsetCommit", code(s.commitOffset(t, -1, "")))
				s.tell("OffsetFetch", s.committed(t, false))
			},
		},
		{
			ID: "offset-commit-no-topic", Asks: "OffsetCommit v8 to a topic that does not exist",
			play: func(s *session) {
				s.tell("OffsetCommit", code(s.commitOffset(topic{name: s.name + "-none"}, -1, "")))
			},
		},
		{
			ID: "offset-commit-stranger", Asks: "OffsetCommit v8 as a member of a generation, of a group that does not exist",
			play: func(s *session) {
				s.tell("OffsetCommit", code(s.commitOffset(s.newTopic(), 3, "nobody")))
			},
		},
		{
			ID: "stable-offset-open", Asks: "ListOffsets of the end while a transaction is open, under both isolation levels",
			play: stableOffsetOpen,
		},
		{
			ID: "stable-offset-commit", Asks: "ListOffsets of the end after a commit, under both isolation levels",
			play: func(s *session) { s.stableOffset(commit) },
		},
		{
			ID: "fetch-open", Asks: "Fetch under read_committed of a record before an open transaction and one in it",
			play: fetchOpen,
		},
		{
			ID: "fetch-aborted", Asks: "Fetch under read_committed of an aborted transaction",
			play: fetchAborted,
		},
		{
			ID: "fetch-beyond", Asks: "Fetch beyond the end offset",
			Means: "None: the end offset beside an error is read by nobody.",
			Aside: "No consumer of the core is beyond the end.",
			play:  fetchBeyond,
		},
	}
}

// addOffsets opens a transaction for the session's group as clients did before
// KIP-890.
func (s *session) addOffsets(p producer) int16 {
	req := kmsg.NewPtrAddOffsetsToTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group = p.txid, p.id, p.epoch, s.name
	return ask[*kmsg.AddOffsetsToTxnResponse](s, 0, req).ErrorCode
}

// The offsets that the session's group commits: before a transaction, and in it.
const (
	offsetBefore = 7
	offsetWithin = 9
)

// commitInTransaction commits an offset of the session's group.
func (s *session) commitInTransaction(version int16, p producer, t topic, generation int32) int16 {
	part := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	part.Offset = offsetWithin
	one := kmsg.NewTxnOffsetCommitRequestTopic()
	one.Topic, one.TopicID = t.name, t.id
	one.Partitions = append(one.Partitions, part)
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch = p.txid, p.id, p.epoch
	req.Group, req.Generation = s.name, generation
	if generation >= 0 {
		req.MemberID = "nobody"
	}
	req.Topics = append(req.Topics, one)
	resp := ask[*kmsg.TxnOffsetCommitResponse](s, version, req)
	return only(s, "partitions", only(s, "topics", resp.Topics).Partitions).ErrorCode
}

func (s *session) commitOffset(t topic, generation int32, member string) int16 {
	part := kmsg.NewOffsetCommitRequestTopicPartition()
	part.Offset = offsetBefore
	one := kmsg.NewOffsetCommitRequestTopic()
	one.Topic = t.name
	one.Partitions = append(one.Partitions, part)
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.MemberID = s.name, generation, member
	req.Topics = append(req.Topics, one)
	resp := ask[*kmsg.OffsetCommitResponse](s, 8, req)
	return only(s, "partitions", only(s, "topics", resp.Topics).Partitions).ErrorCode
}

// committed is the offset of the session's group, -1 for none.
func (s *session) committed(t topic, stable bool) string {
	one := kmsg.NewOffsetFetchRequestTopic()
	one.Topic, one.Partitions = t.name, []int32{0}
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group, req.RequireStable = s.name, stable
	req.Topics = append(req.Topics, one)
	resp := ask[*kmsg.OffsetFetchResponse](s, 7, req)
	if resp.ErrorCode != 0 {
		return code(resp.ErrorCode)
	}
	part := only(s, "partitions", only(s, "topics", resp.Topics).Partitions)
	return fmt.Sprintf("%s, offset %d", code(part.ErrorCode), part.Offset)
}

func (s *session) offsetsInTransaction(how bool) {
	t, p := s.newTopic(), s.transactional()
	s.must("OffsetCommit", s.commitOffset(t, -1, ""))
	s.tell("TxnOffsetCommit", code(s.commitInTransaction(5, p, t, -1)))
	s.tell("OffsetFetch while it is open", s.committed(t, false))
	s.ended(endNew, p, how)
	s.tell("OffsetFetch", s.committed(t, false))
}

func offsetsOld(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.tell("AddOffsetsToTxn", code(s.addOffsets(p)))
	s.tell("TxnOffsetCommit", code(s.commitInTransaction(3, p, t, -1)))
	s.ended(endOld, p, commit)
	s.tell("OffsetFetch", s.committed(t, false))
}

func offsetsNotAdded(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.tell("TxnOffsetCommit", code(s.commitInTransaction(3, p, t, -1)))
}

func offsetsGeneration(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.tell("TxnOffsetCommit", code(s.commitInTransaction(5, p, t, 3)))
}

func offsetsUnstable(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.must("OffsetCommit", s.commitOffset(t, -1, ""))
	s.must("TxnOffsetCommit", s.commitInTransaction(5, p, t, -1))
	s.tell("OffsetFetch while it is open", s.committed(t, true))
	s.ended(endNew, p, commit)
	s.tell("OffsetFetch", s.committed(t, true))
}

// The isolation levels of Fetch and ListOffsets.
const (
	readUncommitted = 0
	readCommitted   = 1
)

// endOffset is ListOffsets of the latest offset.
func (s *session) endOffset(t topic, isolation int8) (n int16, offset int64) {
	part := kmsg.NewListOffsetsRequestTopicPartition()
	part.Timestamp = -1
	one := kmsg.NewListOffsetsRequestTopic()
	one.Topic = t.name
	one.Partitions = append(one.Partitions, part)
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID, req.IsolationLevel = -1, isolation
	req.Topics = append(req.Topics, one)
	resp := ask[*kmsg.ListOffsetsResponse](s, 6, req)
	answer := only(s, "partitions", only(s, "topics", resp.Topics).Partitions)
	return answer.ErrorCode, answer.Offset
}

func (s *session) tellEndOffsets(t topic) {
	for isolation, name := range []string{readUncommitted: "read_uncommitted", readCommitted: "read_committed"} {
		n, offset := s.endOffset(t, int8(isolation))
		s.tell(name, fmt.Sprintf("%s, offset %d", code(n), offset))
	}
}

func stableOffsetOpen(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, nobody(), noSequence, "x")
	s.write(produceNew, t, p, 0, "a", "b")
	s.tellEndOffsets(t)
	s.ended(endNew, p, abort)
}

func (s *session) stableOffset(how bool) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, p, 0, "a", "b")
	s.ended(endNew, p, how)
	s.tellEndOffsets(t)
}

// fetch reads a partition at once, without a session (KIP-227).
func (s *session) fetch(t topic, from int64, isolation int8) kmsg.FetchResponseTopicPartition {
	part := kmsg.NewFetchRequestTopicPartition()
	part.FetchOffset, part.PartitionMaxBytes = from, 1<<20
	one := kmsg.NewFetchRequestTopic()
	one.Topic, one.TopicID = t.name, t.id
	one.Partitions = append(one.Partitions, part)
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes, req.SessionEpoch, req.IsolationLevel = 1<<20, -1, isolation
	req.Topics = append(req.Topics, one)
	resp := ask[*kmsg.FetchResponse](s, 13, req)
	return only(s, "partitions", only(s, "topics", resp.Topics).Partitions)
}

func (s *session) tellFetch(part kmsg.FetchResponseTopicPartition) {
	s.tell("Fetch", fmt.Sprintf("%s, end offset %d, last stable offset %d", code(part.ErrorCode), part.HighWatermark, part.LastStableOffset))
	s.tell("aborted transactions", fmt.Sprint(len(part.AbortedTransactions)))
}

func fetchOpen(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, nobody(), noSequence, "x")
	s.write(produceNew, t, p, 0, "a")
	part := s.fetch(t, 0, readCommitted)
	s.tellFetch(part)
	s.tell("batches", s.batches(part.RecordBatches))
	s.ended(endNew, p, abort)
}

func fetchAborted(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, p, 0, "a")
	s.ended(endNew, p, abort)
	s.tellFetch(s.fetch(t, 0, readCommitted))
}

func fetchBeyond(s *session) {
	t := s.newTopic()
	s.write(produceNew, t, nobody(), noSequence, "x")
	part := s.fetch(t, 9, readUncommitted)
	s.tell("Fetch", fmt.Sprintf("%s, end offset %d", code(part.ErrorCode), part.HighWatermark))
}
