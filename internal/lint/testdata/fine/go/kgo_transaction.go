// A transaction of a plain client: flushed, and committed only when every record was.
package shop

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

func pay(ctx context.Context, cl *kgo.Client, records []*kgo.Record) error {
	if err := cl.BeginTransaction(); err != nil {
		return err
	}
	if err := cl.ProduceSync(ctx, records...).FirstErr(); err != nil {
		if err := cl.AbortBufferedRecords(ctx); err != nil {
			return err
		}
		return cl.EndTransaction(ctx, kgo.TryAbort)
	}
	if err := cl.Flush(ctx); err != nil {
		return err
	}
	return cl.EndTransaction(ctx, kgo.TryCommit)
}
