package scenario

import (
	"context"
	"sync"
	"sync/atomic"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// Producer sends messages with their identities in two headers and notes every
// report in the ledger. Its methods are called from one goroutine.
type Producer struct {
	stage    *Stage
	who      string
	client   drivers.Producer
	close    func() error
	instance int
	noAck    bool // acks=0
	sent     int

	transaction int  // number of the open one; 0 when there is none
	fenced      bool // a newer instance is ready

	dead        atomic.Bool // its process has ended
	outstanding drivers.Outstanding
	failed      atomic.Int64 // reported as not written, since Failed was asked
}

// Send hands one message to the client and does not wait for its report.
func (p *Producer) Send(ctx context.Context, m Message) {
	id := evidence.SendID{Instance: p.instance, Ordinal: p.sent, Sum: evidence.Checksum(m.Key, m.Value, m.ID)}
	p.sent++
	topic := p.stage.Topics[m.Topic]
	report := p.stage.Ledger.send(p.who, evidence.Send{
		ID: m.ID, Send: id, Key: string(m.Key), Topic: topic, NoAck: p.noAck,
		Transaction: p.transaction, Fenced: p.fenced,
	})
	p.outstanding.Add()
	p.client.Produce(ctx, record(topic, m, id), func(d drivers.Delivery) {
		if p.dead.Load() || !report(d) {
			return
		}
		if d.Outcome == drivers.Failed {
			p.failed.Add(1)
		}
		p.outstanding.Done()
	})
}

func record(topic string, m Message, id evidence.SendID) drivers.Record {
	return drivers.Record{
		Topic: topic, Partition: drivers.AnyPartition, Key: m.Key, Value: m.Value,
		Headers: []drivers.Header{
			{Key: evidence.IDHeader, Value: []byte(m.ID.String())},
			{Key: evidence.SendHeader, Value: []byte(id.String())},
		},
	}
}

// sendInTurn hands each message over when the one before was reported.
func (p *Producer) sendInTurn(ctx context.Context, messages []Message) error {
	for _, m := range messages {
		p.Send(ctx, m)
		if err := p.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Wait returns when every message sent so far has been reported, or with the
// error of ctx when that ends first. It does not flush: a flush would override
// the linger that is being compared.
func (p *Producer) Wait(ctx context.Context) error { return p.outstanding.Wait(ctx) }

// Flush asks the client to send what it holds back, and to wait for all reports. It
// returns the error of ctx when that ends first.
func (p *Producer) Flush(ctx context.Context) error {
	if err := p.client.Flush(ctx); err != nil {
		return p.stage.failed(p.who, "flush", err)
	}
	return p.outstanding.Wait(ctx)
}

// Failed says whether a message was reported as not written since it was asked
// last. Call it after Wait.
func (p *Producer) Failed() bool { return p.failed.Swap(0) > 0 }

// Figures is what the library says of itself now; nothing where it does not tell.
func (p *Producer) Figures(ctx context.Context) (drivers.Figures, error) {
	teller, tells := p.client.(drivers.Teller)
	if !tells {
		return nil, nil
	}
	return teller.Figures(ctx)
}

// Tell asks the library for what it says of itself, and notes it.
func (p *Producer) Tell(ctx context.Context, moment string) error {
	figures, err := p.Figures(ctx)
	if err != nil {
		return p.stage.failed(p.who, "ask a library of itself", err)
	}
	p.stage.Ledger.noteFigures(moment, figures)
	return nil
}

// Close gives the producer up, as the end of its process would: nothing that is
// pending is waited for, and no transaction is ended.
func (p *Producer) Close() error { return p.close() }

// UntilLost makes a call, and gives it up as soon as a fault has struck a request that
// meets the condition, so that its answer never comes. A program cannot know that; the
// story has its process end just then: lost says so, and Crash is to follow. meets is
// called from any goroutine.
func (p *Producer) UntilLost(ctx context.Context, meets func(evidence.Exchange) bool, call func(context.Context) error) (lost bool, err error) {
	calling, stop := context.WithCancel(ctx)
	defer stop()
	var watching sync.WaitGroup
	watching.Go(func() {
		e, err := p.stage.Watch.Exchange(calling, func(e evidence.Exchange) bool { return e.Fault != "" && meets(e) })
		if err == nil && e.Fault != "" {
			p.dead.Store(true)
			stop()
		}
	})
	err = call(calling)
	stop()
	watching.Wait()
	if p.dead.Load() && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}

// Crash ends the producer as the end of its process does: whatever the library says
// from then on reaches nobody, so that the outcome of its records stays unknown. How the
// library itself comes to its end is not the story's concern.
func (p *Producer) Crash() {
	p.dead.Store(true)
	_ = p.close()
}

// ClosePlainly gives the producer up as its library's own close does, which may say
// nothing of what is pending.
func (p *Producer) ClosePlainly() error {
	if plain, ok := p.client.(drivers.PlainCloser); ok {
		return plain.ClosePlainly()
	}
	return p.Close()
}

// TransactionalProducer is a Producer whose messages belong to transactions. A
// record that was reported as not written fails none of its calls: whether a
// program asks for that is its own business.
type TransactionalProducer struct {
	*Producer
	client drivers.TransactionalProducer
	id     string    // transactional.id
	own    []Setting // that it was made with

	ending bool // the end of the open transaction was asked for before anybody fenced it
}

// Init gets the producer ready. From then on every instance of the same
// transactional.id that was ready before it is fenced.
func (p *TransactionalProducer) Init(ctx context.Context) error {
	if err := p.client.Init(ctx); err != nil {
		return p.stage.failed(p.who, "init a transactional producer", err)
	}
	p.stage.ready(p)
	return nil
}

func (s *Stage) ready(p *TransactionalProducer) {
	for _, old := range s.heirs {
		if old.id != p.id {
			continue
		}
		old.fenced = true
		if old.transaction != 0 && !old.ending { // else it may have ended as was asked
			s.Ledger.fence(old.transaction)
		}
	}
	for _, old := range s.contestants {
		if old.id == p.id {
			old.fence()
		}
	}
	s.heirs = append(s.heirs, p)
}

// initialized is a producer that is ready for its first transaction.
func (s *Stage) initialized(ctx context.Context) (*TransactionalProducer, error) {
	p, err := s.NewTransactionalProducer("")
	if err != nil {
		return nil, err
	}
	return p, p.Init(ctx)
}

// Begin starts a transaction.
func (p *TransactionalProducer) Begin(ctx context.Context) error {
	if err := p.client.Begin(ctx); err != nil {
		return p.stage.failed(p.who, "begin a transaction", err)
	}
	p.failed.Store(0)
	p.ending = false
	p.transaction = p.stage.Ledger.begin(p.instance)
	if p.fenced {
		p.stage.Ledger.fence(p.transaction)
	}
	return nil
}

// SendOffsets adds the position of a consumer to the transaction, with what the
// consumer's library now says of its membership.
func (p *TransactionalProducer) SendOffsets(ctx context.Context, next drivers.Position, c *Consumer) error {
	group, err := c.GroupMetadata()
	if err != nil {
		return err
	}
	return p.SendOffsetsOf(ctx, []drivers.Position{next}, group)
}

// SendOffsetsOf adds positions to the transaction, as those of a member that was
// described so.
func (p *TransactionalProducer) SendOffsetsOf(ctx context.Context, next []drivers.Position, group drivers.GroupMetadata) error {
	if err := p.client.SendOffsets(ctx, next, group); err != nil {
		return p.stage.failed(p.who, "send offsets in a transaction", err)
	}
	return nil
}

// Commit asks the client to commit. After an error the transaction is open still,
// as far as the program knows.
func (p *TransactionalProducer) Commit(ctx context.Context) error {
	p.ending = p.ending || !p.fenced
	outcome, err := p.client.Commit(ctx)
	return p.ended(evidence.AskedCommit, outcome, err)
}

// Abort asks the client to abort.
func (p *TransactionalProducer) Abort(ctx context.Context) error {
	p.ending = p.ending || !p.fenced
	outcome, err := p.client.Abort(ctx)
	return p.ended(evidence.AskedAbort, outcome, err)
}

// begins starts a transaction, and waits until its messages are written.
func (p *TransactionalProducer) begins(ctx context.Context, messages ...Message) error {
	if err := p.Begin(ctx); err != nil {
		return err
	}
	for _, m := range messages {
		p.Send(ctx, m)
	}
	return p.Wait(ctx)
}

// commits writes messages in one transaction.
func (p *TransactionalProducer) commits(ctx context.Context, messages ...Message) error {
	if err := p.begins(ctx, messages...); err != nil {
		return err
	}
	return p.Commit(ctx)
}

// Open starts a transaction and returns the producer of it: itself, or a new
// instance if it cannot begin any more.
func (p *TransactionalProducer) Open(ctx context.Context) (*TransactionalProducer, error) {
	if err := p.Begin(ctx); err == nil || ctx.Err() != nil {
		return p, err
	}
	heir, err := p.restart(ctx)
	if err != nil {
		return nil, err
	}
	return heir, heir.Begin(ctx)
}

// GiveUp ends a transaction that could not be ended as it should, and returns the
// producer to go on with: itself, or a new instance if it cannot abort.
func (p *TransactionalProducer) GiveUp(ctx context.Context) (*TransactionalProducer, error) {
	if err := p.Abort(ctx); err == nil || ctx.Err() != nil {
		return p, ctx.Err()
	}
	return p.restart(ctx)
}

// restart puts a new instance in the place of this one. Its Init ends whatever is
// still open.
func (p *TransactionalProducer) restart(ctx context.Context) (*TransactionalProducer, error) {
	if err := p.Close(); err != nil {
		return nil, err
	}
	heir, err := p.stage.NewTransactionalProducer(p.who, p.own...)
	if err != nil {
		return nil, err
	}
	return heir, heir.Init(ctx)
}

func (p *TransactionalProducer) ended(asked evidence.End, outcome drivers.TransactionOutcome, err error) error {
	p.stage.Ledger.end(p.transaction, asked, outcome)
	if err != nil && p.dead.Load() {
		return err // there is nobody any more who could be told
	}
	if err != nil {
		return p.stage.failed(p.who, string(asked)+" a transaction", err)
	}
	p.transaction = 0
	return nil
}
