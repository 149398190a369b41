package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kcompare/drivers"
)

// producesTransactions makes a bulk in transactions, the last one of which is short. The
// markers between them stand in the log: an offset that no record has.
func producesTransactions(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	b := drivers.Bulk{Topic: topic, Partition: drivers.AnyPartition, Count: 100, Keys: 7, ValueBytes: 20, Transaction: 30}
	var l bulkLedger
	err = s.withTransactions(ctx, topic, func(p drivers.TransactionalProducer) error {
		many, able := p.(drivers.BulkProducer)
		if !able {
			return fmt.Errorf("a transactional producer: expected a drivers.BulkProducer, got a %T", p)
		}
		began := time.Now()
		made, err := many.ProduceMany(ctx, b, l.note)
		if err != nil {
			return err
		}
		return timedEach(4, made.Latencies, made.Elapsed, time.Since(began))
	})
	if err != nil {
		return err
	}
	log, err := s.decided(ctx, topic)
	if err != nil {
		return err
	}
	return errors.Join(l.eachInLog(b, log), allIn(Visible, log, "its transaction was committed"), standAt(log, func(n int) int {
		return n + n/int(b.Transaction) // behind a marker for each transaction before
	}))
}

// timedEach expects times of so many transactions.
func timedEach(transactions int, latencies []uint32, elapsed, took time.Duration) error {
	switch {
	case len(latencies) != transactions:
		return fmt.Errorf("expected the times of %d transactions, got %d", transactions, len(latencies))
	case elapsed <= 0 || elapsed > took:
		return fmt.Errorf("expected the time between the first record and the end of the last commit, got %s of %s", elapsed, took)
	}
	return areLatencies(latencies, elapsed)
}

// standAt expects the n-th record of a log of one partition at this offset.
func standAt(log []LogRecord, offset func(n int) int) error {
	for n, r := range log {
		if want := int64(offset(n)); r.Offset != want {
			return fmt.Errorf("record %d of the log, %s: expected it at offset %d", n, describe(r.Record), want)
		}
	}
	return nil
}

// processesMany reads a topic, and writes it to another in transactions. Each input must
// be in the output once, the group's offsets behind the last one, and as many
// transactions in the log as it says.
func processesMany(ctx context.Context, s Subject) error {
	topic, _, err := s.filled(ctx)
	if err != nil {
		return err
	}
	out, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	var done drivers.Processed
	err = s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		return s.withTransactions(ctx, topic, func(p drivers.TransactionalProducer) error {
			done, err = s.processed(ctx, p, drivers.Processing{Consumer: c, Topic: out, Count: 20, Transaction: 8})
			if err != nil {
				return err
			}
			return s.stored(ctx, c, topic, []drivers.Position{position(topic, 0, 10), position(topic, 1, 10)})
		})
	})
	if err != nil {
		return err
	}
	in, err1 := s.Cluster.Log(ctx, topic)
	log, err2 := s.decided(ctx, out)
	return errors.Join(err1, err2, allIn(Visible, log, "its transaction was committed"), sameContent(log, in), transactions(len(done.Latencies), log))
}

// processed calls ProcessMany.
func (s Subject) processed(ctx context.Context, p drivers.TransactionalProducer, w drivers.Processing) (drivers.Processed, error) {
	processor, able := p.(drivers.BulkProcessor)
	if !able {
		return drivers.Processed{}, fmt.Errorf("a transactional producer: expected a drivers.BulkProcessor, got a %T", p)
	}
	began := time.Now()
	done, err := processor.ProcessMany(ctx, w)
	switch {
	case err != nil:
		return done, err
	case done.Records != w.Count:
		return done, fmt.Errorf("expected %d records, of a topic that has no more, got %d", w.Count, done.Records)
	}
	return done, timedEach(len(done.Latencies), done.Latencies, done.Elapsed, time.Since(began))
}

// sameContent compares keys and values, whatever their order.
func sameContent(got, want []LogRecord) error {
	contents := func(log []LogRecord) []string {
		var all []string
		for _, r := range log {
			all = append(all, "key="+quote(r.Key)+" value="+quote(r.Value))
		}
		slices.Sort(all)
		return all
	}
	if g, w := contents(got), contents(want); !slices.Equal(g, w) {
		return fmt.Errorf("expected the output to be\n%s\ngot\n%s", strings.Join(w, "\n"), strings.Join(g, "\n"))
	}
	return nil
}

// transactions expects so many in a log of one partition: offsets that no record has are
// those of markers, and the last marker stands behind all.
func transactions(told int, log []LogRecord) error {
	last := log[len(log)-1].Offset
	if in := last + 1 - int64(len(log)) + 1; in != int64(told) {
		return fmt.Errorf("tells the times of %d transactions, and the log has %d", told, in)
	}
	return nil
}
