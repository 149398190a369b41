package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

func unchecked(ctx context.Context, cl *kgo.Client, records []*kgo.Record) error {
	if err := cl.BeginTransaction(); err != nil {
		return err
	}
	for _, r := range records {
		cl.Produce(ctx, r, nil)
	}
	return cl.EndTransaction(ctx, kgo.TryCommit)
}

func session(ctx context.Context, s *kgo.GroupTransactSession) {
	fetches := s.PollFetches(ctx)
	s.Begin()
	fetches.EachRecord(func(r *kgo.Record) {
		s.Produce(ctx, kgo.StringRecord(string(r.Value)), func(*kgo.Record, error) {})
	})
	s.End(ctx, kgo.TryCommit)
}

func commit(ctx context.Context, cl *kgo.Client) {
	iter := cl.PollFetches(ctx).RecordIter()
	for !iter.Done() {
		r := iter.Next()
		cl.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{
			r.Topic: {r.Partition: {Epoch: r.LeaderEpoch, Offset: r.Offset}},
		}, nil)
	}
}
