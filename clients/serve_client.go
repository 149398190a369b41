package clients

import (
	"context"
	"encoding/json"
	"time"

	"kcompare/drivers"
)

// served is a client of the driver. It has a producer, which may be a transactional one,
// or a consumer.
type served struct {
	*server
	handle        string
	lines         *queue
	ctx           context.Context
	cancel        context.CancelFunc
	producer      drivers.Producer
	transactional drivers.TransactionalProducer
	consumer      drivers.Consumer
	pending       drivers.Outstanding
	produced      int64    // records so far
	blank         []*block // of bulks that are over
}

// serve handles lines in their order.
func (c *served) serve() {
	for {
		lines := c.lines.take()
		if lines == nil {
			return
		}
		for _, line := range lines {
			if line.Verb == "produce" {
				c.produce(line)
				continue
			}
			members, err := c.call(line)
			c.answer(line.ID, members, err)
		}
	}
}

func (c *served) produce(line *incoming) {
	r := drivers.Record{
		Topic: line.Topic, Partition: *line.Partition, Key: line.Key, Value: line.Value, Headers: fromHeaders(line.Headers),
	}
	c.pending.Add()
	c.produced++
	c.producer.Produce(c.ctx, r, func(d drivers.Delivery) {
		report := reportOf(line.Record, d)
		report.Handle = c.handle
		c.out.put(encode(report))
		c.pending.Done()
	})
}

// reportOf is what the library said of a record.
func reportOf(record int64, d drivers.Delivery) *said {
	s := &said{Record: &record, Outcome: d.Outcome.String()}
	if d.Partition != drivers.AnyPartition {
		s.Partition = &d.Partition
	}
	if d.Offset != drivers.NoOffset && d.Outcome == drivers.Acked {
		s.Offset = &d.Offset
	}
	if d.Err != nil {
		s.Error = failureOf(d.Err)
	}
	return s
}

// call makes the call of a request, in the time that it has.
func (c *served) call(line *incoming) (any, error) {
	ctx := c.ctx
	if line.TimeoutMS != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(*line.TimeoutMS)*time.Millisecond)
		defer cancel()
	}
	switch {
	case line.Verb == "close":
		return c.closeIt(line.Plainly)
	case c.producer != nil && line.Verb == "produce-many":
		return c.produceMany(line)
	case c.consumer != nil:
		return c.consume(ctx, line)
	case c.transactional != nil && line.Verb != "flush":
		return c.transact(ctx, line)
	case line.Verb == "flush":
		return c.flush(ctx)
	}
	return nil, noSuchVerb(line.Verb)
}

// closeIt ends what the driver has. A consumer's last changes stand in the answer.
func (c *served) closeIt(plainly bool) (any, error) {
	if c.consumer != nil {
		err := c.consumer.Close()
		return polled{Rebalances: c.rebalances()}, err
	}
	if plain, is := c.producer.(drivers.PlainCloser); plainly && is {
		return nil, plain.ClosePlainly()
	}
	return nil, c.producer.Close()
}

type pending struct {
	Pending int `json:"pending"`
}

func (c *served) flush(ctx context.Context) (any, error) {
	err := c.producer.Flush(ctx)
	if ctx.Err() != nil {
		err = nil // time is up, which is no error of the library
	}
	return pending{c.pending.Count()}, err
}

type outcome struct {
	Outcome string `json:"outcome"`
}

func (c *served) transact(ctx context.Context, line *incoming) (any, error) {
	switch t := c.transactional; line.Verb {
	case "init":
		return nil, t.Init(ctx)
	case "begin":
		return nil, t.Begin(ctx)
	case "commit":
		o, err := t.Commit(ctx)
		return outcome{o.String()}, err
	case "abort":
		o, err := t.Abort(ctx)
		return outcome{o.String()}, err
	case "send-offsets":
		return nil, t.SendOffsets(ctx, fromPositions(line.Offsets), c.groupOf(line.Group))
	case "process-many":
		return c.processMany(ctx, line)
	}
	return nil, noSuchVerb(line.Verb)
}

// told is a group with the handle of the consumer that told it.
type told struct {
	group
	Consumer string `json:"consumer"`
}

// groupOf finds the driver's own value again.
func (c *served) groupOf(raw json.RawMessage) drivers.GroupMetadata {
	var t told
	_ = json.Unmarshal(raw, &t) // what is not there is a group that the library refuses
	c.mu.Lock()
	defer c.mu.Unlock()
	if own, has := c.groups[t.Consumer]; has {
		return own
	}
	return drivers.GroupMetadata{Group: t.Group, Generation: t.Generation, Member: t.Member, Instance: t.Instance}
}

func (c *served) groupMetadata() (any, error) {
	g, err := c.consumer.GroupMetadata()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.groups[c.handle] = g
	return told{group{g.Group, g.Generation, g.Member, g.Instance}, c.handle}, nil
}

type positions struct {
	Positions []position `json:"positions"`
}

func (c *served) consume(ctx context.Context, line *incoming) (any, error) {
	switch k := c.consumer; line.Verb {
	case "subscribe":
		return nil, k.Subscribe(ctx, line.Topics)
	case "assign":
		return nil, k.Assign(ctx, fromPositions(line.From))
	case "seek":
		return nil, k.Seek(ctx, drivers.Position(*line.To))
	case "poll":
		return c.poll(ctx)
	case "positions":
		at, err := k.Positions()
		return positions{toPositions(at)}, err
	case "commit-offsets":
		return nil, k.Commit(ctx, fromPositions(line.Offsets))
	case "committed":
		at, err := k.Committed(ctx, fromPlaces(line.Partitions))
		return positions{toPositions(at)}, err
	case "group-metadata":
		return c.groupMetadata()
	case "consume-many":
		return c.consumeMany(ctx, line.Count)
	case "store":
		if storing, is := k.(drivers.Storing); is {
			return nil, storing.Store(fromPositions(line.Next))
		}
	}
	return nil, noSuchVerb(line.Verb)
}

func (c *served) poll(ctx context.Context) (any, error) {
	records, err := c.consumer.Poll(ctx)
	answer := polled{Records: []fetched{}, Rebalances: c.rebalances()}
	for _, r := range records {
		answer.Records = append(answer.Records, fetched{r.Topic, r.Partition, r.Offset, r.Key, r.Value, toHeaders(r.Headers)})
	}
	return answer, err
}

func (c *served) rebalances() []rebalance {
	telling, is := c.consumer.(drivers.Rebalancing)
	if !is {
		return nil
	}
	var changes []rebalance
	for _, r := range telling.Rebalances() {
		changes = append(changes, rebalance{Change: r.Change, Partitions: toPlaces(r.Partitions), After: r.After})
	}
	return changes
}
