package scenario

import (
	"fmt"
	"maps"
	"slices"
	"sync"

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

	clients []func() error           // closes, in the order in which they were opened
	made    int                      // producers so far: the next instance number
	heirs   []*TransactionalProducer // that are ready, the newest last
}

// NewProducer makes the next producer instance, recorded in the ledger. It is
// closed with the stage, or earlier by its own Close. who names it in the
// evidence; empty where a story has only one.
func (s *Stage) NewProducer(who string) (*Producer, error) {
	client, err := s.Driver.NewProducer(clone(s.Settings))
	if err != nil {
		return nil, s.failed(who, "make a producer", err)
	}
	return s.producer(who, client), nil
}

// NewTransactionalProducer makes the next producer instance of the settings'
// transactional.id.
func (s *Stage) NewTransactionalProducer(who string) (*TransactionalProducer, error) {
	client, err := s.Driver.NewTransactionalProducer(clone(s.Settings))
	if err != nil {
		return nil, s.failed(who, "make a transactional producer", err)
	}
	return &TransactionalProducer{Producer: s.producer(who, client), client: client}, nil
}

// NewConsumer makes a consumer. It is closed with the stage, or earlier by its
// own Close.
func (s *Stage) NewConsumer(who string) (*Consumer, error) {
	client, err := s.Driver.NewConsumer(clone(s.Consuming))
	if err != nil {
		return nil, s.failed(who, "make a consumer", err)
	}
	return &Consumer{stage: s, who: who, client: client, close: s.opened(client.Close)}, nil
}

func (s *Stage) producer(who string, client drivers.Producer) *Producer {
	s.made++
	return &Producer{stage: s, who: who, client: client, close: s.opened(client.Close), instance: s.made}
}

// failed notes an error that a client gave to a part of the story.
func (s *Stage) failed(who, doing string, err error) error {
	s.Ledger.Note(who, err)
	return fmt.Errorf("%s of %s: %w", doing, s.Driver.Client(), err)
}

func clone(s drivers.Settings) drivers.Settings {
	s.Config = maps.Clone(s.Config)
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
