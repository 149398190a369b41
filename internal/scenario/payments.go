package scenario

import (
	"context"
	"fmt"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// What the coffee shop of most stories writes.

// Roles of its topics.
const (
	payments = "payments"
	refunds  = "refunds"

	paymentsPartitions = 3 // so that every node of the embedded broker leads one
)

// payment is the nth payment of the coffee shop.
func payment(n int) Message {
	return Message{
		Topic: payments,
		ID:    evidence.RecordID{Role: payments, N: n},
		Key:   fmt.Appendf(nil, "order-%04d", n),
		Value: fmt.Appendf(nil, "payment-%04d", n),
	}
}

// refund is the nth refund of the coffee shop.
func refund(n int) Message {
	return Message{
		Topic: refunds,
		ID:    evidence.RecordID{Role: refunds, N: n},
		Key:   fmt.Appendf(nil, "order-%04d", n),
		Value: fmt.Appendf(nil, "refund-%04d", n),
	}
}

// paymentRecords is where a plan finds the payments of a story with one for each message.
func paymentRecords(p Parameters, place partition.Func) []fault.Record {
	return firstPayments(p, place, paymentsPartitions, p.Messages)
}

// firstPayments is where it finds the first so many, in a topic to which the story gives
// so many partitions.
func firstPayments(p Parameters, place partition.Func, partitions int32, count int) []fault.Record {
	records := make([]fault.Record, count)
	for n := range records {
		records[n] = payment(n).planned(place, p.PartitionsOf(partitions))
	}
	return records
}

// pay hands over the payments from one up to another, which is not among them, and waits.
func (p *Producer) pay(ctx context.Context, from, to int) error {
	for n := from; n < to; n++ {
		p.Send(ctx, payment(n))
	}
	return p.Wait(ctx)
}

// payAs is pay, one at a time or all at once.
func (p *Producer) payAs(ctx context.Context, how sends, from, to int) error {
	if how != sequential {
		return p.pay(ctx, from, to)
	}
	for n := from; n < to; n++ {
		if err := p.pay(ctx, n, n+1); err != nil {
			return err
		}
	}
	return nil
}
