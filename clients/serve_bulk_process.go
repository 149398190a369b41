package clients

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kcompare/drivers"
)

// pollTime is how long an open transaction waits for more records before it commits.
const pollTime = 100 * time.Millisecond

// processing is a read-process-write under way.
type processing struct {
	*served
	from  drivers.Consumer
	topic string
	want  int64 // records in all
	size  int64 // of a transaction
	began time.Time

	count        int64 // records read
	transactions latencies
	next         map[drivers.TopicPartition]int64 // behind what the open transaction has
	failed       chan error                       // the first record that was not written
}

// processMany reads, writes and commits until so many records were read.
func (c *served) processMany(ctx context.Context, line *incoming) (any, error) {
	switch {
	case line.Count < 1:
		return nil, errNoCount
	case line.Transaction < 1:
		return nil, errors.New("transaction: expected 1 or more")
	case line.from == nil:
		return nil, fmt.Errorf("consumer: expected the handle of a consumer, got %q", line.Consumer)
	}
	p := &processing{
		served: c, from: line.from, topic: line.Topic, want: line.Count, size: line.Transaction,
		next: map[drivers.TopicPartition]int64{}, failed: make(chan error, 1),
	}
	before := allocatedSoFar()
	for p.count < p.want {
		if err := p.transaction(ctx); err != nil {
			return nil, err
		}
	}
	took := c.clock.now().Sub(p.began)
	return processed{measured{
		ElapsedUS: took.Microseconds(), Latencies: p.transactions, Allocated: allocatedSince(before),
	}, p.count}, nil
}

// transaction waits for records, and writes them and what follows at once.
func (p *processing) transaction(ctx context.Context) error {
	size := min(p.size, p.want-p.count)
	records, err := p.poll(ctx, size)
	if err != nil {
		return err
	}
	began := p.clock.now()
	if p.count == 0 {
		p.began = began
	}
	if err := p.transactional.Begin(ctx); err != nil {
		return err
	}
	for written := int64(0); len(records) > 0; {
		p.write(ctx, records)
		if written += int64(len(records)); written >= size {
			break
		}
		if records, err = p.pollMore(ctx, size-written); err != nil {
			return err
		}
	}
	if err := p.commit(ctx); err != nil {
		return err
	}
	p.transactions = append(p.transactions, micros(p.clock.now().Sub(began)))
	return nil
}

// poll waits until there is a record.
func (p *processing) poll(ctx context.Context, most int64) ([]drivers.Record, error) {
	for {
		records, err := p.pollUpTo(ctx, most)
		if err != nil || len(records) > 0 {
			return records, err
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%d records were read: %w", p.count, ctx.Err())
		}
	}
}

func (p *processing) pollMore(ctx context.Context, most int64) ([]drivers.Record, error) {
	short, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	return p.pollUpTo(short, most)
}

// pollUpTo asks for so many records at most, where the library can be asked that.
func (p *processing) pollUpTo(ctx context.Context, most int64) ([]drivers.Record, error) {
	if limited, is := p.from.(drivers.LimitedPoller); is {
		return limited.PollAtMost(ctx, int(most))
	}
	return p.from.Poll(ctx)
}

// write hands over records as they were read.
func (p *processing) write(ctx context.Context, records []drivers.Record) {
	for _, r := range records {
		p.next[placeOf(r)] = r.Offset + 1
		p.transactional.Produce(ctx, drivers.Record{
			Topic: p.topic, Partition: drivers.AnyPartition, Key: r.Key, Value: r.Value,
		}, p.reported)
	}
	p.count += int64(len(records))
}

func (p *processing) reported(d drivers.Delivery) {
	if d.Outcome == drivers.Acked {
		return
	}
	select {
	case p.failed <- d.Err:
	default: // an earlier one is there
	}
}

// commit sends the offsets and commits, unless a record failed.
func (p *processing) commit(ctx context.Context) error {
	group, err := p.from.GroupMetadata()
	if err != nil {
		return err
	}
	var offsets []drivers.Position
	for tp, next := range p.next {
		offsets = append(offsets, drivers.Position{TopicPartition: tp, Offset: next})
	}
	clear(p.next)
	if err := p.transactional.SendOffsets(ctx, offsets, group); err != nil {
		return err
	}
	if err := commit(ctx, p.transactional); err != nil {
		return err
	}
	select {
	case err := <-p.failed:
		return err
	default:
		return nil
	}
}
