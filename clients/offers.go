package clients

import (
	"context"

	"kcompare/drivers"
)

// What a program offers beside the driver contract, by its abilities. Whoever asks
// whether a client is a drivers.Storing must get the answer no where the program cannot.

type plainCloser struct{ p *producer }

// ClosePlainly is drivers.PlainCloser.
func (o plainCloser) ClosePlainly() error { return o.p.shut(true, nil) }

type bulkProducer struct{ p *producer }

// ProduceMany is drivers.BulkProducer.
func (o bulkProducer) ProduceMany(ctx context.Context, b drivers.Bulk, report func(drivers.Reported)) (drivers.Produced, error) {
	return o.p.produceMany(ctx, b, report)
}

type bulkTransactions struct {
	bulkProducer
	t *transactional
}

// ProcessMany is drivers.BulkProcessor.
func (o bulkTransactions) ProcessMany(ctx context.Context, p drivers.Processing) (drivers.Processed, error) {
	return o.t.processMany(ctx, p)
}

// producing is the producer with what the program offers.
func (r *running) producing(p *producer) drivers.Producer {
	plain, many := plainCloser{p}, bulkProducer{p}
	switch {
	case r.has(plainClose) && r.has(manyRecords):
		return struct {
			*producer
			plainCloser
			bulkProducer
		}{p, plain, many}
	case r.has(plainClose):
		return struct {
			*producer
			plainCloser
		}{p, plain}
	case r.has(manyRecords):
		return struct {
			*producer
			bulkProducer
		}{p, many}
	}
	return p
}

// transacting is the transactional producer with what the program offers.
func (r *running) transacting(t *transactional) drivers.TransactionalProducer {
	plain, many := plainCloser{t.producer}, bulkTransactions{bulkProducer{t.producer}, t}
	switch {
	case r.has(plainClose) && r.has(manyTransact):
		return struct {
			*transactional
			plainCloser
			bulkTransactions
		}{t, plain, many}
	case r.has(plainClose):
		return struct {
			*transactional
			plainCloser
		}{t, plain}
	case r.has(manyTransact):
		return struct {
			*transactional
			bulkTransactions
		}{t, many}
	}
	return t
}

type telling struct{ c *consumer }

// Rebalances is drivers.Rebalancing.
func (o telling) Rebalances() []drivers.Rebalance {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	changes := o.c.changes
	o.c.changes = nil
	return changes
}

type storing struct{ c *consumer }

// Store is drivers.Storing.
func (o storing) Store(next []drivers.Position) error {
	return o.c.ask(&request{Verb: "store", Next: toPositions(next)}, nil)
}

type bulkConsumer struct{ c *consumer }

// ConsumeMany is drivers.BulkConsumer.
func (o bulkConsumer) ConsumeMany(ctx context.Context, count int64) (drivers.Consumed, error) {
	return o.c.consumeMany(ctx, count)
}

// consuming is the consumer with what the program offers.
func (r *running) consuming(c *consumer) drivers.Consumer {
	tells, keeps, many := telling{c}, storing{c}, bulkConsumer{c}
	switch [3]bool{r.has(rebalances), r.has(store), r.has(manyRecords)} {
	case [3]bool{true, true, true}:
		return struct {
			*consumer
			telling
			storing
			bulkConsumer
		}{c, tells, keeps, many}
	case [3]bool{true, true, false}:
		return struct {
			*consumer
			telling
			storing
		}{c, tells, keeps}
	case [3]bool{true, false, true}:
		return struct {
			*consumer
			telling
			bulkConsumer
		}{c, tells, many}
	case [3]bool{true, false, false}:
		return struct {
			*consumer
			telling
		}{c, tells}
	case [3]bool{false, true, true}:
		return struct {
			*consumer
			storing
			bulkConsumer
		}{c, keeps, many}
	case [3]bool{false, true, false}:
		return struct {
			*consumer
			storing
		}{c, keeps}
	case [3]bool{false, false, true}:
		return struct {
			*consumer
			bulkConsumer
		}{c, many}
	}
	return c
}
