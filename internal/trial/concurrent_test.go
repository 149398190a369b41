package trial_test

import (
	"context"
	"testing"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
)

// teller hands its first answer CONCURRENT_TRANSACTIONS on to the program.
type teller struct {
	drivers.TransactionalProducer
	told bool
}

func (p *teller) Commit(ctx context.Context) (drivers.TransactionOutcome, error) {
	if !p.told {
		p.told = true
		return drivers.TransactionUnknown, failure("commit", drivers.Abortable, "CONCURRENT_TRANSACTIONS")
	}
	return p.TransactionalProducer.Commit(ctx)
}

// firstOnly writes only the first record, and says that it wrote all.
type firstOnly struct {
	drivers.TransactionalProducer
	written int
}

func (p *firstOnly) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if p.written++; p.written > 1 {
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
		return
	}
	p.TransactionalProducer.Produce(ctx, r, report)
}

// conspiracy is two producers: the second lets the first commit before it starts.
type conspiracy struct {
	drivers.Driver
	first drivers.TransactionalProducer
}

func (d *conspiracy) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := d.Driver.NewTransactionalProducer(s)
	if err != nil || d.first == nil {
		d.first = p
		return p, err
	}
	return conspirator{p, d.first}, nil
}

type conspirator struct {
	drivers.TransactionalProducer
	first drivers.TransactionalProducer
}

func (p conspirator) Init(ctx context.Context) error {
	if _, err := p.first.Commit(ctx); err != nil {
		return err
	}
	return p.TransactionalProducer.Init(ctx)
}

// TestConcurrentTransactionsAreFoundOut: the claims of concurrent-transactions fail for a
// library that leaves 51 to the program, for one that makes things up, and for one that
// is not fenced.
func TestConcurrentTransactionsAreFoundOut(t *testing.T) {
	telling := func(p drivers.TransactionalProducer) drivers.TransactionalProducer {
		return &teller{TransactionalProducer: p}
	}
	lying := func(p drivers.TransactionalProducer) drivers.TransactionalProducer {
		return &firstOnly{TransactionalProducer: p}
	}
	sure := func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return optimist{p} }
	rdkafka := clients(t)[1]
	const (
		story = "concurrent-transactions"
		told  = "51 reached the program: yes, expected no"
	)
	checkFoundOut(t, []deceived{
		{"it is told", story, "answered=nothing", meddler{transactional: telling}, nil, told},
		{"it is told", story, "answered=AddPartitionsToTxn", meddler{Driver: rdkafka, transactional: telling}, nil, told},
		{"it is told", story, "answered=EndTxn", meddler{transactional: telling}, nil, told},
		{"it is told", story, "answered=InitProducerId", meddler{transactional: telling}, nil, told},
		{"it is told", story, "answered=AddOffsetsToTxn", meddler{Driver: rdkafka, transactional: telling}, nil, told},
		{"it does not write", story, "answered=nothing", meddler{transactional: lying}, []evidence.AnomalyKind{evidence.Lost}, ""},
		{"it does not write", story, "answered=Produce", meddler{transactional: lying}, []evidence.AnomalyKind{evidence.Lost}, ""},
		{"it says that it has committed", story, "answered=EndTxn,times=always", meddler{transactional: sure}, nil, "committed is 1, expected to equal 0"},
		{"the old instance commits", story, "init=over-open", meddler{Driver: &conspiracy{Driver: franz.New()}}, []evidence.AnomalyKind{evidence.FencedWriteVisible}, ""},
	})
}
