package scenario

import (
	"context"

	"kcompare/drivers"
)

// Consumer reads a topic of the trial in a group. Its methods are called from one
// goroutine.
type Consumer struct {
	stage  *Stage
	who    string
	client drivers.Consumer
	close  func() error
}

// Subscribe joins the group of the settings for the topic of a role.
func (c *Consumer) Subscribe(ctx context.Context, role string) error {
	return c.noted("subscribe", c.client.Subscribe(ctx, []string{c.stage.Topics[role]}))
}

// Poll waits for at least one record, or returns the error of ctx.
func (c *Consumer) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.client.Poll(ctx)
	if err == nil && len(records) == 0 {
		err = ctx.Err()
	}
	return records, c.noted("poll", err)
}

// Commit stores the position for the group.
func (c *Consumer) Commit(ctx context.Context, next drivers.Position) error {
	return c.noted("commit offsets", c.client.Commit(ctx, []drivers.Position{next}))
}

// Rewind seeks to the group's committed position of a partition, to the start if
// there is none, and returns its offset.
func (c *Consumer) Rewind(ctx context.Context, tp drivers.TopicPartition) (int64, error) {
	to := drivers.Position{TopicPartition: tp}
	var err error
	if to.Offset, err = c.Committed(ctx, tp); err != nil {
		return 0, err
	}
	return to.Offset, c.noted("seek", c.client.Seek(ctx, to))
}

// Committed is the group's committed position of a partition, 0 if there is none. It
// waits for a transaction that has not decided yet.
func (c *Consumer) Committed(ctx context.Context, tp drivers.TopicPartition) (int64, error) {
	stored, err := c.client.Committed(ctx, []drivers.TopicPartition{tp})
	if err != nil {
		return 0, c.noted("read the committed offsets", err)
	}
	for _, p := range stored {
		return p.Offset, nil
	}
	return 0, nil
}

// Stored is the group's committed offset of a partition, -1 if there is none.
func (c *Consumer) Stored(ctx context.Context, tp drivers.TopicPartition) (int64, error) {
	stored, err := c.client.Committed(ctx, []drivers.TopicPartition{tp})
	if err != nil {
		return 0, c.noted("read the committed offsets", err)
	}
	for _, p := range stored {
		return p.Offset, nil
	}
	return -1, nil
}

// Close leaves the group.
func (c *Consumer) Close() error { return c.close() }

func (c *Consumer) noted(doing string, err error) error {
	if err != nil {
		return c.stage.failed(c.who, doing, err)
	}
	return nil
}
