package faultdiff

import (
	"context"
	"fmt"
	"slices"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
	"kcompare/internal/scenario"
)

// What the programs in the stories do: a payment service pays, one at a time or all
// at once, or in two transactions; another one reads what was paid.

const (
	payments = "payments" // topic role; it has one partition
	hit      = 3          // the number of the payment at which a fault is aimed
)

// payment is the nth payment, from 1.
func payment(n int) scenario.Message {
	return scenario.Message{
		Topic: payments, ID: evidence.RecordID{Role: payments, N: n},
		Key: fmt.Appendf(nil, "order-%d", n), Value: fmt.Appendf(nil, "payment-%d", n),
	}
}

// sent is where a plan has to look for the payments.
func sent(p scenario.Parameters, _ partition.Func) []fault.Record {
	var records []fault.Record
	for n := 1; n <= p.Messages; n++ {
		records = append(records, fault.Record{Role: payments, Record: payment(n).ID.String()})
	}
	return records
}

func nothingSent(scenario.Parameters, partition.Func) []fault.Record { return nil }

// inputs are the payments that stand in the topic before a story of a consumer.
func inputs(p scenario.Parameters) []scenario.Input {
	var all []scenario.Input
	for n := 1; n <= p.Messages; n++ {
		all = append(all, scenario.Input{Message: payment(n), Valid: true})
	}
	return all
}

// firstAttempt selects the first request with the payment that is hit.
func firstAttempt() fault.Selector {
	return fault.Selector{API: "Produce", Role: payments, Record: payment(hit).ID.String(), Attempts: 1, Probability: 1}
}

// first selects the first request of an API.
func first(api string) fault.Selector {
	return fault.Selector{API: api, Nth: 1, Probability: 1}
}

// payOneByOne pays the next one when the one before was reported.
func payOneByOne(ctx context.Context, s *scenario.Stage) ([]string, error) {
	return nil, pay(ctx, s, func(ctx context.Context, p *scenario.Producer) error { return p.Wait(ctx) })
}

// payAtOnce pays without waiting, so that several requests are in flight.
func payAtOnce(ctx context.Context, s *scenario.Stage) ([]string, error) {
	return nil, pay(ctx, s, func(context.Context, *scenario.Producer) error { return nil })
}

func pay(ctx context.Context, s *scenario.Stage, between func(context.Context, *scenario.Producer) error) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	for n := 1; n <= s.Parameters.Messages; n++ {
		p.Send(ctx, payment(n))
		if err := between(ctx, p); err != nil {
			return err
		}
	}
	return p.Wait(ctx)
}

// commitThenAbort pays twice, each time in a transaction of its own: the first one is
// to be committed, the second one to be aborted. It goes on whatever the client says,
// as long as it can begin.
func commitThenAbort(ctx context.Context, s *scenario.Stage) ([]string, error) {
	p, err := s.NewTransactionalProducer("")
	if err != nil {
		return nil, err
	}
	if err := p.Init(ctx); err != nil {
		return nil, err
	}
	for n, end := range []func(context.Context) error{p.Commit, p.Abort} {
		if err := p.Begin(ctx); err != nil {
			return nil, ctx.Err()
		}
		p.Send(ctx, payment(n+1))
		if err := p.Wait(ctx); err != nil {
			return nil, err
		}
		_ = end(ctx) // what it says is in the ledger
	}
	return nil, ctx.Err()
}

// read reads until it has the last payment.
func read(ctx context.Context, s *scenario.Stage) ([]string, error) {
	c, err := s.NewConsumer("")
	if err != nil {
		return nil, err
	}
	if err := c.Subscribe(ctx, payments); err != nil {
		return nil, err
	}
	count := s.Parameters.Messages
	var got []string
	for last := payment(count).ID.String(); !slices.Contains(got, last); {
		records, err := c.Poll(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			id, _ := r.Header(evidence.IDHeader)
			got = append(got, string(id))
		}
	}
	return []string{consumed(got, count)}, nil
}
