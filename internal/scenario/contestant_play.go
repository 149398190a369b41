package scenario

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"kcompare/drivers"
)

// Ring is what a contestant's process gives to the program that it plays.
type Ring struct {
	In         io.Reader
	Out        io.Writer
	Driver     func(client string) (drivers.Driver, error)
	Terminated func() <-chan struct{} // from its call on SIGTERM closes the channel, and does not end the process
}

// Contest reads a task from the ring and plays its program. The process has to end
// when it returns, whatever its clients still do.
func Contest(ctx context.Context, r Ring) error {
	in := bufio.NewReader(r.In)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the task of a contestant: %w", err)
	}
	var t task
	if err := json.Unmarshal(line, &t); err != nil {
		return fmt.Errorf("read the task of a contestant: %w", err)
	}
	ctx, orphaned := context.WithCancel(ctx)
	defer orphaned()
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, in)
		orphaned()
	}()
	say := teller(r.Out)
	err = contest(ctx, t, r, say)
	if err != nil {
		say(event{Event: toldFailed, Text: err.Error()})
	}
	return err
}

// contest plays with a client that lives in a process of its own in one that ends with
// this one: whatever ends a contestant closes the stdin of its client's program.
func contest(ctx context.Context, t task, r Ring, say func(event)) error {
	driver, err := r.Driver(t.Client)
	if err != nil {
		return err
	}
	program, is := driver.(drivers.Program)
	if !is {
		return newPlayer(t, r, driver, say).playAll(ctx)
	}
	running, err := program.Start(ctx)
	if err != nil {
		return err
	}
	defer running.Close()
	err = newPlayer(t, r, running, say).playAll(ctx)
	return errors.Join(err, running.Fault())
}

// teller writes events, one at a time. A parent that does not listen any more is
// gone, and the end of stdin says so.
func teller(out io.Writer) func(event) {
	var mu sync.Mutex
	lines := json.NewEncoder(out)
	return func(e event) {
		mu.Lock()
		defer mu.Unlock()
		_ = lines.Encode(e)
	}
}

// player plays a program on a stage whose ledger is told to the parent.
type player struct {
	task
	stage      *Stage
	say        func(event)
	terminated <-chan struct{} // nil without a handler: it never ends a wait

	producer      *Producer
	transactional *TransactionalProducer // producer is its, if it has one
	consumer      *Consumer
}

func newPlayer(t task, r Ring, driver drivers.Driver, say func(event)) *player {
	log := func(line string) { say(event{Event: toldLog, Text: line}) }
	p := &player{task: t, say: say, stage: &Stage{
		Driver: driver, Topics: t.Topics, Ledger: &Ledger{tell: say}, Wire: noWire{}, made: t.Instance - 1,
		Settings:  drivers.Settings{Config: t.Producing, OneRecordPerBatch: t.OneRecord, Log: log},
		Consuming: drivers.Settings{Config: t.Consuming, Log: log},
	}}
	if t.Script.Handles {
		p.terminated = r.Terminated()
	}
	return p
}

// noWire is that of a contestant: whoever has a process to end need not cut anything.
type noWire struct{}

func (noWire) Cut(string) int  { return 0 }
func (noWire) Hold(string) int { return 0 }
func (noWire) Lift(string)     {}

func (p *player) playAll(ctx context.Context) error {
	for _, v := range p.Script.Verbs {
		err := p.play(ctx, v)
		did := event{Event: toldDid, Verb: v}
		if err != nil && v == flush && ctx.Err() == nil { // a program hears of it and goes on to its end
			did.Text, err = err.Error(), nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", v, err)
		}
		p.say(did)
	}
	return nil
}

func (p *player) play(ctx context.Context, v verb) error {
	if err := p.open(v); err != nil {
		return err
	}
	switch v {
	case initID:
		return p.transactional.Init(ctx)
	case begin:
		return p.transactional.Begin(ctx)
	case produce:
		return p.produce(ctx, payment)
	case produceRefunds:
		return p.produce(ctx, refund)
	case reports:
		return p.producer.Wait(ctx)
	case flush:
		return p.flush(ctx)
	case stay:
		return p.awaitTermination(ctx)
	case commitIt:
		return p.transactional.Commit(ctx)
	case abortIt:
		return p.transactional.Abort(ctx)
	case closeIt:
		return p.stage.Close()
	case closePlainly:
		return p.producer.ClosePlainly()
	case listen:
		p.listen(ctx)
		return ctx.Err()
	case subscribe:
		return p.consumer.Subscribe(ctx, payments)
	case poll:
		return p.poll(ctx)
	}
	return fmt.Errorf("no such verb")
}

// open makes the client that the first verbs of a program need.
func (p *player) open(v verb) (err error) {
	switch {
	case v == initID && p.transactional == nil:
		if p.transactional, err = p.stage.NewTransactionalProducer(p.Who); err == nil {
			p.producer = p.transactional.Producer
		}
	case (v == produce || v == produceRefunds) && p.producer == nil:
		p.producer, err = p.stage.NewProducer(p.Who)
	case v == subscribe && p.consumer == nil:
		p.consumer, err = p.stage.NewConsumer(p.Who)
	}
	return err
}

func (p *player) produce(ctx context.Context, message func(n int) Message) error {
	for n := p.Script.From; n < p.Script.To; n++ {
		p.producer.Send(ctx, message(n))
	}
	return ctx.Err()
}

func (p *player) flush(ctx context.Context) error {
	if limit := p.Script.FlushMS; limit > 0 {
		short, cancel := context.WithTimeout(ctx, time.Duration(limit)*time.Millisecond)
		defer cancel()
		ctx = short
	}
	if err := p.producer.client.Flush(ctx); err != nil { // and no more: a library that comes back too early is to be found out
		return p.stage.failed(p.Who, "flush", err)
	}
	return nil
}

func (p *player) listen(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.Script.ListenMS)*time.Millisecond)
	defer cancel()
	_ = p.producer.Wait(ctx) // what does not come by then does not come
}

func (p *player) awaitTermination(ctx context.Context) error {
	select {
	case <-p.terminated:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// poll says once of each partition that something of it was read.
func (p *player) poll(ctx context.Context) error {
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with this poll
		select {
		case <-p.terminated:
			cancel()
		case <-until.Done():
		}
	}()
	read := map[int32]bool{}
	for {
		records, err := p.consumer.Poll(until)
		switch {
		case errors.Is(err, until.Err()) && until.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		}
		for _, r := range records {
			if !read[r.Partition] {
				read[r.Partition] = true
				p.say(event{Event: toldRead, Partition: r.Partition})
			}
		}
	}
}
