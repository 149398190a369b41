package scenario

import (
	"bytes"
	"context"
	"fmt"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// shop is the program: one producer after the other, should one of them die.
type shop struct {
	stage    *Stage
	producer *TransactionalProducer
	refusing bool // some events are larger than their topic allows
	careless bool // it does not look at reports
	inTurn   bool // it hands a record over when the one before is reported; else all at once
	orders   int  // in a transaction; 0: one
	end      ending
}

// ending is what the program does with the nth transaction, all records of which
// were written as far as it knows. With an error it gives the transaction up.
type ending func(ctx context.Context, p *TransactionalProducer, n int) error

func commit(ctx context.Context, p *TransactionalProducer, _ int) error { return p.Commit(ctx) }

func abort(ctx context.Context, p *TransactionalProducer, _ int) error { return p.Abort(ctx) }

func commitOrAbort(ctx context.Context, p *TransactionalProducer, n int) error {
	if n%2 == 1 {
		return p.Abort(ctx)
	}
	return p.Commit(ctx)
}

func (s *shop) sellAll(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	for n, messages := range s.transactions() {
		if err := s.sell(ctx, n, messages); err != nil {
			return err
		}
	}
	return nil
}

// transactions is what each of them writes.
func (s *shop) transactions() [][]Message {
	var all [][]Message
	for n := range ordersOf(s.stage.Parameters) {
		if n%max(1, s.orders) == 0 {
			all = append(all, nil)
		}
		last := &all[len(all)-1]
		*last = append(*last, shopMessages(n, s.refusing && isRefused(n))...)
	}
	return all
}

func (s *shop) open(ctx context.Context) (err error) {
	if s.producer, err = s.stage.NewTransactionalProducer(""); err != nil {
		return err
	}
	return s.producer.Init(ctx)
}

// sell writes the messages of the nth transaction.
func (s *shop) sell(ctx context.Context, n int, messages []Message) (err error) {
	if s.producer, err = s.producer.Open(ctx); err != nil {
		return err
	}
	if err = s.write(ctx, messages); err == nil {
		err = s.end(ctx, s.producer, n)
	}
	if err != nil && ctx.Err() == nil {
		s.producer, err = s.producer.GiveUp(ctx)
	}
	return err
}

func (s *shop) write(ctx context.Context, messages []Message) error {
	switch {
	case s.inTurn:
		return s.producer.writeInTurn(ctx, messages)
	case !s.careless:
		return s.producer.write(ctx, messages)
	}
	for _, m := range messages {
		s.producer.Send(ctx, m)
	}
	return nil
}

func shopRecords(p Parameters, place partition.Func) []fault.Record {
	var records []fault.Record
	for n := range ordersOf(p) {
		for _, m := range shopMessages(n, false) {
			records = append(records, m.planned(place, p.PartitionsOf(shopPartitions)))
		}
	}
	return records
}

// shopMessages is what the nth order writes; the event may be too large.
func shopMessages(n int, refused bool) []Message {
	event := fmt.Appendf(nil, `{"event": "created", "order_id": %d}`, n)
	if refused {
		event = fmt.Appendf(nil, `{"event": "created", "order_id": %d, "note": "%s"}`, n, bytes.Repeat([]byte("x"), 2*largestEvent))
	}
	order, user := fmt.Appendf(nil, "order_%d", n), fmt.Appendf(nil, "user_%d", n)
	return []Message{
		{Topic: orders, ID: evidence.RecordID{Role: orders, N: n}, Key: order, Value: fmt.Appendf(nil, `{"id": %d}`, n)},
		{Topic: orderEvents, ID: evidence.RecordID{Role: orderEvents, N: n}, Key: order, Value: event},
		{Topic: notifications, ID: evidence.RecordID{Role: notifications, N: n}, Key: user, Value: []byte(`{"type": "order_created"}`)},
	}
}

// isRefused: of every fifth order, beginning with the third.
func isRefused(n int) bool { return n%5 == 2 }
