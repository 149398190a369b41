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

// begin starts a transaction and sends records in it.
func begin(ctx context.Context, p drivers.TransactionalProducer, l *ledger, records ...drivers.Record) error {
	if err := p.Begin(ctx); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := l.send(ctx, p, records...); err != nil {
		return fmt.Errorf("flush in a transaction: %w", err)
	}
	return nil
}

// commit expects the transaction to be committed.
func commit(ctx context.Context, p drivers.TransactionalProducer) error {
	return ended("commit", drivers.Committed)(p.Commit(ctx))
}

// abort expects the transaction to be aborted.
func abort(ctx context.Context, p drivers.TransactionalProducer) error {
	return ended("abort", drivers.Aborted)(p.Abort(ctx))
}

// transact sends records in a transaction of their own, and ends it.
func transact(ctx context.Context, p drivers.TransactionalProducer, l *ledger,
	end func(context.Context, drivers.TransactionalProducer) error, records ...drivers.Record) error {
	if err := begin(ctx, p, l, records...); err != nil {
		return err
	}
	return end(ctx, p)
}

func ended(call string, want drivers.TransactionOutcome) func(drivers.TransactionOutcome, error) error {
	return func(got drivers.TransactionOutcome, err error) error {
		if got != want || err != nil {
			return fmt.Errorf("%s: expected outcome %s without an error, got %s: %v", call, want, got, err)
		}
		return nil
	}
}

// commitShowsAll commits several transactions over two topics.
func commitShowsAll(ctx context.Context, s Subject) error {
	orders, err1 := s.Cluster.CreateTopic(ctx, 2)
	payments, err2 := s.Cluster.CreateTopic(ctx, 1)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	var l ledger
	err := s.withTransactions(ctx, orders, func(p drivers.TransactionalProducer) error {
		for i := range 3 {
			records := append(numbered(orders, fmt.Sprintf("order-%d", i), 6, 2), numbered(payments, fmt.Sprintf("payment-%d", i), 3, 1)...)
			if err := transact(ctx, p, &l, commit, records...); err != nil {
				return fmt.Errorf("transaction %d: %w", i, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	log1, err1 := s.decided(ctx, orders)
	log2, err2 := s.decided(ctx, payments)
	log := slices.Concat(log1, log2)
	return errors.Join(err1, err2, l.eachAcked(), l.agreesWith(log), allIn(Visible, log, "its transaction was committed"))
}

// commitFlushes commits while everything still lingers.
func commitFlushes(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	settings := s.transactional(topic)
	settings.Config["linger.ms"] = "200"
	p, err := s.Driver.NewTransactionalProducer(settings)
	if err != nil {
		return fmt.Errorf("make a transactional producer: %w", err)
	}
	var l ledger
	err = errors.Join(p.Init(ctx), p.Begin(ctx))
	if err == nil {
		l.produce(ctx, p, numbered(topic, "payments", 20, 1)...)
		err = errors.Join(commit(ctx, p), l.eachAcked())
	}
	if err := errors.Join(err, p.Close()); err != nil {
		return err
	}
	log, err := s.decided(ctx, topic)
	return errors.Join(err, l.agreesWith(log), allIn(Visible, log, "its transaction was committed"))
}

// abortShowsNone aborts what was written and what was not even sent, and
// commits a transaction between the two.
func abortShowsNone(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	var aborted, committed ledger
	err = s.withTransactions(ctx, topic, func(p drivers.TransactionalProducer) error {
		err1 := transact(ctx, p, &aborted, abort, numbered(topic, "aborted", 6, 1)...)
		err2 := transact(ctx, p, &committed, commit, numbered(topic, "committed", 6, 1)...)
		if err := errors.Join(err1, err2, p.Begin(ctx)); err != nil {
			return err
		}
		aborted.produce(ctx, p, numbered(topic, "aborted-unsent", 6, 1)...)
		return abort(ctx, p)
	})
	if err != nil {
		return err
	}
	log, err := s.decided(ctx, topic)
	return errors.Join(err, committed.agreesWith(named(log, "committed")),
		allIn(Visible, named(log, "committed"), "its transaction was committed"),
		allIn(Aborted, named(log, "aborted"), "its transaction was aborted"))
}

// named is the records of the log whose values begin with a name.
func named(log []LogRecord, name string) []LogRecord {
	return slices.DeleteFunc(slices.Clone(log), func(r LogRecord) bool {
		return !strings.HasPrefix(string(r.Value), name)
	})
}

// openIsPending reads the log before the transaction ends.
func openIsPending(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	return s.withTransactions(ctx, topic, func(p drivers.TransactionalProducer) error {
		var l ledger
		if err := begin(ctx, p, &l, numbered(topic, "payments", 6, 1)...); err != nil {
			return err
		}
		log, err := s.Cluster.Log(ctx, topic)
		return errors.Join(err, l.agreesWith(log), allIn(Pending, log, "its transaction is open"), commit(ctx, p))
	})
}

// fencesOlder lets a second instance take over while the first has an open
// transaction. Under KIP-890 some brokers answer the first's commit with
// INVALID_TXN_STATE, which is fatal, where others say that it is fenced.
func fencesOlder(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	var older, newer ledger
	err = s.withTransactions(ctx, topic, func(first drivers.TransactionalProducer) error {
		if err := begin(ctx, first, &older, numbered(topic, "older", 3, 1)...); err != nil {
			return err
		}
		return s.withTransactions(ctx, topic, func(second drivers.TransactionalProducer) error {
			err := fenced(first.Commit(ctx))
			return errors.Join(err, transact(ctx, second, &newer, commit, numbered(topic, "newer", 3, 1)...))
		})
	})
	log, logErr := s.decided(ctx, topic)
	return errors.Join(err, logErr, newer.eachAcked(), newer.agreesWith(named(log, "newer")),
		allIn(Aborted, named(log, "older"), "a newer instance fenced its producer"),
		allIn(Visible, named(log, "newer"), "its transaction was committed"))
}

func fenced(outcome drivers.TransactionOutcome, err error) error {
	class := drivers.ClassOf(err)
	if outcome == drivers.Committed || class != drivers.Fenced && class != drivers.Fatal {
		return fmt.Errorf("commit of the older instance: expected an error of class %s or %s and not committed, got %s: %v",
			drivers.Fenced, drivers.Fatal, outcome, err)
	}
	return nil
}

// callsOutOfOrder makes calls that need another before them. A library may
// accept them: franz-go gets its producer id in any Begin, and says nothing to an
// end without a beginning. A refusal is the program's mistake, and in no case is
// anything written.
func callsOutOfOrder(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	fresh, err := s.Driver.NewTransactionalProducer(s.transactional(topic))
	if err != nil {
		return fmt.Errorf("make a transactional producer: %w", err)
	}
	err = errors.Join(mistake("begin before init", fresh.Begin(ctx)), fresh.Close())
	if err != nil {
		return err
	}
	var l ledger
	err = s.withTransactions(ctx, topic, func(p drivers.TransactionalProducer) error {
		_, err := p.Commit(ctx)
		l.produce(ctx, p, numbered(topic, "payments", 1, 1)...)
		return errors.Join(mistake("commit before begin", err), p.Flush(ctx))
	})
	if err != nil {
		return err
	}
	log, err := s.Cluster.Log(ctx, topic)
	return errors.Join(err, refused(l.snapshot()[0]), l.agreesWith(log))
}

func mistake(call string, err error) error {
	if err == nil || drivers.ClassOf(err) == drivers.Application {
		return nil
	}
	return fmt.Errorf("%s: expected acceptance or an error of class %s, got class %q: %w",
		call, drivers.Application, drivers.ClassOf(err), err)
}

// lostEndIsUnknown commits while no request to end the transaction is answered.
func lostEndIsUnknown(ctx context.Context, s Subject) error {
	topic, err := s.Cluster.CreateTopic(ctx, 1)
	if err != nil {
		return err
	}
	s.Cluster.LoseEndTxn(transactionalID(topic))
	return s.withTransactions(ctx, topic, func(p drivers.TransactionalProducer) error {
		var l ledger
		if err := begin(ctx, p, &l, numbered(topic, "payments", 3, 1)...); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		start := time.Now()
		outcome, err := p.Commit(ctx)
		if outcome != drivers.TransactionUnknown || err == nil {
			return fmt.Errorf("commit without an answer: expected outcome %s and an error, got %s: %v", drivers.TransactionUnknown, outcome, err)
		}
		return took("commit without an answer", start)
	})
}

// offsetsCommit expects the offsets after the commit.
func offsetsCommit(ctx context.Context, s Subject) error {
	return s.withProcessing(ctx, func(w processing) error {
		return errors.Join(commit(ctx, w.producer), s.stored(ctx, w.consumer, w.consumed[0].Topic, w.consumed))
	})
}

// offsetsAbort expects none after the abort.
func offsetsAbort(ctx context.Context, s Subject) error {
	return s.withProcessing(ctx, func(w processing) error {
		return errors.Join(abort(ctx, w.producer), s.stored(ctx, w.consumer, w.consumed[0].Topic, nil))
	})
}

// offsetsPending asks for offsets while the transaction that has them is open.
// An answer would be the offsets of before, and records would be read again
// that the transaction may have dealt with (KIP-447). sarama keeps offsets until it
// commits: there is nothing to wait for then, in the cluster neither.
func offsetsPending(ctx context.Context, s Subject) error {
	return s.withProcessing(ctx, func(w processing) error {
		partition := w.consumed[0].TopicPartition
		undecided, err := s.Cluster.Undecided(ctx, groupID(partition.Topic), partition)
		if err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		got, err := w.consumer.Committed(short, []drivers.TopicPartition{partition})
		switch {
		case undecided && err == nil:
			return fmt.Errorf("committed while a transaction has offsets: expected to wait until the end of its context, got %s", places(got))
		case !undecided && (err != nil || len(got) > 0):
			return fmt.Errorf("committed while nobody has stored offsets: expected none and no error, got %s: %v", places(got), err)
		}
		return commit(ctx, w.producer)
	})
}

// processing is an open transaction that has the offsets of a consumer.
type processing struct {
	producer drivers.TransactionalProducer
	consumer drivers.Consumer
	consumed []drivers.Position
}

// withProcessing reads a topic to its end and sends the positions to a
// transaction.
func (s Subject) withProcessing(ctx context.Context, use func(processing) error) error {
	topic, _, err := s.filled(ctx)
	if err != nil {
		return err
	}
	return s.withSubscriber(ctx, topic, func(c drivers.Consumer) error {
		if _, err := poll(ctx, c, 20); err != nil {
			return err
		}
		return s.withTransactions(ctx, topic, func(p drivers.TransactionalProducer) error {
			w := processing{producer: p, consumer: c, consumed: []drivers.Position{position(topic, 0, 10), position(topic, 1, 10)}}
			if err := w.sendOffsets(ctx); err != nil {
				return err
			}
			return use(w)
		})
	})
}

func (w processing) sendOffsets(ctx context.Context) error {
	metadata, err := w.consumer.GroupMetadata()
	if err != nil {
		return fmt.Errorf("group metadata: %w", err)
	}
	if err := w.producer.Begin(ctx); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := w.producer.SendOffsets(ctx, w.consumed, metadata); err != nil {
		return fmt.Errorf("send offsets %s: %w", places(w.consumed), err)
	}
	return nil
}

// stored compares the offsets of a topic's group, as the consumer and as the
// cluster tell them.
func (s Subject) stored(ctx context.Context, c drivers.Consumer, topic string, want []drivers.Position) error {
	partitions := []drivers.TopicPartition{{Topic: topic, Partition: 0}, {Topic: topic, Partition: 1}}
	committed, err1 := c.Committed(ctx, partitions)
	inCluster, err2 := s.Cluster.Offsets(ctx, groupID(topic))
	return errors.Join(err1, err2,
		samePositions("offsets of the group, as the consumer tells", committed, want),
		samePositions("offsets of the group, in the cluster", inCluster, want))
}
