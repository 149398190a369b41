package scenario

import (
	"fmt"

	"kcompare/internal/evidence"
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
