// A group that reads and writes in transactions, and commits only what was written.
package shop

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func etl(ctx context.Context, shard string) error {
	s, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers("localhost:9092"),
		kgo.TransactionalID("etl-"+shard),
		kgo.TransactionTimeout(30*time.Second),
		kgo.SessionTimeout(45*time.Second),
		kgo.ConsumerGroup("etl"),
		kgo.ConsumeTopics("in"),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RequireStableFetchOffsets(),
	)
	if err != nil {
		return err
	}
	defer s.Close()
	for ctx.Err() == nil {
		fetches := s.PollFetches(ctx)
		if err := s.Begin(); err != nil {
			return err
		}
		promise := kgo.AbortingFirstErrPromise(s.Client())
		fetches.EachRecord(func(r *kgo.Record) {
			s.Produce(ctx, &kgo.Record{Topic: "out", Value: r.Value}, promise.Promise())
		})
		if _, err := s.End(ctx, kgo.TransactionEndTry(promise.Err() == nil)); err != nil {
			return err
		}
	}
	return ctx.Err()
}
