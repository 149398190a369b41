package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// processor is a program of read-process-write: it deals with one order and
// returns the next offset to read.
type processor interface {
	process(ctx context.Context, r drivers.Record) (next int64, err error)
	Close() error
}

// life is one life of a program, from its start to a crash or the end.
type life struct {
	who      string // names it in the evidence
	consumer *Consumer
	crashAt  int64 // offset from which on it crashes, with outputs written and nothing committed
}

// program starts a processor for one life of it.
type program func(context.Context, *Stage, life) (processor, error)

// noCrash is behind every order.
const noCrash = int64(1) << 62

var (
	errCrashed      = errors.New("the processor crashed")
	errNeverCrashed = errors.New("the processor came to no order at which it could crash")
)

// liveTwice starts the program, and once more after its crash.
func (start program) liveTwice(ctx context.Context, s *Stage) error {
	err := start.live(ctx, s, life{who: "before the crash", crashAt: crashOffset(ordersOf(s.Parameters))})
	switch {
	case err == nil:
		return errNeverCrashed
	case !errors.Is(err, errCrashed):
		return err
	}
	return start.live(ctx, s, life{who: "after the crash", crashAt: noCrash})
}

// crashOffset is that of a valid order a little behind the middle. At least that
// one has outputs and no committed offset then.
func crashOffset(orders int) int64 {
	at := min(orders/2+2, orders-1)
	if isInvalid(at) {
		at++
	}
	return int64(at)
}

// live joins the group and processes until every order has been dealt with. A
// crash leaves the group as an end would, or the next life had to wait for the
// session timeout.
func (start program) live(ctx context.Context, s *Stage, l life) (err error) {
	if l.consumer, err = s.NewConsumer(""); err != nil {
		return err
	}
	p, err := start(ctx, s, l)
	if err != nil {
		return err
	}
	if err := l.consumer.Subscribe(ctx, orders); err != nil {
		return err
	}
	err = readOn(ctx, l.consumer, p, int64(ordersOf(s.Parameters)))
	if errors.Is(err, errCrashed) {
		if failed := errors.Join(p.Close(), l.consumer.Close()); failed != nil {
			return failed
		}
	}
	return err
}

// readOn polls until the position has reached the end of the orders.
func readOn(ctx context.Context, consumer *Consumer, p processor, end int64) error {
	for next := int64(0); next < end; {
		records, err := consumer.Poll(ctx)
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

// transactionalProcessor commits outputs and offset of each order together.
type transactionalProcessor struct {
	life
	producer *TransactionalProducer
	seek     bool           // after an abort, to the committed offset
	inTurn   bool           // an output is handed over when the one before is reported; else both at once
	invalid  map[int64]bool // offsets of orders that were found invalid; a second life has to find them again
}

func startTransactional(seek, inTurn bool) program {
	return func(ctx context.Context, s *Stage, l life) (processor, error) {
		p, err := s.NewTransactionalProducer(l.who)
		if err != nil {
			return nil, err
		}
		return &transactionalProcessor{life: l, producer: p, seek: seek, inTurn: inTurn, invalid: map[int64]bool{}}, p.Init(ctx)
	}
}

func (p *transactionalProcessor) Close() error { return p.producer.Close() }

func (p *transactionalProcessor) process(ctx context.Context, r drivers.Record) (next int64, err error) {
	next = r.Offset + 1
	if p.producer, err = p.producer.Open(ctx); err != nil {
		return next, err
	}
	if err = p.transact(ctx, r); err == nil || errors.Is(err, errCrashed) || ctx.Err() != nil {
		return next, err
	}
	if p.producer, err = p.producer.GiveUp(ctx); err != nil || !p.seek {
		return next, err
	}
	return p.consumer.Rewind(ctx, partitionOf(r))
}

// transact is what stands in a transaction, its commit included. An error means
// that it is to be given up. Of an order that is known to be invalid it commits the
// offset alone.
func (p *transactionalProcessor) transact(ctx context.Context, r drivers.Record) error {
	skipped := p.invalid[r.Offset]
	if !skipped {
		if err := p.writeOutputs(ctx, r); err != nil {
			return err
		}
	}
	if err := p.producer.SendOffsets(ctx, after(r), p.consumer); err != nil {
		return err
	}
	if r.Offset >= p.crashAt && !skipped {
		return errCrashed
	}
	return p.producer.Commit(ctx)
}

func (p *transactionalProcessor) writeOutputs(ctx context.Context, r drivers.Record) error {
	outputs, err := processOrder(r)
	if err != nil {
		p.invalid[r.Offset] = true
		return err
	}
	if p.inTurn {
		return p.producer.writeInTurn(ctx, outputs)
	}
	return p.producer.write(ctx, outputs)
}

// plainProcessor writes outputs at once and commits the offset every few orders.
type plainProcessor struct {
	life
	producer *Producer
	done     int // orders dealt with
}

func startPlain(_ context.Context, s *Stage, l life) (processor, error) {
	p, err := s.NewProducer(l.who)
	return &plainProcessor{life: l, producer: p}, err
}

func (p *plainProcessor) Close() error { return p.producer.Close() }

func (p *plainProcessor) process(ctx context.Context, r drivers.Record) (next int64, err error) {
	next = r.Offset + 1
	if outputs, err := processOrder(r); err == nil { // invalid ones go nowhere
		if err := p.producer.write(ctx, outputs); err != nil {
			return next, err
		}
		if r.Offset >= p.crashAt {
			return next, errCrashed
		}
	}
	if p.done++; p.done%committedEvery != 0 {
		return next, nil
	}
	return next, p.consumer.Commit(ctx, after(r))
}

var errRefused = errors.New("an output was not written")

// write sends the messages and looks at what became of them.
func (p *Producer) write(ctx context.Context, messages []Message) error {
	for _, m := range messages {
		p.Send(ctx, m)
	}
	if err := p.Wait(ctx); err != nil {
		return err
	}
	if p.Failed() {
		return errRefused
	}
	return nil
}

// writeInTurn does so one at a time, and stops at the first that was not written.
func (p *Producer) writeInTurn(ctx context.Context, messages []Message) error {
	for _, m := range messages {
		if err := p.write(ctx, []Message{m}); err != nil {
			return err
		}
	}
	return nil
}

func partitionOf(r drivers.Record) drivers.TopicPartition {
	return drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition}
}

func after(r drivers.Record) drivers.Position {
	return drivers.Position{TopicPartition: partitionOf(r), Offset: r.Offset + 1}
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
