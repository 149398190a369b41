package brokerdiff

// Why no scenario of the core meets these differences.
const (
	noSecondEnd   = "librdkafka sends no EndTxn after its late write was refused."
	noLateOffsets = "The old instance of `zombie` commits no offsets, and the one of `read-process-write` is gone when the new one begins."
)

// fencing is the late calls of an instance with an open transaction, after a newer
// one has the same transactional.id (KIP-98). "old" is what librdkafka 2.11.1
// speaks.
func fencing() []Situation {
	return []Situation{
		{
			ID: "zombie-write", Asks: "after a new instance was initialised, the old one writes with Produce v13",
			Means: "The refused write opens a transaction of the new instance here, which ends in a second marker.",
			Aside: "Nothing of `zombie` comes after it.",
			play:  func(s *session) { s.zombieWrites(produceNew) },
		},
		{
			ID: "zombie-write-old", Asks: "after a new instance was initialised, the old one writes with Produce v10",
			Means: "librdkafka 2.11.1 calls the refused write abortable here, and its commit then fails with INVALID_TXN_STATE. On Kafka it is fenced: _FENCED.",
			play:  func(s *session) { s.zombieWrites(produceOld) },
		},
		{
			ID: "zombie-write-open", Asks: "the new instance has a transaction open on the partition; the old one writes with Produce v13",
			play: func(s *session) { s.zombieWritesBeside(produceNew) },
		},
		{
			ID: "zombie-write-open-old", Asks: "the new instance has a transaction open on the partition; the old one writes with Produce v10",
			play: func(s *session) { s.zombieWritesBeside(produceOld) },
		},
		{
			ID: "zombie-commit", Asks: "after a new instance was initialised, the old one commits with EndTxn v5",
			Means: "franz-go and Java are told of an invalid state here, not of being fenced.",
			play:  func(s *session) { s.zombieEnds(endNew, commit, false) },
		},
		{
			ID: "zombie-commit-old", Asks: "after a new instance was initialised, the old one commits with EndTxn v1",
			Means: "None for a program: librdkafka makes _FENCED of both.",
			play:  func(s *session) { s.zombieEnds(endOld, commit, false) },
		},
		{
			ID: "zombie-commit-late", Asks: "after a new instance has committed, the old one commits with EndTxn v5",
			play: func(s *session) { s.zombieEnds(endNew, commit, true) },
		},
		{
			ID: "zombie-commit-late-old", Asks: "after a new instance has committed, the old one commits with EndTxn v1",
			Means: "As zombie-commit-old.",
			Aside: noSecondEnd,
			play:  func(s *session) { s.zombieEnds(endOld, commit, true) },
		},
		{
			ID: "zombie-abort", Asks: "after a new instance was initialised, the old one aborts with EndTxn v5",
			Means: "An old instance is not told here that it was fenced.",
			play:  func(s *session) { s.zombieEnds(endNew, abort, false) },
		},
		{
			ID: "zombie-abort-old", Asks: "after a new instance was initialised, the old one aborts with EndTxn v1",
			Means: "As zombie-commit-old.",
			play:  func(s *session) { s.zombieEnds(endOld, abort, false) },
		},
		{
			ID: "zombie-adds-partition", Asks: "after a new instance was initialised, the old one sends AddPartitionsToTxn v0",
			Means: "None for a program: librdkafka makes _FENCED of both.",
			Aside: "`zombie` meets it when the late payment goes to a partition that is new to the old instance, and shows _FENCED on both.",
			play: func(s *session) {
				t, old, _ := s.zombie()
				s.tell("AddPartitionsToTxn", code(s.addPartition(old, t)))
			},
		},
		{
			ID: "zombie-adds-offsets", Asks: "after a new instance was initialised, the old one sends AddOffsetsToTxn v0",
			Means: "The code of a fenced instance differs.",
			Aside: noLateOffsets,
			play: func(s *session) {
				_, old, _ := s.zombie()
				s.tell("AddOffsetsToTxn", code(s.addOffsets(old)))
			},
		},
		{
			ID: "zombie-offsets", Asks: "after a new instance was initialised, the old one sends TxnOffsetCommit v5",
			Means: "The code of a fenced instance differs.",
			Aside: noLateOffsets,
			play:  func(s *session) { s.zombieCommitsOffsets(5) },
		},
		{
			ID: "zombie-offsets-old", Asks: "after a new instance was initialised, the old one sends TxnOffsetCommit v3",
			Means: "The code of a fenced instance differs.",
			Aside: noLateOffsets,
			play:  func(s *session) { s.zombieCommitsOffsets(3) },
		},
	}
}

// zombie is an instance with a record in an open transaction, and the one that
// took over from it.
func (s *session) zombie() (t topic, old, heir producer) {
	t, old = s.newTopic(), s.transactional()
	s.openOld(t, old, 0, "old")
	return t, old, s.transactional()
}

func (s *session) zombieWrites(version int16) {
	t, old, _ := s.zombie()
	s.tell("Produce", s.produce(version, t, old, 1, "late").String())
	s.tell("log", s.log(t))
	s.tell("the new instance's transaction", s.state(old))
}

func (s *session) zombieWritesBeside(version int16) {
	t, old, heir := s.zombie()
	s.write(produceNew, t, heir, 0, "new")
	s.tell("Produce", s.produce(version, t, old, 1, "late").String())
	s.ended(endNew, heir, commit)
	s.tell("log", s.log(t))
}

// zombieEnds asks before or after the new instance has done something itself.
func (s *session) zombieEnds(version int16, how, late bool) {
	t, old, heir := s.zombie()
	if late {
		s.openOld(t, heir, 0, "new")
		s.ended(version, heir, commit)
	}
	_, n := s.end(version, old, how)
	s.tell("EndTxn of the old instance", code(n))
	s.tell("log", s.log(t))
}

func (s *session) zombieCommitsOffsets(version int16) {
	t, old, _ := s.zombie()
	s.tell("TxnOffsetCommit", code(s.commitInTransaction(version, old, t, -1)))
}
