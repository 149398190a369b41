// A group member that commits what it has processed.
package shop

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

func follow(ctx context.Context, handle func(*kgo.Record) error) error {
	cl, err := kgo.NewClient(
		kgo.ConsumerGroup("shop"),
		kgo.ConsumeTopics("orders"),
		kgo.DisableAutoCommit(),
		kgo.BlockRebalanceOnPoll(),
		kgo.Balancers(kgo.RangeBalancer()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
	)
	if err != nil {
		return err
	}
	defer cl.CloseAllowingRebalance()
	for ctx.Err() == nil {
		fetches := cl.PollFetches(ctx)
		next := map[string]map[int32]kgo.EpochOffset{}
		for _, r := range fetches.Records() {
			if err := handle(r); err != nil {
				return err
			}
			if next[r.Topic] == nil {
				next[r.Topic] = map[int32]kgo.EpochOffset{}
			}
			next[r.Topic][r.Partition] = kgo.EpochOffset{Epoch: r.LeaderEpoch, Offset: r.Offset + 1}
		}
		cl.CommitOffsetsSync(ctx, next, nil)
		cl.AllowRebalance()
	}
	return ctx.Err()
}
