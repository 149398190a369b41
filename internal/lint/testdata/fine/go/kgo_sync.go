// A producer of kgo that looks at every result.
package shop

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func sendAll(ctx context.Context, records []*kgo.Record) error {
	cl, err := kgo.NewClient(
		kgo.SeedBrokers("localhost:9092", "localhost:9093"),
		kgo.DefaultProduceTopic("orders"),
		kgo.ProducerLinger(20*time.Millisecond),
		kgo.RecordDeliveryTimeout(2*time.Minute),
		kgo.ProducerBatchCompression(kgo.ZstdCompression(), kgo.NoCompression()),
	)
	if err != nil {
		return err
	}
	defer cl.Close()
	return cl.ProduceSync(ctx, records...).FirstErr()
}
