package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// partitioner is the story of one key in several topics: where does each library put
// it, by default and when it is told how?
func partitioner() Scenario {
	s := Scenario{
		Name:    "partitioner",
		Summary: "the same keys on 1, 6, 7, 8 and 12 partitions: do two libraries agree on where each belongs?",
		Story: `Producers of two libraries write into one topic. Records of one key are in order, and
join with another topic of as many partitions, only where both libraries put the key
into the same partition. Each answer is where a key went: its partition on 1, 6, 7, 8
and 12 partitions.

By default (partitioner=default sets nothing) librdkafka takes the CRC32 of the key,
consistent_random (rdkafka_msg.c), and franz-go murmur2, as Java does: order-1 on six
partitions goes to 1 with the one and to 4 with the other. Some keys agree by chance.
With murmur2_random, which is what to set where Java or franz-go write too, all agree;
consistent_random, the control, shows that the rest of this comparison can fail.
fnv1a is Sarama's hash. franz-go has none of these names: its driver puts them
together from kgo's hashers, and what is compared for franz-go beside murmur2_random
and default is that they can be had, not that kgo has them.

A key that is empty is not a missing one. consistent_random takes both for none and
spreads them; murmur2_random and fnv1a_random hash the empty key and spread a missing
one; consistent, murmur2 and fnv1a put both into one partition. "spread" means that
records of one producer went to several partitions, "one, by producer" that each
producer chose one and stayed there: franz-go's own default changes it every 64 KiB
(KIP-480 and KIP-794 have the reasons), librdkafka by time, and at linger.ms=0, as
here, with each record. Three producers send them, so that chance does not look like a rule.

Every number of partitions is part of the story, so --partitions does not apply.`,
		Variants: []Variant{
			partitionerPromise("murmur2_random", "every key that is not empty goes where murmur2 puts it, as with Java"),
			partitionerPromise("murmur2", "every key goes where murmur2 puts it, a missing one where the empty one goes"),
			partitionerPromise("fnv1a_random", "every key that is not empty goes where FNV-1a puts it, as with Sarama"),
			partitionerPromise("fnv1a", "every key goes where FNV-1a puts it, a missing one where the empty one goes"),
			partitionerPromise("consistent", "every key goes where CRC32 puts it, a missing one where the empty one goes"),
			partitionerControl(),
			partitionerDefault(),
		},
	}
	for _, n := range partitionCounts {
		s.Topics = append(s.Topics, Topic{Role: onPartitions(n), Partitions: n, Fixed: true})
	}
	return s
}

// PartitionCounts is how many partitions the topics of scenario partitioner have, in the
// order in which its answers name a partition of each.
func PartitionCounts() []int32 { return slices.Clone(partitionCounts) }

// partitionCounts are those of the topics; on one partition nobody has a choice.
var partitionCounts = []int32{1, 6, 7, 8, 12}

func onPartitions(n int32) string { return fmt.Sprintf("on-%d", n) }

// keyed is a key of the story, under the name that its answer has.
type keyed struct {
	name string
	key  []byte // nil: the record has none
}

// keys are those that somebody was surprised by, and one of each kind of bytes.
func keys() []keyed {
	var all []keyed
	for _, text := range []string{"order-1", "order-2", "order-3", "order-4", "customer-42", "my_key_1", "my_key_2", "my_key_3", "my_key_4"} {
		all = append(all, keyed{text, []byte(text)})
	}
	return append(all,
		keyed{"text in UTF-8", []byte("заказ-1")},
		keyed{"bytes 00 ff 80 0a", []byte{0x00, 0xff, 0x80, 0x0a}},
		keyed{"bytes 00", []byte{0x00}},
		keyed{"int32 42, big-endian", []byte{0, 0, 0, 42}},
		keyed{"int32 42, little-endian", []byte{42, 0, 0, 0}},
		keyed{"int64 42, big-endian", []byte{0, 0, 0, 0, 0, 0, 0, 42}},
		keyed{"int64 42, little-endian", []byte{42, 0, 0, 0, 0, 0, 0, 0}},
	)
}

const (
	emptyKey = "empty key"
	noKey    = "no key"

	// keylessProducers send so many records without a key each. That three producers
	// choose the same partition of 6, 7, 8 and 12 by chance happens once in 16 million.
	keylessProducers = 3
	keylessEach      = 4
)

// round is one key, which one producer sends to every topic.
type round struct {
	keyed
	producer int
}

// rounds are in the order of sending: all keys by the first producer, then those
// records without one that each of the producers sends.
func rounds() []round {
	var all []round
	for _, k := range keys() {
		all = append(all, round{k, 0})
	}
	for producer := range keylessProducers {
		for range keylessEach {
			all = append(all, round{keyed{emptyKey, []byte{}}, producer}, round{keyed{noKey, nil}, producer})
		}
	}
	return all
}

func partitionerVariant(name string) Variant {
	return Variant{
		Name:     "partitioner=" + name,
		Settings: map[string]string{"enable.idempotence": "true", "partitioner": name},
		Needs:    drivers.Abilities{Idempotence: true},
		Repeats:  true,
		Checks:   []evidence.Check{check(evidence.LogRecords, "==", evidence.Intended), check(evidence.Unique, "==", evidence.Intended)},
		About: func(Parameters) string {
			return fmt.Sprintf("%d keys, and records without any, one at a time to topics of 1, 6, 7, 8 and 12 partitions; an answer is the partition on each of them.", len(keys()))
		},
		Plan:    noFaults,
		Records: keyedRecords,
		Run:     sendKeys,
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return whereKeysWent(o, name)
		},
	}
}

func partitionerPromise(name, claim string) Variant {
	v := partitionerVariant(name)
	v.Kind, v.Claim = evidence.Promise, claim
	return v
}

func partitionerControl() Variant {
	v := partitionerVariant("consistent_random")
	v.Kind = evidence.Control
	v.Claim = "every key goes where CRC32 puts it, so most go elsewhere than with Java: order-1 of 6 to 1, not to 4"
	return v
}

func partitionerDefault() Variant {
	v := partitionerVariant("default")
	v.Kind, v.Claim = evidence.Observation, "where does each library put a key when nothing says how?"
	v.Settings = map[string]string{"enable.idempotence": "true"}
	v.Unset = []string{"partitioner"}
	return v
}

// message is what a round sends to the topic of so many partitions.
func (r round) message(n int, partitions int32) Message {
	role := onPartitions(partitions)
	return Message{Topic: role, ID: evidence.RecordID{Role: role, N: n}, Key: r.key, Value: fmt.Appendf(nil, "%s, round %d", r.name, n)}
}

func keyedRecords(_ Parameters, place partition.Func) []fault.Record {
	var records []fault.Record
	for n, r := range rounds() {
		for _, partitions := range partitionCounts {
			records = append(records, r.message(n, partitions).planned(place, partitions))
		}
	}
	return records
}

// sendKeys waits after each record: what a library does with records that it batches
// together is another question.
func sendKeys(ctx context.Context, s *Stage) error {
	var producers []*Producer
	for range keylessProducers {
		p, err := s.NewProducer("")
		if err != nil {
			return err
		}
		producers = append(producers, p)
	}
	for n, r := range rounds() {
		for _, partitions := range partitionCounts {
			producers[r.producer].Send(ctx, r.message(n, partitions))
			if err := producers[r.producer].Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// whereKeysWent answers for each key, and says how far that is what each hash would
// have done. What a setting says is expected of the keys and of records without one.
func whereKeysWent(o *evidence.Observed, setting string) []evidence.Answer {
	placed := placements(o.Log)
	choose, err := partition.ByName(setting)
	known := err == nil // else it is the library's own default
	var all []evidence.Answer
	for n, k := range keys() {
		a := evidence.Answer{Question: k.name, Answer: placed.of(n)}
		if known {
			a.Expected = expectedPlaces(choose, k.key)
		}
		all = append(all, a)
	}
	for _, name := range []string{emptyKey, noKey} {
		a := evidence.Answer{Question: name, Answer: placed.ofKeyless(name)}
		if known {
			a.Expected = keylessExpected(setting, name, choose)
		}
		all = append(all, a)
	}
	return append(all, agreement(placed, choose, known)...)
}

// places are the partitions of the records, by round and number of partitions.
type places map[int]map[int32]int32

func placements(log evidence.Log) places {
	all := places{}
	for _, p := range log.Partitions {
		for _, b := range p.Batches {
			for _, r := range b.Records {
				all.note(r.ID, p.Partition)
			}
		}
	}
	return all
}

func (all places) note(id evidence.RecordID, at int32) {
	for _, n := range partitionCounts {
		if id.Role != onPartitions(n) {
			continue
		}
		if all[id.N] == nil {
			all[id.N] = map[int32]int32{}
		}
		all[id.N][n] = at
	}
}

// of is where the record of a round went, "0 1 4 7 10"; "" if one is missing.
func (all places) of(n int) string {
	if len(all[n]) < len(partitionCounts) {
		return ""
	}
	return spelled(func(partitions int32) int32 { return all[n][partitions] })
}

// spelled is a partition for each number of partitions.
func spelled(at func(partitions int32) int32) string {
	var all []string
	for _, n := range partitionCounts {
		all = append(all, fmt.Sprint(at(n)))
	}
	return strings.Join(all, " ")
}

func expectedPlaces(choose partition.Func, key []byte) string {
	return spelled(func(n int32) int32 { return choose(key, n) })
}

// What became of records without a key.
const (
	spread     = "spread"
	byProducer = "one, by producer"
)

// ofKeyless compares the rounds of a name: within a producer, and between them.
func (all places) ofKeyless(name string) string {
	var first string // where all of them went so far
	byEach := map[int]string{}
	same := true
	for n, r := range rounds() {
		if r.name != name {
			continue
		}
		at := all.of(n)
		if at == "" {
			return ""
		}
		if before, sent := byEach[r.producer]; sent && before != at {
			return spread
		}
		byEach[r.producer] = at
		if first == "" {
			first = at
		}
		same = same && at == first
	}
	if same {
		return first
	}
	return byProducer
}

// keylessExpected is what librdkafka documents (CONFIGURATION.md, partitioner).
func keylessExpected(setting, name string, choose partition.Func) string {
	random := strings.HasSuffix(setting, "_random")
	if random && (name == noKey || strings.HasPrefix(setting, "consistent")) {
		return spread
	}
	return expectedPlaces(choose, nil)
}

// agreement counts, of the keys that are not empty, where each hash would have put them
// too. On one partition all agree, so that one does not count.
func agreement(placed places, declared partition.Func, known bool) []evidence.Answer {
	var all []evidence.Answer
	for _, h := range []struct {
		question string
		choose   partition.Func
	}{
		{"where Java puts it (murmur2)", partition.Murmur2},
		{"where librdkafka puts it (CRC32)", partition.CRC32},
		{"where Sarama puts it (FNV-1a)", partition.FNV1a},
	} {
		a := evidence.Answer{Question: h.question, Answer: agreeing(h.choose, func(n int, partitions int32) (int32, bool) {
			at, is := placed[n][partitions]
			return at, is
		})}
		if known {
			a.Expected = agreeing(h.choose, func(n int, partitions int32) (int32, bool) {
				return declared(keys()[n].key, partitions), true
			})
		}
		all = append(all, a)
	}
	return all
}

// agreeing is "64 of 64"; "" where a record is missing.
func agreeing(choose partition.Func, placed func(n int, partitions int32) (int32, bool)) string {
	agree, of := 0, 0
	for n, k := range keys() {
		for _, partitions := range partitionCounts[1:] {
			at, is := placed(n, partitions)
			if !is {
				return ""
			}
			if of++; at == choose(k.key, partitions) {
				agree++
			}
		}
	}
	return fmt.Sprintf("%d of %d", agree, of)
}
