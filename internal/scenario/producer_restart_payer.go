package scenario

import (
	"context"
	"sync/atomic"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// restartPayer is the program that writes each payment in a transaction. It ends whenever
// an answer does not come, and the next session goes on.
type restartPayer struct {
	stage     *Stage
	remembers bool // the position is part of each transaction

	producer *TransactionalProducer
	position *Consumer // for the position; nil where there is none
	next     int       // payment
	lost     int64     // number in the trace of the last commit that was not answered
}

func (p *restartPayer) payAll(ctx context.Context) error {
	err := p.begin(ctx)
	for err == nil && p.next < restartPayments(p.stage.Parameters) {
		var lost bool
		if lost, err = p.pay(ctx); lost {
			err = p.restart(ctx)
		}
	}
	return err
}

// begin is the start of a session. InitProducerId ends what an older one has left open;
// only then does the position tell how far that came.
func (p *restartPayer) begin(ctx context.Context) (err error) {
	if p.producer, err = p.stage.NewTransactionalProducer(""); err != nil {
		return err
	}
	if err := p.producer.Init(ctx); err != nil || !p.remembers {
		return err
	}
	if p.position, err = p.stage.NewConsumer(""); err != nil {
		return err
	}
	next, err := p.position.Stored(ctx, p.kept())
	p.next = int(max(next, 0)) // -1: nothing is kept yet
	return err
}

// kept is where the group keeps the position: any partition will do.
func (p *restartPayer) kept() drivers.TopicPartition {
	return drivers.TopicPartition{Topic: p.stage.Topics[payments]}
}

func (p *restartPayer) restart(ctx context.Context) error {
	p.producer.Crash()
	if p.position != nil {
		_ = p.position.Close() // it is gone with the process; what it says is nobody's concern
	}
	return p.begin(ctx)
}

// pay writes the next payment in a transaction; lost says that an answer never came. A
// session without a position takes the payment for unwritten then.
func (p *restartPayer) pay(ctx context.Context) (lost bool, err error) {
	if err := p.producer.Begin(ctx); err != nil {
		return false, err
	}
	if lost, err := p.producer.pays(ctx, payment(p.next)); lost || err != nil {
		return lost, err
	}
	if p.remembers {
		next := drivers.Position{TopicPartition: p.kept(), Offset: int64(p.next + 1)}
		if err := p.producer.SendOffsets(ctx, next, p.position); err != nil {
			return false, err
		}
	}
	if lost, err := p.commit(ctx); lost || err != nil {
		return lost, err
	}
	p.next++
	return false, nil
}

// commitTime is how long the program lets a commit take. A library that cannot give a
// commit up keeps its resources for that long.
const commitTime = 10 * time.Second

func (p *restartPayer) commit(ctx context.Context) (lost bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	var last atomic.Int64
	last.Store(p.lost)
	lost, err = p.producer.UntilLost(ctx, func(e evidence.Exchange) bool {
		return e.API == "EndTxn" && e.N > p.lost && last.CompareAndSwap(p.lost, e.N)
	}, p.producer.Commit)
	p.lost = last.Load()
	return lost, err
}
