package verify

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// writtenTopic has partitions enough that two hashes do not agree on all keys.
const (
	writtenTopic      = "kcompare-verify"
	writtenPartitions = 12
)

func writtenTopics() []broker.Topic {
	return []broker.Topic{{Name: writtenTopic, Partitions: writtenPartitions}}
}

// written is the experiment in which nothing goes wrong: what requests and batches
// carry, and where records go.
func written() Experiment {
	return Experiment{
		Name: "written", Roles: ofProducers,
		About:  "records are written one at a time, and committed where there is a transaction",
		Topics: writtenTopics(),
		Play:   writeKeys,
		Sights: []Sight{
			carried("acks"), carried("request.timeout.ms"), carried("enable.idempotence"), carried("compression.type"),
			carried("client.id"), carried("allow.auto.create.topics"), carried("transaction.timeout.ms"),
			{Key: "transactional.id", See: transactionalID},
			{Key: "partitioner", See: partitions},
		},
	}
}

// writtenKeys are as many as two hashes do not agree on by chance. The empty key is not
// among them: some partitioners send it anywhere.
func writtenKeys() [][]byte {
	var keys [][]byte
	for n := range writtenPartitions + 3 {
		keys = append(keys, fmt.Appendf(nil, "order-%d", n))
	}
	return keys
}

// writeKeys flushes each record, so that requests come in the order of keys, and none
// waits for linger.ms. The value is long and of one letter: compression makes it
// shorter.
func writeKeys(ctx context.Context, s *Stand) error {
	p, err := s.Producer(ctx)
	if err != nil {
		return err
	}
	for n, key := range writtenKeys() {
		if err := p.Write(ctx, drivers.Record{Topic: writtenTopic, Key: key, Value: bytes.Repeat([]byte("a"), 1000)}); err != nil {
			return err
		}
		if err := s.Await(ctx, fmt.Sprintf("Produce request %d", n+1), produced(n+1)); err != nil {
			return err
		}
	}
	return p.Commit(ctx)
}

// produced is a trace with so many Produce requests that have records.
func produced(n int) func([]evidence.Exchange) bool {
	return func(trace []evidence.Exchange) bool { return len(writes(trace)) >= n }
}

// writes are the Produce requests that have records.
func writes(trace []evidence.Exchange) []evidence.Exchange {
	var all []evidence.Exchange
	for _, e := range trace {
		if len(e.Batches) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// transactionalID is seen where there is none, too.
func transactionalID(s Seen) Observation {
	if o := carried("transactional.id").See(s); o.Not == "" {
		return o
	}
	return saw("no InitProducerId has one")
}

// partitions are those of the records with a key, in the order of sending.
func partitions(s Seen) Observation {
	var all []string
	for _, e := range writes(s.Trace) {
		all = append(all, strconv.Itoa(int(e.Batches[0].Partition)))
	}
	if len(all) != len(writtenKeys()) {
		return unseen("%d requests for %d keys: some were sent again", len(all), len(writtenKeys()))
	}
	return saw("keys go to " + strings.Join(all, " "))
}
