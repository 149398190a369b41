package brokerdiff

import "fmt"

// transactions is what one producer does in one transaction after the other.
// Kafka: TransactionCoordinator.scala, TransactionMetadata.java; kfake: txns.go.
func transactions() []Situation {
	return []Situation{
		{
			ID: "commit", Asks: "a transaction as a client with KIP-890 does it: Produce v13, EndTxn v5 commit",
			play: func(s *session) { s.oneTransaction(commit) },
		},
		{
			ID: "abort", Asks: "the same, but EndTxn v5 abort",
			play: func(s *session) { s.oneTransaction(abort) },
		},
		{
			ID: "commit-old", Asks: "a transaction as librdkafka does it: AddPartitionsToTxn v0, Produce v10, EndTxn v1 commit",
			play: func(s *session) { s.oneOldTransaction(commit) },
		},
		{
			ID: "abort-old", Asks: "the same, but EndTxn v1 abort",
			play: func(s *session) { s.oneOldTransaction(abort) },
		},
		{
			ID: "marker-epoch", Asks: "the epoch of the marker that EndTxn v5 writes, and of the one that EndTxn v1 writes",
			Means: "A tool that reads markers sees another epoch.",
			Aside: "The audit knows markers by their producer id.",
			play:  markerEpoch,
		},
		{
			ID: "partition-without-record", Asks: "a partition is added to a transaction, no record is written, the transaction is aborted",
			play: partitionWithoutRecord,
		},
		{
			ID: "refused-record", Asks: "a record of a transaction is refused as too large, and the program commits what else is in it",
			play: refusedRecord,
		},
		{
			ID: "gap-in-transaction", Asks: "a sequence number is left out within a transaction",
			play: gapInTransaction,
		},
		{
			ID: "first-sequence-in-transaction", Asks: "the first batch of a transaction, Produce v13, has sequence 3; the partition has records of others",
			Means: "The loss of the first batches of a transaction goes unnoticed here. Kafka demands sequence 0 of a new epoch.",
			Aside: "No fault of the core loses a request of a transaction, only answers.",
			play:  func(s *session) { s.firstInTransaction(produceNew, 3) },
		},
		{
			ID: "first-sequence-in-transaction-old", Asks: "the first batch of a transaction, AddPartitionsToTxn v0 and Produce v10, has sequence 3; the partition has records of others",
			play: func(s *session) { s.firstInTransaction(produceOld, 3) },
		},
		{
			ID: "sequence-after-commit", Asks: "the transaction after EndTxn v5 goes on with the sequence of the one before",
			play: sequenceAfterCommit,
		},
		{
			ID: "sequence-used-twice", Asks: "a sequence number of an aborted transaction comes again in the next one with another record (EndTxn v1 keeps the epoch)",
			play: sequenceUsedTwice,
		},
		{
			ID: "sequence-after-refused", Asks: "sequence 0 of a transaction was refused and nothing else written; the next one (AddPartitionsToTxn v0, Produce v10, EndTxn v1) begins with sequence 1",
			Means: "librdkafka 2.11.1 goes on with the number after that of the refused record. Kafka refuses its next transaction too, and the one after that works; here already the next one does.",
			play:  sequenceAfterRefused,
		},
		{
			ID: "epoch-ahead", Asks: "a transactional batch has an epoch that nobody handed out yet",
			Means: "A client with a wrong epoch locks the right one out here.",
			Aside: "No library makes up an epoch in a transaction.",
			play:  epochAhead,
		},
		{
			ID: "not-transactional", Asks: "a batch of a transactional producer lacks the transactional bit while no transaction is open",
			play: func(s *session) { s.withoutTheBit(false) },
		},
		{
			ID: "not-transactional-open", Asks: "a batch of a transactional producer lacks the transactional bit while its transaction is open",
			play: func(s *session) { s.withoutTheBit(true) },
		},
		{
			// A leader asks the coordinator for several producers in one request, with the
			// errors that the first of them knows (AddPartitionsToTxnManager.scala): beside
			// a Produce v10 the answer is sometimes that of v10.
			ID: "not-added-v11", alone: true,
			Asks:  "Produce v11 in a transaction goes to a partition that was not added",
			Means: "A client between the two protocols learns that it may abort from the code 120.",
			Aside: "franz-go sends v13, librdkafka 2.11.1 sends v10.",
			play:  func(s *session) { s.notAdded(11) },
		},
		{
			ID: "not-added-v10", Asks: "Produce v10 in a transaction goes to a partition that was not added",
			play: func(s *session) { s.notAdded(produceOld) },
		},
		{
			ID: "add-no-topic", Asks: "AddPartitionsToTxn names a topic that does not exist",
			play: addNoTopic,
		},
		{
			ID: "commit-nothing", Asks: "EndTxn v5 commit on a new transactional.id",
			play: func(s *session) { s.endNothing(endNew, commit) },
		},
		{
			ID: "abort-nothing", Asks: "EndTxn v5 abort on a new transactional.id",
			play: func(s *session) { s.endNothing(endNew, abort) },
		},
		{
			ID: "commit-nothing-old", Asks: "EndTxn v1 commit on a new transactional.id",
			play: func(s *session) { s.endNothing(endOld, commit) },
		},
		{
			ID: "commit-nothing-v4", Asks: "EndTxn v4 commit on a new transactional.id",
			play: func(s *session) { s.endNothing(4, commit) },
		},
		{
			ID: "abort-nothing-old", Asks: "EndTxn v1 abort on a new transactional.id",
			Means: "An abort of nothing goes unnoticed here. librdkafka 2.11.1 sends one after AddPartitionsToTxn was refused: on Kafka its producer dies of that.",
			play:  func(s *session) { s.endNothing(endOld, abort) },
		},
		{
			ID: "commit-again", Asks: "EndTxn v5 commit is sent again with the old epoch, as after a lost answer",
			play: func(s *session) { s.endAgain(endNew, commit, commit) },
		},
		{
			ID: "abort-again", Asks: "EndTxn v5 abort is sent again with the old epoch",
			play: func(s *session) { s.endAgain(endNew, abort, abort) },
		},
		{
			ID: "abort-after-commit", Asks: "EndTxn v5 abort is sent with the old epoch after a commit",
			play: func(s *session) { s.endAgain(endNew, commit, abort) },
		},
		{
			ID: "commit-after-abort", Asks: "EndTxn v5 commit is sent with the old epoch after an abort",
			play: func(s *session) { s.endAgain(endNew, abort, commit) },
		},
		{
			ID: "commit-again-old", Asks: "EndTxn v1 commit is sent again",
			play: func(s *session) { s.endAgain(endOld, commit, commit) },
		},
		{
			ID: "abort-after-commit-old", Asks: "EndTxn v1 abort is sent after a commit",
			play: func(s *session) { s.endAgain(endOld, commit, abort) },
		},
		{
			ID: "late-commit", Asks: "a commit of an aborted transaction, EndTxn v5, arrives while the next one is open",
			play: lateCommit,
		},
		{
			ID: "late-commit-old", Asks: "a commit of a committed transaction, EndTxn v1, arrives again while the next one is open",
			play: lateCommitOld,
		},
		{
			ID: "late-write", Asks: "a batch of an aborted transaction, Produce v13, arrives after EndTxn v5",
			play: lateWrite,
		},
		{
			ID: "late-write-old", Asks: "a batch of a committed transaction, Produce v10, arrives again after EndTxn v1; then the next transaction goes on with its sequence",
			Means: "On Kafka the refused batch leaves a mark on the partition (VerificationStateEntry), and the next transaction fails for it.",
			Aside: "`late-commit late=produce,of=committed` is played on Kafka alone.",
			play:  lateWriteOld,
		},
	}
}

// epochs is how far a producer has come: ids and epochs are a broker's own, their
// distance is not.
func epochs(from, to producer) string {
	if from.id != to.id {
		return "another producer id"
	}
	return fmt.Sprintf("epoch %+d", to.epoch-from.epoch)
}

func (s *session) oneTransaction(how bool) {
	t, p := s.newTopic(), s.transactional()
	s.tell("Produce", s.produce(produceNew, t, p, 0, "a").String())
	next, n := s.end(endNew, p, how)
	s.tell("EndTxn", code(n)+", "+epochs(p, next))
	s.tell("log", s.log(t))
}

func (s *session) oneOldTransaction(how bool) {
	t, p := s.newTopic(), s.transactional()
	s.tell("AddPartitionsToTxn", code(s.addPartition(p, t)))
	s.tell("Produce", s.produce(produceOld, t, p, 0, "a").String())
	_, n := s.end(endOld, p, how)
	s.tell("EndTxn", code(n))
	s.tell("log", s.log(t))
}

func markerEpoch(s *session) {
	for _, version := range []int16{endNew, endOld} {
		t, p := s.newTopic(), s.transactional()
		s.openOld(t, p, 0, "a")
		s.ended(version, p, commit)
		s.tell(fmt.Sprintf("marker of EndTxn v%d", version), fmt.Sprintf("epoch %+d", s.lastEpoch(t)-p.epoch))
	}
}

func partitionWithoutRecord(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.must("AddPartitionsToTxn", s.addPartition(p, t))
	_, n := s.end(endOld, p, abort)
	s.tell("EndTxn", code(n))
	s.settled(p)
	s.tell("log", s.log(t))
}

func refusedRecord(s *session) {
	t, p := s.newTopicWith(small), s.transactional()
	s.write(produceNew, t, p, 0, "a")
	s.tell("too large", s.produce(produceNew, t, p, 1, large()).String())
	s.tell("the next one, with its sequence number", s.produce(produceNew, t, p, 1, "c").String())
	_, n := s.end(endNew, p, commit)
	s.tell("EndTxn", code(n))
	s.tell("log", s.log(t))
}

func gapInTransaction(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, p, 0, "a")
	s.tell("Produce", s.produce(produceNew, t, p, 2, "c").String())
	s.ended(endNew, p, abort)
}

func (s *session) firstInTransaction(version int16, sequence int32) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, nobody(), noSequence, "x")
	if version < 12 {
		s.must("AddPartitionsToTxn", s.addPartition(p, t))
	}
	s.tell("Produce", s.produce(version, t, p, sequence, "a").String())
	_, n := s.end(endNew, p, abort)
	s.tell("EndTxn abort", code(n))
	s.tell("log", s.log(t))
}

func sequenceAfterCommit(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, p, 0, "a")
	p = s.ended(endNew, p, commit)
	s.tell("sequence 1", s.produce(produceNew, t, p, 1, "b").String())
	s.tell("sequence 0", s.produce(produceNew, t, p, 0, "b").String())
	s.ended(endNew, p, commit)
	s.tell("log", s.log(t))
}

func sequenceUsedTwice(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.openOld(t, p, 0, "a")
	s.ended(endOld, p, abort)
	s.must("AddPartitionsToTxn", s.addPartition(p, t))
	s.tell("Produce", s.produce(produceOld, t, p, 0, "b").String())
	s.ended(endOld, p, commit)
	s.tell("log", s.log(t))
}

// sequenceAfterRefused: the marker of the first transaction is all that the partition
// has of the producer.
func sequenceAfterRefused(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.must("AddPartitionsToTxn", s.addPartition(p, t))
	s.ended(endOld, p, abort)
	s.must("AddPartitionsToTxn", s.addPartition(p, t))
	s.tell("Produce", s.produce(produceOld, t, p, 1, "b").String())
	s.ended(endOld, p, commit)
	s.tell("log", s.log(t))
}

func epochAhead(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.tell("Produce", s.produce(produceNew, t, p.at(5), 0, "a").String())
	s.tell("with the right epoch", s.produce(produceNew, t, p, 0, "b").String())
}

func (s *session) withoutTheBit(open bool) {
	t, p := s.newTopic(), s.transactional()
	var sequence int32
	if open {
		s.write(produceNew, t, p, 0, "a")
		sequence = 1
	}
	b := p.batch(sequence)
	b.Attributes &^= transactional
	s.tell("Produce", s.send(writing{version: produceNew, acks: -1, topic: t, records: s.encode(b, "b")}).String())
	if open {
		s.ended(endNew, p, commit)
	}
	s.tell("log", s.log(t))
}

func (s *session) notAdded(version int16) {
	t, p := s.newTopic(), s.transactional()
	s.tell("Produce", s.produce(version, t, p, 0, "a").String())
	s.tell("log", s.log(t))
}

func addNoTopic(s *session) {
	s.tell("AddPartitionsToTxn", code(s.addPartition(s.transactional(), topic{name: s.name + "-none"})))
}

func (s *session) endNothing(version int16, how bool) {
	p := s.transactional()
	next, n := s.end(version, p, how)
	s.tell("EndTxn", code(n)+", "+epochs(p, next))
}

// endAgain ends a transaction and asks for an end once more.
func (s *session) endAgain(version int16, first, second bool) {
	t, p := s.newTopic(), s.transactional()
	s.openOld(t, p, 0, "a")
	s.ended(version, p, first)
	next, n := s.end(version, p, second)
	s.tell("EndTxn", code(n)+", "+epochs(p, next))
	s.settled(p)
	s.tell("log", s.log(t))
}

func lateCommit(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, p, 0, "a")
	next := s.ended(endNew, p, abort)
	s.write(produceNew, t, next, 0, "b")
	_, n := s.end(endNew, p, commit)
	s.tell("the late EndTxn", code(n))
	_, n = s.end(endNew, next, abort)
	s.tell("abort of the open one", code(n))
	s.settled(p)
	s.tell("log", s.log(t))
}

func lateCommitOld(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.openOld(t, p, 0, "a")
	s.ended(endOld, p, commit)
	s.openOld(t, p, 1, "b")
	_, n := s.end(endOld, p, commit)
	s.tell("the late EndTxn", code(n))
	s.settled(p)
	_, n = s.end(endOld, p, abort)
	s.tell("abort of the open one", code(n))
	s.tell("log", s.log(t))
}

func lateWrite(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.write(produceNew, t, p, 0, "a")
	s.ended(endNew, p, abort)
	s.tell("Produce", s.produce(produceNew, t, p, 1, "b").String())
	s.tell("log", s.log(t))
}

func lateWriteOld(s *session) {
	t, p := s.newTopic(), s.transactional()
	s.openOld(t, p, 0, "a")
	s.ended(endOld, p, commit)
	if late := s.produce(produceOld, t, p, 0, "a"); late.code != 0 { // 48 or 120, which is a matter of time on Kafka
		s.tell("Produce", "refused")
	} else {
		s.tell("Produce", late.String())
	}
	s.must("AddPartitionsToTxn", s.addPartition(p, t))
	s.tell("the next one", s.produce(produceOld, t, p, 1, "b").String())
	s.ended(endOld, p, abort)
	s.tell("log", s.log(t))
}
