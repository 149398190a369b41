package scenario

import (
	"kcompare/internal/evidence"
)

// The topics of defaults. Each has the partitions that its story needs: a hash shows
// only where there is a choice, and the offsets of a log can be told where there is one
// partition.
const (
	writtenTopic     = "written" // by producers
	bulkTopic        = "bulk"    // by a producer in a hurry
	waitingTopic     = "waiting" // has records before anybody reads it
	decidedTopic     = "decided" // transactions that were committed and aborted
	missingTopicRole = "not-there"

	writtenPartitions = 6
)

// defaults is the story of programs that set the address and nothing else.
func defaults() Scenario {
	return Scenario{
		Name:    "defaults",
		Summary: "nothing is set but the address: what does each library really do on the wire?",
		Story: `Most programs set an address and trust the rest. Here nothing else is set, and the
answers are read from the requests: "acks" is what stands in Produce, "isolation.level"
what stands in Fetch. What the catalogue of settings says of this version of the
library is expected of each answer, so that a new version which changes a default breaks
the claim. What no request shows (delivery.timeout.ms, retries, buffers) is not claimed;
what is a time or a size is measured and shown.

Producers, role=producer: librdkafka 2.11.1 is not idempotent, does not compress, waits
5 ms for more records and hashes keys with CRC32; franz-go 1.22.3 is idempotent, takes
snappy, waits 10 ms and hashes with murmur2. A library that compresses sends a batch as
it is where that is no larger, so the records here are long and alike. answers=slow: an
answer to Produce comes a second late; how many more requests does the client send
meanwhile? role=transactional-producer has a transactional.id beside the address. The control sets some
of it: what was set is on the wire, or the other answers prove nothing.

Consumers, role=consumer: a new group in a topic with five records. librdkafka begins
at the end and gets none of them, franz-go at the start and gets all (ListOffsets asks for
the timestamp -1 or -2); the assignors of the two do not overlap, so that they cannot
be members of one group. Both commit every 5 seconds without having been asked to; what
that loses or repeats is the story of auto-commit.

isolation.level=default: one partition, commit 2, abort 2, commit 2. Each transaction
ends with a marker, so that the end offset is 9 with six records, of which four are
committed: end offset minus records does not add up, and nothing is missing. A consumer
with nothing set gets offsets 0, 1, 6, 7 from librdkafka (read_committed) and 0, 1, 3, 4,
6, 7 from franz-go and Java (read_uncommitted).

topic=missing: librdkafka's producer asks the broker to make the topic, and the record is
written; franz-go's does not, and the record fails with UNKNOWN_TOPIC_OR_PARTITION after
a second unless allow.auto.create.topics=true. A broker that makes no topics, as most
clusters are set up and as the Kafka that kcompare starts, fails both.`,
		Topics: []Topic{
			{Role: writtenTopic, Partitions: writtenPartitions, Fixed: true},
			{Role: bulkTopic, Partitions: 1, Fixed: true},
			{Role: waitingTopic, Partitions: 1, Fixed: true},
			{Role: decidedTopic, Partitions: 1, Fixed: true},
		},
		Variants: []Variant{
			defaultProducer(),
			defaultInFlight(),
			defaultTransactions(),
			producerIsSet(),
			defaultConsumer(),
			defaultIsolation(),
			committedIsolation(),
			defaultMissingTopic(),
			madeMissingTopic(),
		},
	}
}

// bare is a promise of clients that have nothing but the address.
func bare(name, claim string) Variant {
	return Variant{
		Name: name, Kind: evidence.Promise, Claim: claim,
		Bare: true, Fields: true,
		Checks: []evidence.Check{check(evidence.LogRecords, "==", evidence.Intended), check(evidence.Unique, "==", evidence.Intended)},
		Plan:   noFaults,
	}
}

// catalogued is the claim of every variant that the catalogue's defaults are held to.
const catalogued = "every default that shows on the wire is the one that the catalogue has of this version"
