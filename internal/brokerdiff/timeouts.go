package brokerdiff

// Why no variant on the embedded broker meets these differences.
const (
	noTimeout   = "No transaction of the core reaches its timeout."
	onKafkaOnly = "`transaction-timeout then=write-abort` is played on Kafka alone."
)

// timeouts is what a producer can do after its transaction took longer than
// transaction.timeout.ms and was aborted by the coordinator. Which call meets that
// first decides what a library tells its program.
func timeouts() []Situation {
	return []Situation{
		{
			ID: "timeout-commit", Asks: "a transaction timed out; EndTxn v5 commit",
			play: func(s *session) { s.endTimedOut(endNew, commit) },
		},
		{
			ID: "timeout-abort", Asks: "a transaction timed out; EndTxn v5 abort",
			play: func(s *session) { s.endTimedOut(endNew, abort) },
		},
		{
			ID: "timeout-commit-old", Asks: "a transaction timed out; EndTxn v1 commit",
			Means: "None for a program: librdkafka makes _FENCED of both.",
			play:  func(s *session) { s.endTimedOut(endOld, commit) },
		},
		{
			ID: "timeout-abort-old", Asks: "a transaction timed out; EndTxn v1 abort",
			Means: "As timeout-commit-old.",
			Aside: noTimeout,
			play:  func(s *session) { s.endTimedOut(endOld, abort) },
		},
		{
			ID: "timeout-write-abort", Asks: "a transaction timed out; Produce v13, then EndTxn v5 abort",
			Means: "**The opposite answer for franz-go and Java**: on Kafka the abort succeeds and the producer lives, here it is fenced. The refused write opened a transaction (zombie-write).",
			Aside: onKafkaOnly,
			play:  func(s *session) { s.writeTimedOut(produceNew, endNew, abort) },
		},
		{
			ID: "timeout-write-commit", Asks: "a transaction timed out; Produce v13, then EndTxn v5 commit",
			Means: "Fenced here, an invalid state on Kafka, after which the program may abort and go on.",
			Aside: noTimeout,
			play:  func(s *session) { s.writeTimedOut(produceNew, endNew, commit) },
		},
		{
			ID: "timeout-write-abort-old", Asks: "a transaction timed out; Produce v10, then EndTxn v1 abort",
			Means: "librdkafka is fenced by the write on Kafka, and only by the abort here.",
			Aside: onKafkaOnly,
			play:  func(s *session) { s.writeTimedOut(produceOld, endOld, abort) },
		},
		{
			ID: "timeout-adds-partition", Asks: "a transaction timed out; AddPartitionsToTxn v0",
			Means: "As zombie-adds-partition.",
			Aside: noTimeout,
			play: func(s *session) {
				t, p := s.timedOut()
				s.tell("AddPartitionsToTxn", code(s.addPartition(p, t)))
			},
		},
		{
			ID: "timeout-init", Asks: "a transaction timed out; InitProducerId v4 with the own id and epoch (KIP-360)",
			Means: "None: epochs are never claimed.",
			Aside: noTimeout,
			play: func(s *session) {
				_, p := s.timedOut()
				next, n := s.initUntil(initOld, p, longTimeout)
				s.tell("InitProducerId", initTold(p, next, n))
			},
		},
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
