package clients

import (
	"context"
	"time"

	"kcompare/drivers"
)

// consumeMany polls until there are enough records, or time is up.
func (c *served) consumeMany(ctx context.Context, count int64) (any, error) {
	if count < 1 {
		return nil, errNoCount
	}
	got := consumed{Runs: []run{}}
	var began time.Time
	before := allocatedSoFar()
	for got.Count < count && ctx.Err() == nil {
		records, err := c.consumer.Poll(ctx)
		if err != nil {
			return nil, err
		}
		if got.Count == 0 {
			began = c.clock.now()
		}
		for i := range records {
			got.add(&records[i])
		}
	}
	if got.Count > 0 {
		got.ElapsedUS = c.clock.now().Sub(began).Microseconds()
	}
	got.Allocated = allocatedSince(before)
	return got, nil
}

func (c *consumed) add(r *drivers.Record) {
	c.Count++
	c.Bytes += int64(len(r.Key) + len(r.Value))
	if len(c.Runs) > 0 {
		last := &c.Runs[len(c.Runs)-1]
		if last.Partition == r.Partition && last.Topic == r.Topic && last.First+last.Count == r.Offset {
			last.Count++
			return
		}
	}
	c.Runs = append(c.Runs, run{TopicPartition: placeOf(*r), First: r.Offset, Count: 1})
}
