// Asynchronous records: promises count what failed, and the end waits for all.
package shop

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

func sendWaiting(ctx context.Context, records []*kgo.Record) (failed int64, err error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers("localhost:9092"))
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	var wg sync.WaitGroup
	var bad atomic.Int64
	for _, r := range records {
		wg.Add(1)
		cl.Produce(ctx, r, func(_ *kgo.Record, err error) {
			defer wg.Done()
			if err != nil {
				bad.Add(1)
			}
		})
	}
	wg.Wait()
	return bad.Load(), nil
}

func sendFlushing(ctx context.Context, cl *kgo.Client, records []*kgo.Record) error {
	var promise kgo.FirstErrPromise
	for _, r := range records {
		cl.Produce(ctx, r, promise.Promise())
	}
	if err := cl.Flush(ctx); err != nil {
		return err
	}
	return promise.Err()
}
