package brokerdiff

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// nothingRefused is why no scenario of the core meets these differences.
const nothingRefused = "The core refuses nothing with acks=0."

// refusals is Produce that a broker does not take, and how it says so. Kafka:
// UnifiedLog.java, LogValidator.java; kfake: 00_produce.go.
func refusals() []Situation {
	return []Situation{
		{
			ID: "too-large", Asks: "a record is larger than max.message.bytes of its topic",
			play: tooLarge,
		},
		{
			ID: "no-topic", Asks: "Produce v10 goes to a topic that does not exist",
			play: func(s *session) { s.intoNowhere(produceOld) },
		},
		{
			ID: "no-topic-id", Asks: "Produce v13 goes to a topic id that does not exist",
			play: func(s *session) { s.intoNowhere(produceNew) },
		},
		{
			ID: "broken-checksum", Asks: "a batch has a wrong checksum",
			play: brokenChecksum,
		},
		{
			ID: "two-batches", Asks: "one Produce has two batches for a partition, each with its own sequence",
			Means: "The code of a broken client differs.",
			Aside: "No library sends two batches of one partition in a request.",
			play:  twoBatches,
		},
		{
			ID: "no-key", Asks: "a record without a key goes to a compacted topic",
			Means: "A program that forgot the key is not told here.",
			Aside: "No topic of the core is compacted.",
			play:  noKey,
		},
		{
			ID: "own-marker", Asks: "a client writes a control batch",
			play: ownMarker,
		},
		{
			ID: "error-base-offset", Asks: "which offset an answer has that refuses a batch",
			Means: "librdkafka hands this offset on in its report of a failed record: offsets of failed records mean nothing.",
			Aside: "The audit reads the offsets of acknowledged records only.",
			play:  errorBaseOffset,
		},
		{
			ID: "min-insync", Asks: "a topic wants two replicas in sync and has one in all; acks=all, then acks=1",
			play: minInsync,
		},
		{
			ID: "acks-0-refused", Asks: "acks=0, and the batch is refused for a gap in its sequence",
			Means: "A client learns from the closed connection that something was refused; here it never does.",
			Aside: nothingRefused,
			play:  unansweredGap,
		},
		{
			ID: "acks-0-too-large", Asks: "acks=0, and the record is too large",
			Means: "As acks-0-refused.",
			Aside: nothingRefused,
			play:  unansweredTooLarge,
		},
		{
			ID: "acks-0-no-topic", Asks: "acks=0, and the topic does not exist",
			Means: "As acks-0-refused.",
			Aside: nothingRefused,
			play: func(s *session) {
				w := writing{version: produceOld, topic: topic{name: s.name + "-none"}, records: s.encode(nobody().batch(noSequence), "a")}
				s.tell("after Produce", s.sendUnanswered(w))
			},
		},
	}
}

// small is a topic that takes no record of large.
var small = map[string]string{"max.message.bytes": "1000"}

func large() string { return fmt.Sprintf("%02000d", 0) }

func tooLarge(s *session) {
	t, p := s.newTopicWith(small), s.idempotent()
	s.tell("Produce", s.produce(produceNew, t, p, 0, large()).String())
	s.tell("the next one, with its sequence number", s.produce(produceNew, t, p, 0, "a").String())
	s.tell("log", s.log(t))
}

func (s *session) intoNowhere(version int16) {
	nowhere := topic{name: s.name + "-none", id: [16]byte{1}}
	s.tell("Produce", s.produce(version, nowhere, nobody(), noSequence, "a").String())
}

func brokenChecksum(s *session) {
	t := s.newTopic()
	raw := s.encode(nobody().batch(noSequence), "a")
	raw[len(raw)-1] ^= 1
	s.tell("Produce", s.send(writing{version: produceNew, acks: -1, topic: t, records: raw}).String())
	s.tell("log", s.log(t))
}

func twoBatches(s *session) {
	t, p := s.newTopic(), s.idempotent()
	raw := append(s.encode(p.batch(0), "a"), s.encode(p.batch(1), "b")...)
	s.tell("Produce", s.send(writing{version: produceNew, acks: -1, topic: t, records: raw}).String())
	s.tell("log", s.log(t))
}

func noKey(s *session) {
	t := s.newTopicWith(map[string]string{"cleanup.policy": "compact"})
	raw := s.encodeRecords(nobody().batch(noSequence), kmsg.Record{Value: []byte("value")})
	s.tell("Produce", s.send(writing{version: produceNew, acks: -1, topic: t, records: raw}).String())
}

func ownMarker(s *session) {
	t, p := s.newTopic(), s.idempotent()
	b := p.batch(0)
	b.Attributes |= 0x20 // control
	s.tell("Produce", s.send(writing{version: produceNew, acks: -1, topic: t, records: s.encode(b, "a")}).String())
	s.tell("log", s.log(t))
}

func errorBaseOffset(s *session) {
	t, p := s.newTopic(), s.idempotent()
	s.write(produceNew, t, p, 0, "a")
	refused := s.produce(produceNew, t, p, 2, "b")
	s.tell("Produce", fmt.Sprintf("%s, base offset %d", code(refused.code), refused.offset))
}

func minInsync(s *session) {
	t := s.newTopicWith(map[string]string{"min.insync.replicas": "2"})
	s.tell("acks=all", s.produce(produceNew, t, nobody(), noSequence, "a").String())
	w := writing{version: produceNew, acks: 1, topic: t, records: s.encode(nobody().batch(noSequence), "b")}
	s.tell("acks=1", s.send(w).String())
}

func unansweredGap(s *session) {
	t, p := s.newTopic(), s.idempotent()
	s.write(produceNew, t, p, 0, "a")
	w := writing{version: produceNew, topic: t, records: s.encode(p.batch(2), "c")}
	s.tell("after Produce", s.sendUnanswered(w))
	s.tell("log", s.log(t))
}

func unansweredTooLarge(s *session) {
	t := s.newTopicWith(small)
	w := writing{version: produceNew, topic: t, records: s.encode(nobody().batch(noSequence), large())}
	s.tell("after Produce", s.sendUnanswered(w))
	s.tell("log", s.log(t))
}
