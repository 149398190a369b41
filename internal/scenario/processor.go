package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// processor is the program of read-process-write: one life of it, from start to
// crash or end.
type processor struct {
	stage    *Stage
	producer *TransactionalProducer // nil without transactions
	plain    *Producer              // without transactions
	consumer *Consumer

	seek    bool           // after an abort, to the committed offset
	invalid map[int64]bool // offsets of orders that were found invalid; a second life has to find them again
	crashAt int64          // offset; noCrash in the second life
	done    int            // orders since the last commit of offsets, without transactions
}

const noCrash = -1

// errCrashed ends the first life of a processor.
var errCrashed = errors.New("the processor crashed")

// runProcessor lives twice: the first life ends in a crash.
func runProcessor(seek bool) func(context.Context, *Stage) error {
	return func(ctx context.Context, s *Stage) error {
		return liveTwice(ctx, s, func(life string, crashAt int64) (*processor, error) {
			p, err := s.NewTransactionalProducer(life)
			if err != nil {
				return nil, err
			}
			return &processor{stage: s, producer: p, seek: seek, crashAt: crashAt}, p.Init(ctx)
		})
	}
}

// runPlainProcessor does the same without transactions.
func runPlainProcessor(ctx context.Context, s *Stage) error {
	return liveTwice(ctx, s, func(life string, crashAt int64) (*processor, error) {
		p, err := s.NewProducer(life)
		return &processor{stage: s, plain: p, crashAt: crashAt}, err
	})
}

func liveTwice(ctx context.Context, s *Stage, born func(life string, crashAt int64) (*processor, error)) error {
	first, err := born("before the crash", crashOffset(ordersOf(s.Parameters)))
	if err != nil {
		return err
	}
	if err := first.live(ctx); !errors.Is(err, errCrashed) {
		return err
	}
	second, err := born("after the crash", noCrash)
	if err != nil {
		return err
	}
	return second.live(ctx)
}

// crashOffset is that of a valid order a little behind the middle. At least that
// one has outputs and no committed offset then.
func crashOffset(orders int) int64 {
	at := min(orders/2+2, orders-1)
	if !incomingOrders(Parameters{Messages: 5 * orders})[at].Valid {
		at++
	}
	return int64(at)
}

// live joins the group and processes until every order has been dealt with.
func (p *processor) live(ctx context.Context) error {
	consumer, err := p.stage.NewConsumer("")
	if err != nil {
		return err
	}
	p.consumer, p.invalid = consumer, map[int64]bool{}
	if err := consumer.Subscribe(ctx, orders); err != nil {
		return err
	}
	err = p.readOn(ctx, int64(ordersOf(p.stage.Parameters)))
	if errors.Is(err, errCrashed) {
		err = errors.Join(err, p.stop(), consumer.Close())
	}
	return err
}

func (p *processor) stop() error {
	if p.producer != nil {
		return p.producer.Close()
	}
	return p.plain.Close()
}

// readOn polls until the position has reached the end of the orders.
func (p *processor) readOn(ctx context.Context, end int64) error {
	for next := int64(0); next < end; {
		records, err := p.consumer.Poll(ctx)
		if err != nil {
			return err
		}
		for _, r := range records {
			if next, err = p.process(ctx, r); err != nil {
				return err
			}
			if next <= r.Offset {
				break // what else was polled comes again
			}
		}
	}
	return nil
}

// process deals with one order and returns the next offset to read.
func (p *processor) process(ctx context.Context, r drivers.Record) (next int64, err error) {
	next = r.Offset + 1
	if p.producer == nil {
		return next, p.processPlain(ctx, r)
	}
	if err := p.producer.Begin(ctx); err != nil {
		return next, err
	}
	if err = p.transact(ctx, r); err == nil || errors.Is(err, errCrashed) || ctx.Err() != nil {
		return next, err
	}
	if p.producer, err = p.producer.GiveUp(ctx); err != nil || !p.seek {
		return next, err
	}
	return p.consumer.Rewind(ctx, drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition})
}

// transact is what stands in a transaction, its commit included. An error means
// that it is to be aborted.
func (p *processor) transact(ctx context.Context, r drivers.Record) error {
	if !p.invalid[r.Offset] {
		if err := p.writeOutputs(ctx, r); err != nil {
			return err
		}
	}
	if err := p.producer.SendOffsets(ctx, after(r), p.consumer); err != nil {
		return err
	}
	if r.Offset == p.crashAt {
		return errCrashed
	}
	return p.producer.Commit(ctx)
}

var errRefused = errors.New("an output was not written")

func (p *processor) writeOutputs(ctx context.Context, r drivers.Record) error {
	outputs, err := processOrder(r)
	if err != nil {
		p.invalid[r.Offset] = true
		return err
	}
	for _, m := range outputs {
		p.producer.Send(ctx, m)
	}
	if err := p.producer.Wait(ctx); err != nil {
		return err
	}
	if p.producer.Failed() {
		return errRefused
	}
	return nil
}

// processPlain writes the outputs, and the offset every few orders.
func (p *processor) processPlain(ctx context.Context, r drivers.Record) error {
	outputs, err := processOrder(r)
	if err == nil {
		for _, m := range outputs {
			p.plain.Send(ctx, m)
		}
		if err := p.plain.Wait(ctx); err != nil {
			return err
		}
	}
	if r.Offset == p.crashAt {
		return errCrashed
	}
	if p.done++; p.done%committedEvery != 0 {
		return nil
	}
	return p.consumer.Commit(ctx, after(r))
}

func after(r drivers.Record) drivers.Position {
	return drivers.Position{TopicPartition: drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition}, Offset: r.Offset + 1}
}

// errInvalid is the answer to an order without a positive amount.
var errInvalid = errors.New("invalid amount")

// processOrder is the business of the shop. The outputs carry the identity of
// their order.
func processOrder(r drivers.Record) ([]Message, error) {
	var order struct {
		ID     int     `json:"order_id"`
		Amount float64 `json:"amount"`
	}
	if err := json.Unmarshal(r.Value, &order); err != nil {
		return nil, fmt.Errorf("read order at offset %d: %w", r.Offset, err)
	}
	if order.Amount <= 0 {
		return nil, errInvalid
	}
	id := evidence.RecordID{Role: orders, N: order.ID}
	return []Message{
		{Topic: processedOrders, ID: id, Key: r.Key, Value: fmt.Appendf(nil,
			`{"order_id": %d, "status": "processed", "amount": %.2f, "tax": %.2f}`, order.ID, order.Amount, order.Amount*0.1)},
		{Topic: orderEvents, ID: id, Key: r.Key, Value: fmt.Appendf(nil, `{"event": "order_processed", "order_id": %d}`, order.ID)},
	}, nil
}
