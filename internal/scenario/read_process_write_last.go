package scenario

import (
	"context"
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// This file has the variant of read-process-write in which a program takes an offset
// for the last one that it has read, and not for the next to read.

func lastForNext() Variant {
	v := processorVariant("offset=last", true)
	v.Kind, v.Repeats = evidence.Control, true
	v.Claim = "the last offset in place of the next: every call succeeds, and the last order is processed twice"
	v.Checks = []evidence.Check{check(evidence.InputsTwice, "==", 1), check(evidence.InputsSkipped, "==", 0)}
	v.Allowed = append(v.Allowed, evidence.InputReprocessed)
	v.About = func(Parameters) string {
		return fmt.Sprintf("%d orders, a transaction each, with the order's own offset; when all are done the program is started again.", autoOrders)
	}
	v.Plan, v.Inputs, v.Run = noFaults, waitingOrders, processTwice
	v.Records = autoCommitRecords
	v.Outputs = []string{processedOrders}
	return v
}

// lastProcessor commits the output and the offset of each order together, the wrong
// offset.
type lastProcessor struct {
	life
	producer *TransactionalProducer
}

func startLast(ctx context.Context, s *Stage, l life) (processor, error) {
	p, err := s.NewTransactionalProducer(l.who)
	if err != nil {
		return nil, err
	}
	return &lastProcessor{life: l, producer: p}, p.Init(ctx)
}

func (p *lastProcessor) Close() error { return p.producer.Close() }

func (p *lastProcessor) process(ctx context.Context, r drivers.Record) (next int64, err error) {
	next = r.Offset + 1
	outputs, err := processOrder(r)
	if err != nil {
		return next, err
	}
	if err := p.producer.Begin(ctx); err != nil {
		return next, err
	}
	if err := p.producer.write(ctx, outputs[:1]); err != nil {
		return next, err
	}
	last := drivers.Position{TopicPartition: partitionOf(r), Offset: r.Offset}
	if err := p.producer.SendOffsets(ctx, last, p.consumer); err != nil {
		return next, err
	}
	return next, p.producer.Commit(ctx)
}

// processTwice starts the program again when it has come to its end.
func processTwice(ctx context.Context, s *Stage) error {
	for _, who := range []string{firstLife, secondLife} {
		consumer, err := s.NewConsumer(who)
		if err != nil {
			return err
		}
		p, err := startLast(ctx, s, life{who: who, consumer: consumer, crashAt: noCrash})
		if err != nil {
			return err
		}
		if err := consumer.Subscribe(ctx, orders); err != nil {
			return err
		}
		if err := readOn(ctx, consumer, p, autoOrders); err != nil {
			return err
		}
		if err := s.answerCommitted(ctx, who, consumer); err != nil {
			return err
		}
		if err := consumer.Close(); err != nil {
			return err
		}
		if err := p.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stage) answerCommitted(ctx context.Context, who string, c *Consumer) error {
	committed, err := c.Stored(ctx, drivers.TopicPartition{Topic: s.Topics[orders]})
	s.Answer(evidence.Answer{
		Question: "committed offset, " + who, Answer: fmt.Sprint(committed), Expected: fmt.Sprint(autoOrders - 1),
	})
	return err
}
