package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// A client's program as a Player.

// Program plays with a client's program, in one process for all turns. A process that
// broke is replaced by another one at the next Ready.
func Program(p drivers.Program) func(context.Context) (Player, error) {
	return func(ctx context.Context) (Player, error) {
		running, err := p.Start(ctx)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", p.Client(), err)
		}
		return &program{of: p, running: running}, nil
	}
}

// program is a Player.
type program struct {
	of      drivers.Program
	running drivers.Running
	stage   Stage
	writes  drivers.Producer // of the stage; nil where the work has none
}

func (p *program) About() About {
	about := About{Library: p.running.Library(), Can: p.running.Abilities()}
	if speaks, is := p.running.(drivers.Speaking); is {
		about.Language = speaks.Language()
	}
	return about
}

func (p *program) Process() int { return p.running.Process() }

func (p *program) Close() { p.running.Close() }

// errNoBulk says that a program tells of an ability that its clients do not have.
var errNoBulk = errors.New("the program says that it does bulks, and its client does not")

// rest closes the clients that there are.
func (p *program) rest() error {
	if p.writes == nil {
		return nil
	}
	err := p.writes.Close()
	p.writes = nil
	return err
}

// Ready makes the clients of a stage; see Player.
func (p *program) Ready(ctx context.Context, s Stage) error {
	if err := p.again(ctx); err != nil {
		return err
	}
	p.stage = s
	switch s.Work {
	case evidence.BenchConsume:
		return nil // a consumer is made for each turn
	case evidence.BenchTransactions, evidence.BenchRPW:
		return p.readyTransactional(ctx)
	}
	producer, err := p.running.NewProducer(s.settings(drivers.RoleProducer))
	if err != nil {
		return err
	}
	p.writes = producer
	return p.warm(ctx, 0)
}

// again closes what is there, and starts another process where this one broke.
func (p *program) again(ctx context.Context) error {
	err := p.rest()
	if p.running.Fault() == nil {
		return err
	}
	p.running.Close()
	running, err := p.of.Start(ctx)
	if err != nil {
		return fmt.Errorf("start %s again: %w", p.of.Client(), err)
	}
	p.running = running
	return nil
}

func (p *program) readyTransactional(ctx context.Context) error {
	producer, err := p.running.NewTransactionalProducer(p.stage.settings(drivers.RoleTransactionalProducer))
	if err != nil {
		return err
	}
	p.writes = producer
	if err := producer.Init(ctx); err != nil {
		return err
	}
	return p.warm(ctx, 1)
}

// warm writes one record to each partition, so that every leader is connected to.
func (p *program) warm(ctx context.Context, transaction int64) error {
	for partition := range p.stage.Load.Partitions {
		b := drivers.Bulk{Topic: p.stage.Warm, Partition: partition, Count: 1, Transaction: transaction}
		if _, err := p.produce(ctx, b); err != nil {
			return fmt.Errorf("before the turn: %w", err)
		}
	}
	return nil
}

// produce is an error if a record failed.
func (p *program) produce(ctx context.Context, b drivers.Bulk) (drivers.Produced, error) {
	bulk, is := p.writes.(drivers.BulkProducer)
	if !is {
		return drivers.Produced{}, errNoBulk
	}
	failed := &failures{}
	produced, err := bulk.ProduceMany(ctx, b, failed.note)
	if err == nil {
		err = failed.err()
	}
	return produced, p.orFault(err)
}

// orFault is what the program itself did wrong, where it did.
func (p *program) orFault(err error) error {
	if fault := p.running.Fault(); fault != nil {
		return fault
	}
	return err
}

// Play plays one turn; see Player.
func (p *program) Play(ctx context.Context, t Turn) (Played, error) {
	switch p.stage.Work {
	case evidence.BenchConsume:
		return p.consume(ctx, t)
	case evidence.BenchRPW:
		return p.process(ctx, t)
	}
	b := drivers.Bulk{
		Topic: t.Topic, Partition: drivers.AnyPartition, Count: t.Load.Records, Keys: t.Load.Keys, ValueBytes: t.Load.RecordBytes,
	}
	switch p.stage.Work {
	case evidence.BenchLatency:
		b.Rate = t.Load.Rate
	case evidence.BenchTransactions:
		b.Transaction = t.Load.Transaction
	}
	produced, err := p.produce(ctx, b)
	played := Played{Elapsed: produced.Elapsed, Latencies: produced.Latencies, Allocated: produced.Allocated}
	if b.Transaction > 0 {
		played.Transactions = int64(len(produced.Latencies))
	}
	return played, err
}

// consume reads all partitions from their start. Its time begins before the partitions
// are assigned, because a library may fetch from then on, and ends with the answer.
func (p *program) consume(ctx context.Context, t Turn) (played Played, err error) {
	c, err := p.running.NewConsumer(p.stage.settings(drivers.RoleConsumer))
	if err != nil {
		return Played{}, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	bulk, is := c.(drivers.BulkConsumer)
	if !is {
		return Played{}, errNoBulk
	}
	var from []drivers.Position
	for partition := range t.Load.Partitions {
		from = append(from, drivers.Position{TopicPartition: drivers.TopicPartition{Topic: t.Topic, Partition: partition}, Offset: drivers.OffsetStart})
	}
	var began time.Time
	if t.Now != nil {
		began = t.Now()
	}
	if err := c.Assign(ctx, from); err != nil {
		return Played{}, p.orFault(err)
	}
	got, err := bulk.ConsumeMany(ctx, t.Load.Records)
	if t.Now != nil {
		got.Elapsed = t.Now().Sub(began)
	}
	return Played{Elapsed: got.Elapsed, Runs: got.Runs, Allocated: got.Allocated}, p.orFault(err)
}

// process has a consumer of its own for each turn, which leaves its group at the end.
func (p *program) process(ctx context.Context, t Turn) (played Played, err error) {
	bulk, is := p.writes.(drivers.BulkProcessor)
	if !is {
		return Played{}, errNoBulk
	}
	c, err := p.running.NewConsumer(p.stage.settings(drivers.RoleConsumer))
	if err != nil {
		return Played{}, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Subscribe(ctx, []string{t.Topic}); err != nil {
		return Played{}, p.orFault(err)
	}
	done, err := bulk.ProcessMany(ctx, drivers.Processing{Consumer: c, Topic: t.Out, Count: t.Load.Records, Transaction: t.Load.Transaction})
	return Played{
		Elapsed: done.Elapsed, Latencies: done.Latencies, Allocated: done.Allocated, Transactions: int64(len(done.Latencies)),
	}, p.orFault(err)
}

// Differences is what a client in that role can only approximate; see Player.
func (p *program) Differences(role drivers.Role, s drivers.Settings) ([]string, error) {
	return p.running.Differences(role, s)
}
