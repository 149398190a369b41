package kafkatools

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"kcompare/drivers"
	"kcompare/internal/bench"
	"kcompare/internal/evidence"
)

const copierName = "transactional-message-copier"

// copier is org.apache.kafka.tools.TransactionalMessageCopier, which Kafka's system tests
// use. It knows no settings but brokers, topics, group, transactional.id and size of
// transactions.
type copier struct{}

func (copier) name() string  { return copierName }
func (copier) class() string { return "org.apache.kafka.tools.TransactionalMessageCopier" }

func (copier) about() bench.About {
	return bench.About{Can: drivers.Abilities{Idempotence: true, Transactions: true, Groups: true, Bulk: true, BulkTransactions: true}}
}

// built is how the copier and what it leaves at the library's default behave, by canonical
// names (createProducer and createConsumer of 4.4.0).
func built() map[string]string {
	return map[string]string{
		"acks": "all", "enable.idempotence": "true", "compression.type": "none", "linger.ms": "5",
		"batch.size":                            "512", // "to ensure that we have multiple inflight requests per transaction"
		"max.in.flight.requests.per.connection": "5",
		"isolation.level":                       "read_committed", "enable.auto.commit": "false", "auto.offset.reset": "earliest",
	}
}

func (copier) differences(config map[string]string) ([]string, error) {
	has := built()
	for _, key := range slices.Sorted(maps.Keys(config)) {
		value, known := has[key]
		reason := "the copier takes no settings"
		if known {
			reason = "the copier has " + value + ", and takes no settings"
		}
		if value != config[key] {
			return nil, &drivers.UnsupportedError{Client: copierName, Key: key, Value: config[key], Reason: reason}
		}
	}
	return nil, nil
}

func (copier) otherwise() []string {
	return []string{
		"each turn is a new process: its processor time has the start of Java in it",
		"each record goes to the partition that it came from, and its key and value are read and written as text",
		"its clock begins with the end of the transaction that a quarter of the records is done with, and ends before the last transaction, for that is when it prints the time",
	}
}

func (copier) takes(s bench.Stage) error {
	if s.Work != evidence.BenchRPW {
		return fmt.Errorf("it reads, writes and commits: leave it out of %s", s.Work)
	}
	if s.Load.Transaction < 1 {
		return fmt.Errorf("transactions of %d records: expected at least 1", s.Load.Transaction)
	}
	return nil
}

// arguments have it subscribe as the clients do, and commit offsets with the group's
// metadata (KIP-447).
func (copier) arguments(_ string, s bench.Stage, t bench.Turn) ([]string, error) {
	return []string{
		"--broker-list", s.Servers,
		"--input-topic", t.Topic, "--input-partition", "0", "--output-topic", t.Out,
		"--consumer-group", s.Group, "--transactional-id", s.ID,
		"--transaction-size", strconv.FormatInt(t.Load.Transaction, 10),
		"--group-mode", "--use-group-metadata",
	}, nil
}

func (copier) output(t bench.Turn) output {
	return &copierOutput{records: t.Load.Records, warm: warmUp(t.Load.Records)}
}
