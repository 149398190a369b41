package brokerdiff

// timeouts is what a producer can do after its transaction took longer than
// transaction.timeout.ms and was aborted by the coordinator. Which call meets that
// first decides what a library tells its program.
func timeouts() []Situation {
	return []Situation{
		{ID: "timeout-commit", Asks: "a transaction timed out, then EndTxn v5 commit", play: func(s *session) { s.endTimedOut(endNew, commit) }},
		{ID: "timeout-abort", Asks: "... EndTxn v5 abort", play: func(s *session) { s.endTimedOut(endNew, abort) }},
		{ID: "timeout-commit-old", Asks: "... EndTxn v1 commit", play: func(s *session) { s.endTimedOut(endOld, commit) }},
		{ID: "timeout-abort-old", Asks: "... EndTxn v1 abort", play: func(s *session) { s.endTimedOut(endOld, abort) }},
		{ID: "timeout-write-abort", Asks: "a transaction timed out, then Produce v13, then EndTxn v5 abort", play: func(s *session) { s.writeTimedOut(produceNew, endNew, abort) }},
		{ID: "timeout-write-commit", Asks: "... Produce v13, then EndTxn v5 commit", play: func(s *session) { s.writeTimedOut(produceNew, endNew, commit) }},
		{ID: "timeout-write-abort-old", Asks: "... Produce v10, then EndTxn v1 abort", play: func(s *session) { s.writeTimedOut(produceOld, endOld, abort) }},
		{ID: "timeout-adds-partition", Asks: "... AddPartitionsToTxn v0", play: func(s *session) {
			t, p := s.timedOut()
			s.tell("AddPartitionsToTxn", code(s.addPartition(p, t)))
		}},
		{ID: "timeout-init", Asks: "... InitProducerId v4 with its id and epoch (KIP-360)", play: func(s *session) {
			_, p := s.timedOut()
			next, n := s.initUntil(initOld, p, longTimeout)
			s.tell("InitProducerId", initTold(p, next, n))
		}},
	}
}

// timedOut is a producer whose transaction of one record the coordinator has
// aborted.
func (s *session) timedOut() (topic, producer) {
	t, p := s.newTopic(), s.transactionalWithin(shortTimeout)
	s.openOld(t, p, 0, "a")
	s.settled(p)
	return t, p
}

func (s *session) endTimedOut(version int16, how bool) {
	t, p := s.timedOut()
	next, n := s.end(version, p, how)
	s.tell("EndTxn", initTold(p, next, n))
	s.tell("log", s.log(t))
}

func (s *session) writeTimedOut(produce, end int16, how bool) {
	t, p := s.timedOut()
	s.tell("Produce", s.produce(produce, t, p, 1, "b").String())
	next, n := s.end(end, p, how)
	s.tell("EndTxn", initTold(p, next, n))
	s.settled(p)
	s.tell("state", s.state(p))
}
