package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// Contestant is a client that runs as a process of its own. What it says enters the
// ledger of the stage. Its methods are called from the story's goroutine.
type Contestant struct {
	stage    *Stage
	who      string
	instance int
	id       string // transactional.id
	process  Process

	mu           sync.Mutex
	changed      chan struct{} // closed and made anew with every line
	reports      []func(drivers.Delivery) bool
	reported     int
	transactions []int // numbers in the ledger
	open         bool  // the last of them
	did          map[verb]done
	read         map[int32]bool
	failure      error
}

// done is when a verb was done, and what had been reported by then.
type done struct {
	at       time.Duration
	reported int
	err      string
}

// start starts the next contestant of the story. own are settings beside those of the
// variant, or instead of them.
func (s *Stage) start(ctx context.Context, who string, p script, own ...Setting) (*Contestant, error) {
	s.made++
	producing := with(s.Settings, own).Config
	c := &Contestant{
		stage: s, who: who, instance: s.made, id: producing["transactional.id"],
		changed: make(chan struct{}), did: map[verb]done{}, read: map[int32]bool{},
	}
	t := task{
		Client: s.Driver.Client(), Who: who, Instance: s.made, Script: p, Topics: s.Topics, Producing: producing, OneRecord: s.Settings.OneRecordPerBatch,
	}
	if s.Consuming.Config != nil {
		t.Consuming = with(s.Consuming, own).Config
	}
	line, err := json.Marshal(t)
	if err == nil {
		c.process, err = s.Spawn(ctx, append(line, '\n'), c.hear)
	}
	if err != nil {
		return nil, fmt.Errorf("start %s as a process: %w", who, err)
	}
	s.contestants = append(s.contestants, c)
	s.opened(func() error {
		if !c.gone() {
			_ = c.process.Kill() // it may end by itself meanwhile
		}
		<-c.process.Done()
		return nil
	})
	return c, nil
}

func (c *Contestant) gone() bool {
	select {
	case <-c.process.Done():
		return true
	default:
		return false
	}
}

// hear takes a line of the contestant.
func (c *Contestant) hear(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() {
		close(c.changed)
		c.changed = make(chan struct{})
	}()
	var e event
	err := json.Unmarshal(line, &e)
	if err == nil {
		err = c.take(e)
	}
	if err != nil && c.failure == nil {
		c.failure = fmt.Errorf("understand a line of %s: %w", c.who, err)
	}
}

func (c *Contestant) take(e event) error {
	ledger := c.stage.Ledger
	switch {
	case e.Event == toldProduce && e.Send != nil:
		send := *e.Send
		if send.Transaction > 0 && send.Transaction <= len(c.transactions) {
			send.Transaction = c.transactions[send.Transaction-1]
		}
		c.reports = append(c.reports, ledger.send(c.who, send))
	case e.Event == toldReport && e.N >= 0 && e.N < len(c.reports):
		c.reports[e.N](deliveryOf(e))
		c.reported++
	case e.Event == toldBegin:
		c.transactions, c.open = append(c.transactions, ledger.begin(c.instance)), true
	case e.Event == toldEnd && e.N > 0 && e.N <= len(c.transactions):
		ledger.end(c.transactions[e.N-1], e.Asked, transactionEnd(e.Ended))
		c.open = e.Ended == evidence.TransactionUnknown
	case e.Event == toldError && e.Error != nil:
		ledger.Note(c.who, errorOf(e.Error))
	case e.Event == toldDid:
		c.did[e.Verb] = done{at: c.stage.Elapsed(), reported: c.reported, err: e.Text}
	case e.Event == toldRead:
		c.read[e.Partition] = true
	case e.Event == toldLog:
		if log := c.stage.Settings.Log; log != nil {
			log(c.who + ": " + e.Text)
		}
	case e.Event == toldFailed:
		c.failure = fmt.Errorf("%s could not go on: %s", c.who, e.Text)
	default:
		return fmt.Errorf("event %q does not fit what it said before", e.Event)
	}
	return nil
}

func deliveryOf(e event) drivers.Delivery {
	d := drivers.Delivery{Outcome: drivers.Failed, Partition: e.Partition, Offset: e.Offset}
	if e.Outcome == evidence.OutcomeAcked {
		d.Outcome = drivers.Acked
	}
	if e.Error != nil {
		d.Err = errorOf(e.Error)
	}
	return d
}

func errorOf(e *evidence.ErrorCount) *drivers.Error {
	return &drivers.Error{Call: e.Call, Class: drivers.Class(e.Class), Code: e.Code, Text: e.Text}
}

func transactionEnd(o evidence.TransactionOutcome) drivers.TransactionOutcome {
	switch o {
	case evidence.TransactionCommitted:
		return drivers.Committed
	case evidence.TransactionAborted:
		return drivers.Aborted
	}
	return drivers.TransactionUnknown
}

// fence marks the transaction that it has open, because a newer instance of the same
// transactional.id is ready.
func (c *Contestant) fence() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open {
		c.stage.Ledger.fence(c.transactions[len(c.transactions)-1])
	}
}

// until waits until what the contestant said meets the condition. It is an error if
// it ends before.
func (c *Contestant) until(ctx context.Context, what string, met func() bool) error {
	for {
		c.mu.Lock()
		ok, changed, failure := met(), c.changed, c.failure
		c.mu.Unlock()
		switch {
		case failure != nil:
			return failure
		case ok:
			return nil
		case c.gone():
			return c.endedBefore(what, met)
		}
		select {
		case <-changed:
		case <-c.process.Done(): // after its last line, so that one more look finds everything
		case <-ctx.Done():
			return fmt.Errorf("wait until %s %s: %w", c.who, what, ctx.Err())
		}
	}
}

func (c *Contestant) endedBefore(what string, met func() bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.failure != nil:
		return c.failure
	case met():
		return nil
	}
	return fmt.Errorf("%s ended (%s) before it %s: %s", c.who, c.process.End(), what, strings.TrimSpace(c.process.Complaint()))
}

// Did waits until a verb of its program is done.
func (c *Contestant) Did(ctx context.Context, v verb) (done, error) {
	var it done
	err := c.until(ctx, "did "+string(v), func() (ok bool) {
		it, ok = c.did[v]
		return ok
	})
	return it, err
}

// Read waits until it has read something of so many partitions, and says of which.
func (c *Contestant) Read(ctx context.Context, partitions int) (map[int32]bool, error) {
	var read map[int32]bool
	err := c.until(ctx, fmt.Sprintf("read %d partitions", partitions), func() bool {
		read = maps.Clone(c.read)
		return len(read) >= partitions
	})
	return read, err
}

// Reported is on how many records it has said a report so far.
func (c *Contestant) Reported() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reported
}

// Ended waits until it is gone, and says how it ended.
func (c *Contestant) Ended(ctx context.Context) (string, error) {
	select {
	case <-c.process.Done():
	case <-ctx.Done():
		return "", fmt.Errorf("wait until %s ends: %w", c.who, ctx.Err())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.process.End(), c.failure
}
