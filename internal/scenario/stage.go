package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// Stage is where a variant acts: one client library, settings that lead to the
// proxy, the topics of the trial, and a ledger of everything that is sent. A
// trial makes one for each run; a story uses it from one goroutine.
type Stage struct {
	Driver     drivers.Driver
	Settings   drivers.Settings  // of producers
	Consuming  drivers.Settings  // of consumers
	Topics     map[string]string // role -> real name
	Parameters Parameters
	Ledger     *Ledger
	Watch      Watch
	Wire       Wire

	// Defaults and ConsumingDefaults are those of evidence.Observed, for what a story
	// expects of a client that nothing was set for.
	Defaults          map[string]string
	ConsumingDefaults map[string]string

	// Elapsed is the time since the trial began, for answers that are measured. Pause
	// lets time pass where the story is about that, and returns the error of ctx when
	// it ends first; it is no way to wait for something that can be seen.
	Elapsed func() time.Duration
	Pause   func(context.Context, time.Duration) error

	// Spawn starts a client as a process of its own; nil where a variant does not
	// need that (Variant.Processes).
	Spawn Spawn

	clients     []func() error           // closes, in the order in which they were opened
	made        int                      // producers so far: the next instance number
	heirs       []*TransactionalProducer // that are ready, the newest last
	contestants []*Contestant            // in the order of their start
}

// Watch lets a story wait for what no client tells it. It says when to go on, never
// what came of it: that stands in the evidence.
type Watch interface {
	// Exchange waits until the fate of a request is settled that meets the condition:
	// answered, or its connection has ended. It returns the first one of the trial.
	// meets is called from any goroutine and must not block.
	Exchange(ctx context.Context, meets func(evidence.Exchange) bool) (evidence.Exchange, error)

	// Decided waits until no transaction is open in the trial's topics: the last
	// stable offset of every partition is its end.
	Decided(ctx context.Context) error

	// Standing waits until the partitions of the trial whose last stable offset an open
	// transaction holds meet the condition, and returns them; there may be none.
	Standing(ctx context.Context, meets func([]evidence.Standing) bool) ([]evidence.Standing, error)
}

// Look is Watch.Standing, and notes what it saw for the audit.
func (s *Stage) Look(ctx context.Context, meets func([]evidence.Standing) bool) ([]evidence.Standing, error) {
	standing, err := s.Watch.Standing(ctx, meets)
	s.Ledger.stood(standing)
	return standing, err
}

// Wire lets a story do to one client what no plan of faults can time: end its process,
// or let it stand still. Clients are known by a client.id of their own (OwnClient).
// Each call is a fault of the story: see Variant.Staged.
type Wire interface {
	// Cut ends all connections of the client and lets it open none any more, until
	// Lift. It returns how many there were.
	Cut(clientID string) int

	// Hold keeps back what the client sends, its connections stay up, until Lift. It
	// returns how many there are.
	Hold(clientID string) int

	// Lift undoes either. What was held goes on its way.
	Lift(clientID string)
}

// Answer notes what the story found out. Each question is answered once.
func (s *Stage) Answer(a evidence.Answer) { s.Ledger.answer(a) }

// NewProducer makes the next producer instance, recorded in the ledger. It is
// closed with the stage, or earlier by its own Close. who names it in the
// evidence; empty where a story has only one. own are settings that it has beside
// those of the variant, or instead of them.
func (s *Stage) NewProducer(who string, own ...Setting) (*Producer, error) {
	settings := with(s.Settings, own)
	client, err := s.Driver.NewProducer(settings)
	if err != nil {
		return nil, s.failed(who, "make a producer", err)
	}
	return s.producer(who, client, settings), nil
}

// NewTransactionalProducer makes the next producer instance of the settings'
// transactional.id.
func (s *Stage) NewTransactionalProducer(who string, own ...Setting) (*TransactionalProducer, error) {
	settings := with(s.Settings, own)
	client, err := s.Driver.NewTransactionalProducer(settings)
	if err != nil {
		return nil, s.failed(who, "make a transactional producer", err)
	}
	p := s.producer(who, client, settings)
	return &TransactionalProducer{Producer: p, client: client, id: settings.Config["transactional.id"], own: own}, nil
}

// NewConsumer makes a consumer. It is closed with the stage, or earlier by its
// own Close.
func (s *Stage) NewConsumer(who string, own ...Setting) (*Consumer, error) {
	settings := with(s.Consuming, own)
	client, err := s.Driver.NewConsumer(settings)
	if err != nil {
		return nil, s.failed(who, "make a consumer", err)
	}
	c := &Consumer{stage: s, who: who, client: client, clientID: settings.Config["client.id"]}
	if telling, tells := client.(drivers.Rebalancing); tells && s.Driver.Abilities().Rebalances {
		c.telling = telling
		c.number = s.Ledger.consumer(who, settings.Config["isolation.level"] == "read_uncommitted")
	}
	c.close = s.opened(c.shut)
	return c, nil
}

func (s *Stage) producer(who string, client drivers.Producer, settings drivers.Settings) *Producer {
	s.made++
	p := &Producer{stage: s, who: who, client: client, instance: s.made, noAck: settings.Config["acks"] == "0"}
	p.close = s.opened(func() error {
		err := client.Close()
		if p.dead.Load() {
			return nil // see Crash
		}
		return err
	})
	return p
}

// Setting is a canonical setting of one client in a story.
type Setting struct{ Key, Value string }

// OwnID is a transactional.id beside that of the variant's settings. On a cluster that
// trials share no other trial has it.
func (s *Stage) OwnID(part string) Setting {
	return Setting{"transactional.id", s.Settings.Config["transactional.id"] + "-" + part}
}

// OwnClient is a client.id by which Wire knows one client of the story.
func OwnClient(part string) Setting { return Setting{"client.id", "kcompare-" + part} }

// failed notes an error that a client gave to a part of the story.
func (s *Stage) failed(who, doing string, err error) error {
	s.Ledger.Note(who, err)
	return fmt.Errorf("%s of %s: %w", doing, s.Driver.Client(), err)
}

func with(s drivers.Settings, own []Setting) drivers.Settings {
	s.Config = maps.Clone(s.Config)
	for _, set := range own {
		s.Config[set.Key] = set.Value
	}
	return s
}

// opened sees to it that the client is closed once, with the stage if not before.
func (s *Stage) opened(closeClient func() error) (closeOnce func() error) {
	closeOnce = sync.OnceValue(closeClient)
	s.clients = append(s.clients, closeOnce)
	return closeOnce
}

// Close closes every client that is still open, the last one first, and says
// what the first error was.
func (s *Stage) Close() error {
	var first error
	for _, closeClient := range slices.Backward(s.clients) {
		if err := closeClient(); err != nil && first == nil {
			first = s.failed("", "close a client", err)
		}
	}
	s.clients = nil
	return first
}

// Message is a record as a scenario means it.
type Message struct {
	Topic string // role of the topic
	ID    evidence.RecordID
	Key   []byte
	Value []byte
}

// planned is where a plan of faults has to look for the message.
func (m Message) planned(place partition.Func, partitions int32) fault.Record {
	return fault.Record{Role: m.Topic, Partition: place(m.Key, partitions), Record: m.ID.String()}
}
