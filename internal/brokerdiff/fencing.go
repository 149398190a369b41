package brokerdiff

// fencing is the late calls of an instance with an open transaction, after a newer
// one has the same transactional.id (KIP-98). "old" is what librdkafka 2.11.1
// speaks.
func fencing() []Situation {
	return []Situation{
		{ID: "zombie-write", Asks: "an old instance writes with Produce v13 after a new one was initialised", play: func(s *session) { s.zombieWrites(produceNew) }},
		{ID: "zombie-write-old", Asks: "... with Produce v10", play: func(s *session) { s.zombieWrites(produceOld) }},
		{ID: "zombie-write-open", Asks: "... with Produce v13 while the new instance has a transaction open on the partition", play: func(s *session) { s.zombieWritesBeside(produceNew) }},
		{ID: "zombie-write-open-old", Asks: "... with Produce v10", play: func(s *session) { s.zombieWritesBeside(produceOld) }},
		{ID: "zombie-commit", Asks: "an old instance commits with EndTxn v5 after a new one was initialised", play: func(s *session) { s.zombieEnds(endNew, commit, false) }},
		{ID: "zombie-commit-old", Asks: "... with EndTxn v1", play: func(s *session) { s.zombieEnds(endOld, commit, false) }},
		{ID: "zombie-commit-late", Asks: "... with EndTxn v5, after the new one has committed a transaction", play: func(s *session) { s.zombieEnds(endNew, commit, true) }},
		{ID: "zombie-commit-late-old", Asks: "... with EndTxn v1, after the new one has committed", play: func(s *session) { s.zombieEnds(endOld, commit, true) }},
		{ID: "zombie-abort", Asks: "an old instance aborts with EndTxn v5 after a new one was initialised", play: func(s *session) { s.zombieEnds(endNew, abort, false) }},
		{ID: "zombie-abort-old", Asks: "... with EndTxn v1", play: func(s *session) { s.zombieEnds(endOld, abort, false) }},
		{ID: "zombie-adds-partition", Asks: "an old instance sends AddPartitionsToTxn v0 after a new one was initialised", play: func(s *session) {
			t, old, _ := s.zombie()
			s.tell("AddPartitionsToTxn", code(s.addPartition(old, t)))
		}},
		{ID: "zombie-adds-offsets", Asks: "... AddOffsetsToTxn v0", play: func(s *session) {
			_, old, _ := s.zombie()
			s.tell("AddOffsetsToTxn", code(s.addOffsets(old)))
		}},
		{ID: "zombie-offsets", Asks: "... TxnOffsetCommit v5", play: func(s *session) { s.zombieCommitsOffsets(5) }},
		{ID: "zombie-offsets-old", Asks: "... TxnOffsetCommit v3", play: func(s *session) { s.zombieCommitsOffsets(3) }},
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
