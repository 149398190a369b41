package brokerdiff

import "fmt"

// sequences is the de-duplication of an idempotent producer: which batches are
// taken for new, for repetitions, or for a gap. Kafka: ProducerAppendInfo.java,
// ProducerStateEntry.java; kfake: txns.go, pushAndValidate.
func sequences() []Situation {
	return []Situation{
		{
			ID: "replay-last", Asks: "an idempotent producer sends its last batch again",
			play: func(s *session) { s.replay(2, 1) },
		},
		{
			ID: "replay-fifth", Asks: "an idempotent producer sends the fifth of its last batches again",
			play: func(s *session) { s.replay(5, 0) },
		},
		{
			ID: "replay-sixth", Asks: "an idempotent producer sends the sixth of its last batches again, which a broker no longer remembers",
			play: func(s *session) { s.replay(6, 0) },
		},
		{
			ID: "replay-other-value", Asks: "an idempotent producer sends another record under its last sequence number",
			play: replayOtherValue,
		},
		{
			ID: "replay-part", Asks: "an idempotent producer sends the first two records of a batch of three again",
			play: func(s *session) { s.afterThree(0, "a", "b") },
		},
		{
			ID: "replay-overlap", Asks: "an idempotent producer sends the last two records of a batch of three again, with a new one",
			play: func(s *session) { s.afterThree(1, "b", "c", "d") },
		},
		{
			ID: "gap", Asks: "an idempotent producer leaves a sequence number out",
			play: func(s *session) { s.afterThree(4, "e") },
		},
		{
			ID: "epoch-raised", Asks: "a producer without transactions raises its epoch by itself and begins with sequence 0 (KIP-360)",
			play: func(s *session) { s.otherEpoch(1, 0) },
		},
		{
			ID: "epoch-raised-late", Asks: "a producer without transactions raises its epoch by itself and goes on with its sequence",
			play: func(s *session) { s.otherEpoch(1, 1) },
		},
		{
			ID: "epoch-old", Asks: "a producer without transactions writes with the epoch before its last",
			play: epochOld,
		},
		{
			ID: "first-sequence-empty", Asks: "the first batch of a new producer has sequence 3, and the partition never had a record",
			Means: "kfake does already what Kafka 4.5 is to do (KAFKA-15591). A first batch that overtakes another is refused here; Kafka 4.4.0 takes it and refuses the other.",
			Aside: "No fault of the core loses the first request to a partition, only its answer.",
			play:  func(s *session) { s.firstSequence(s.newTopic(), 3) },
		},
		{
			ID: "first-sequence", Asks: "the first batch of a new producer has sequence 3, and the partition has records of others",
			play: func(s *session) {
				t := s.newTopic()
				s.write(produceNew, t, nobody(), noSequence, "x")
				s.firstSequence(t, 3)
			},
		},
		{
			ID: "unknown-producer-id", Asks: "a batch has a producer id that nobody handed out",
			play: unknownProducerID,
		},
		{
			ID: "sequence-wraps", Asks: "a sequence goes on from 2147483647 to 0",
			Means: "A producer that sent so much to one partition gets stuck here.",
			Aside: "No story sends two billion records to a partition.",
			play:  sequenceWraps,
		},
		{
			ID: "acks-1", Asks: "an idempotent producer writes with acks=1, the same batch twice",
			play: func(s *session) { s.replayAcks(1) },
		},
		{
			ID: "acks-0", Asks: "an idempotent producer writes with acks=0, the same batch twice",
			play: acksNone,
		},
		{
			ID: "acks-2", Asks: "an idempotent producer writes with acks=2",
			play: func(s *session) { s.replayAcks(2) },
		},
	}
}

// keys are those of records that nobody confuses.
func keys(n int) []string {
	var all []string
	for i := range n {
		all = append(all, string(rune('a'+i)))
	}
	return all
}

// replay writes batches of one record and sends one of them again.
func (s *session) replay(batches int, again int32) {
	t, p := s.newTopic(), s.idempotent()
	for i, key := range keys(batches) {
		s.write(produceNew, t, p, int32(i), key)
	}
	s.tell("sent again", s.produce(produceNew, t, p, again, keys(batches)[again]).String())
	s.tell("log", s.log(t))
}

func replayOtherValue(s *session) {
	t, p := s.newTopic(), s.idempotent()
	s.write(produceNew, t, p, 0, "a")
	s.tell("sent again", s.produce(produceNew, t, p, 0, "b").String())
	s.tell("log", s.log(t))
}

// afterThree writes a batch of the sequence numbers 0 to 2 and then another one.
func (s *session) afterThree(sequence int32, keys ...string) {
	t, p := s.newTopic(), s.idempotent()
	s.write(produceNew, t, p, 0, "a", "b", "c")
	s.tell("Produce", s.produce(produceNew, t, p, sequence, keys...).String())
	s.tell("log", s.log(t))
}

// otherEpoch writes sequence 0 and then with an epoch that many later.
func (s *session) otherEpoch(later int16, sequence int32) {
	t, p := s.newTopic(), s.idempotent()
	s.write(produceNew, t, p, 0, "a")
	s.tell("Produce", s.produce(produceNew, t, p.at(later), sequence, "b").String())
	s.tell("log", s.log(t))
}

func epochOld(s *session) {
	t, p := s.newTopic(), s.idempotent()
	s.write(produceNew, t, p, 0, "a")
	s.write(produceNew, t, p.at(1), 0, "b")
	s.tell("Produce", s.produce(produceNew, t, p, 1, "c").String())
	s.tell("log", s.log(t))
}

func (s *session) firstSequence(t topic, sequence int32) {
	s.tell("Produce", s.produce(produceNew, t, s.idempotent(), sequence, "a").String())
	s.tell("log", s.log(t))
}

func unknownProducerID(s *session) {
	t := s.newTopic()
	s.tell("Produce", s.produce(produceNew, t, producer{id: 4_000_000_000_000}, 0, "a").String())
	s.tell("log", s.log(t))
}

// sequenceWraps begins near the end: the partition has a record, so that a new
// producer may begin anywhere.
func sequenceWraps(s *session) {
	t, p := s.newTopic(), s.idempotent()
	s.write(produceNew, t, nobody(), noSequence, "x")
	for _, sequence := range []int32{1<<31 - 2, 1<<31 - 1, 0, 1} {
		s.tell(fmt.Sprintf("sequence %d", sequence), s.produce(produceNew, t, p, sequence, "a").String())
	}
}

func (s *session) replayAcks(acks int16) {
	t, p := s.newTopic(), s.idempotent()
	w := writing{version: produceNew, acks: acks, topic: t, records: s.encode(p.batch(0), "a")}
	s.tell("first", s.send(w).String())
	s.tell("sent again", s.send(w).String())
	s.tell("log", s.log(t))
}

func acksNone(s *session) {
	t, p := s.newTopic(), s.idempotent()
	w := writing{version: produceNew, topic: t, records: s.encode(p.batch(0), "a")}
	s.sendUnanswered(w)
	s.tell("sent twice", s.sendUnanswered(w))
	s.tell("log", s.log(t))
}
