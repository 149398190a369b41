package scenario

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"strconv"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

const (
	defaultKeyed   = 20 // one at a time, each with a key
	defaultUnkeyed = 12 // one at a time
	bulkRecords    = 2500
	bulkBytes      = 1000 // each: two and a half times the largest batch
)

func defaultProducer() Variant {
	v := bare("role=producer", catalogued)
	v.About = func(Parameters) string {
		return fmt.Sprintf("%d records with a key and %d without, one at a time, then %d of %d bytes at once; nothing is set but the address.",
			defaultKeyed, defaultUnkeyed, bulkRecords, bulkBytes)
	}
	v.Records = func(_ Parameters, place partition.Func) []fault.Record {
		var records []fault.Record
		for n := range defaultKeyed + defaultUnkeyed {
			records = append(records, plainRecord(n).planned(place, writtenPartitions))
		}
		for _, m := range bulkMessages() {
			records = append(records, m.planned(place, 1))
		}
		return records
	}
	v.Run = produceByDefault
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		w := wire{o.Trace.Exchanges, o.Defaults}
		all := append(knownVersion(o, o.Defaults), w.clientID())
		all = append(all, w.answers(factsOfProducers())...)
		all = append(all, w.ofBatches()...)
		all = append(all, w.answer("partitioner", hashOf(o)), measured("partitions of 12 without a key", unkeyedPartitions(o.Log)),
			measured("batch.size: largest request", largestProduce(o.Trace)))
		return append(all, w.versions("Produce", "InitProducerId", "Metadata")...)
	}
	return v
}

// plainRecord is long and of one letter, so that compression makes it shorter.
func plainRecord(n int) Message {
	m := Message{Topic: writtenTopic, ID: evidence.RecordID{Role: writtenTopic, N: n}, Value: bytes.Repeat([]byte("a"), 1000)}
	if n < defaultKeyed {
		m.Key = fmt.Appendf(nil, "order-%d", n+1)
	}
	return m
}

// bulkMessages have bytes that no codec makes shorter, the same in every run.
func bulkMessages() []Message {
	noise := rand.NewChaCha8([32]byte{})
	var all []Message
	for n := range bulkRecords {
		value := make([]byte, bulkBytes)
		_, _ = noise.Read(value) // never fails
		all = append(all, Message{Topic: bulkTopic, ID: evidence.RecordID{Role: bulkTopic, N: n}, Value: value})
	}
	return all
}

func produceByDefault(ctx context.Context, s *Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	if err := sendAndTime(ctx, s, p); err != nil {
		return err
	}
	for _, m := range bulkMessages() {
		p.Send(ctx, m)
	}
	return p.Wait(ctx)
}

// sendAndTime measures how long a record waits in the client for others: the least of
// all, because a busy machine only adds to it. Of the first records the connection and
// the topic have a part too.
func sendAndTime(ctx context.Context, s *Stage, p *Producer) error {
	least := time.Duration(-1)
	for n := range defaultKeyed + defaultUnkeyed {
		m := plainRecord(n)
		from := s.Elapsed()
		p.Send(ctx, m)
		if err := p.Wait(ctx); err != nil {
			return err
		}
		e, err := s.Watch.Exchange(ctx, func(e evidence.Exchange) bool { return e.Carries(m.ID) })
		if err != nil {
			return err
		}
		if took := time.Duration(e.At)*time.Microsecond - from; least < 0 || took < least {
			least = took
		}
	}
	s.Answer(measured("linger.ms", millis(least)))
	return nil
}

// ofBatches is what batches say of their producer. The first ones can be compressed.
func (w wire) ofBatches() []evidence.Answer {
	idempotence, codec := "", ""
	if all := w.batches(); len(all) > 0 {
		idempotence, codec = strconv.FormatBool(all[0].ProducerID >= 0), all[0].Codec
		if codec == "" {
			codec = "none"
		}
	}
	return []evidence.Answer{w.answer("enable.idempotence", idempotence), w.answer("compression.type", codec)}
}

// hashOf is the partitioner that puts every key where it stands in the log.
func hashOf(o *evidence.Observed) string {
	for _, name := range []string{"murmur2_random", "consistent_random", "fnv1a_random"} {
		choose, err := partition.ByName(name)
		if err == nil && agrees(o.Log, choose) {
			return name
		}
	}
	return "none of the known ones"
}

func agrees(log evidence.Log, choose partition.Func) bool {
	partitions := partitionsOf(log)
	n := 0
	for at, r := range recordsOf(log, writtenTopic) {
		if r.Key == "" {
			continue
		}
		if n++; choose([]byte(r.Key), partitions) != at {
			return false
		}
	}
	return n > 0
}

func unkeyedPartitions(log evidence.Log) string {
	different := map[int32]bool{}
	for at, r := range recordsOf(log, writtenTopic) {
		if r.Key == "" {
			different[at] = true
		}
	}
	return fmt.Sprintf("%d of %d", len(different), partitionsOf(log))
}

// partitionsOf is how many the topic of the records one at a time has.
func partitionsOf(log evidence.Log) int32 {
	of := map[string]int32{}
	topic := ""
	for _, p := range log.Partitions {
		of[p.Topic]++
		for _, b := range p.Batches {
			if len(b.Records) > 0 && b.Records[0].ID.Role == writtenTopic {
				topic = p.Topic
			}
		}
	}
	return of[topic]
}

// recordsOf is the records of a role with their partitions.
func recordsOf(log evidence.Log, role string) iter.Seq2[int32, evidence.LogRecord] {
	return func(yield func(int32, evidence.LogRecord) bool) {
		for _, p := range log.Partitions {
			for _, b := range p.Batches {
				for _, r := range b.Records {
					if r.ID.Role == role && !yield(p.Partition, r) {
						return
					}
				}
			}
		}
	}
}

func largestProduce(t evidence.Trace) string {
	largest := 0
	for _, e := range t.Exchanges {
		if len(e.Batches) > 0 {
			largest = max(largest, e.RequestBytes)
		}
	}
	return fmt.Sprintf("%d bytes", largest)
}

// lateAnswer is how late answers come in answers=slow, lateAnswers how many of them: an
// idempotent franz-go has one request in flight until it has the first answer, so that
// only the second one shows how many more it dares.
const (
	lateAnswer  = time.Second
	lateAnswers = 2

	mostInFlight = 5 // with idempotence (KIP-98), and Java's default without
)

func defaultInFlight() Variant {
	const each, apart = 20, 20 * time.Millisecond
	v := bare("answers=slow,role=producer", "the client has as many requests in flight as the catalogue says: at most 5, or more")
	v.About = func(Parameters) string {
		return fmt.Sprintf("the first %d answers to Produce come a second late; a record every %v, %d before the first answer and %d after it.", lateAnswers, apart, each, each)
	}
	v.Plan = func(Parameters) fault.Plan {
		return fault.Plan{{
			Name: "answer-late", Action: fault.Delay, Wait: lateAnswer,
			Select: fault.Selector{API: "Produce", Role: bulkTopic, First: lateAnswers, Probability: 1},
		}}
	}
	v.Records = func(_ Parameters, place partition.Func) []fault.Record {
		var records []fault.Record
		for n := range 2 * each {
			records = append(records, smallRecord(n).planned(place, 1))
		}
		return records
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		p, err := s.NewProducer("")
		if err != nil {
			return err
		}
		for n := range 2 * each {
			if n == each { // a client that waits for the first answer before it sends more has it now
				if _, err := s.Watch.Exchange(ctx, delivered(smallRecord(0).ID)); err != nil {
					return err
				}
			}
			p.Send(ctx, smallRecord(n))
			if err := s.Pause(ctx, apart); err != nil {
				return err
			}
		}
		return p.Wait(ctx)
	}
	v.Conclude = concludeInFlight
	return v
}

func smallRecord(n int) Message {
	return Message{Topic: bulkTopic, ID: evidence.RecordID{Role: bulkTopic, N: n}, Value: fmt.Appendf(nil, "record %d", n)}
}

func delivered(id evidence.RecordID) func(evidence.Exchange) bool {
	return func(e evidence.Exchange) bool { return e.Delivered && e.Carries(id) }
}

func concludeInFlight(o *evidence.Observed) []evidence.Answer {
	const setting = "max.in.flight.requests.per.connection"
	most := inFlight(o.Trace)
	a := evidence.Answer{Question: "more than 5 requests in flight", Answer: strconv.FormatBool(most > mostInFlight)}
	if limit, err := strconv.Atoi(o.Defaults[setting]); err == nil {
		a.Expected = strconv.FormatBool(limit > mostInFlight)
	}
	return append(knownVersion(o, o.Defaults), a, measured("most requests in flight", fmt.Sprint(most)))
}

// inFlight is the most requests of a connection that came within a second of one whose
// answer was a second late: none of them had its answer.
func inFlight(t evidence.Trace) int {
	most := 0
	for i, late := range t.Exchanges {
		if late.Fault != string(fault.Delay) {
			continue
		}
		n := 0
		for _, e := range t.Exchanges[i:] {
			if len(e.Batches) > 0 && e.Conn == late.Conn && e.At < late.At+lateAnswer.Microseconds() {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func defaultTransactions() Variant {
	v := bare("role=transactional-producer", catalogued)
	v.Settings = map[string]string{"transactional.id": "kcompare-defaults"}
	v.Needs = drivers.Abilities{Idempotence: true, Transactions: true}
	v.About = func(Parameters) string {
		return "one transaction with one record; nothing is set but the address and the transactional.id."
	}
	v.Records = func(_ Parameters, place partition.Func) []fault.Record {
		return []fault.Record{plainRecord(0).planned(place, writtenPartitions)}
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		p, err := s.NewTransactionalProducer("")
		if err != nil {
			return err
		}
		if err := p.Init(ctx); err != nil {
			return err
		}
		return p.commits(ctx, plainRecord(0))
	}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		w := wire{o.Trace.Exchanges, ofTransactions(o.Defaults)}
		all := append(knownVersion(o, o.Defaults), w.answers([]fact{
			{"transaction.timeout.ms", "InitProducerId", "transaction_timeout_ms", nil},
			{"acks", "Produce", "acks", spelling{"-1": "all"}.of},
		})...)
		return append(all, w.versions("InitProducerId", "Produce", "AddPartitionsToTxn", "EndTxn")...)
	}
	return v
}

// ofTransactions are the defaults with what every transaction needs (KIP-98), whatever
// the library's other producers have: sarama's have acks=1.
func ofTransactions(defaults map[string]string) map[string]string {
	if len(defaults) == 0 {
		return nil
	}
	all := maps.Clone(defaults)
	all["acks"] = "all"
	return all
}

func producerIsSet() Variant {
	set := map[string]string{
		"acks": "1", "allow.auto.create.topics": "true", "client.id": "kcompare-own",
		"compression.type": "gzip", "enable.idempotence": "false", "request.timeout.ms": "12345",
	}
	v := bare("acks=1,compression.type=gzip,enable.idempotence=false", "what is set is on the wire, and no default")
	v.Kind, v.Settings = evidence.Control, set
	v.About = func(Parameters) string { return "one record; these settings are set, and some more." }
	v.Records = func(_ Parameters, place partition.Func) []fault.Record {
		return []fault.Record{plainRecord(0).planned(place, writtenPartitions)}
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		p, err := s.NewProducer("")
		if err != nil {
			return err
		}
		p.Send(ctx, plainRecord(0))
		return p.Wait(ctx)
	}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		w := wire{o.Trace.Exchanges, set}
		all := []evidence.Answer{w.clientID()}
		for _, a := range append(w.answers(factsOfProducers()), w.ofBatches()...) {
			if a.Expected != "" {
				all = append(all, a)
			}
		}
		return all
	}
	return v
}
