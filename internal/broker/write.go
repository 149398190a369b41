package broker

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// Write puts records into their partitions in the order given. They are what a
// trial finds there when it begins, written by nobody under comparison. It
// returns when every replica in sync has them; after an error some may be there.
func (r *Reader) Write(ctx context.Context, records []drivers.Record) error {
	if len(records) == 0 {
		return nil
	}
	batch := make([]*kgo.Record, len(records))
	for i, rec := range records {
		batch[i] = &kgo.Record{Topic: rec.Topic, Partition: rec.Partition, Key: rec.Key, Value: rec.Value}
		for _, h := range rec.Headers {
			batch[i].Headers = append(batch[i].Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
		}
	}
	if err := r.client.ProduceSync(ctx, batch...).FirstErr(); err != nil {
		return fmt.Errorf("write %d records: %w", len(records), err)
	}
	return nil
}
