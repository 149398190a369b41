package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// Stage is where a variant acts: one client library, settings that lead to the
// proxy, the topics of the trial, and a ledger of everything that is sent. A
// trial makes one for each run.
type Stage struct {
	Driver     drivers.Driver
	Settings   drivers.Settings
	Topics     map[string]string // role -> real name
	Parameters Parameters
	Ledger     *Ledger

	mu      sync.Mutex
	clients []func() error // closes, in the order in which they were opened
	made    int            // producers so far: the next instance number
}

// NewProducer makes the next producer instance, recorded in the ledger. It is
// closed with the stage.
func (s *Stage) NewProducer() (*Producer, error) {
	p, err := s.Driver.NewProducer(s.settings())
	if err != nil {
		return nil, fmt.Errorf("make a producer of %s: %w", s.Driver.Client(), err)
	}
	return &Producer{stage: s, client: p, instance: s.opened(p.Close)}, nil
}

func (s *Stage) settings() drivers.Settings {
	own := s.Settings
	own.Config = maps.Clone(own.Config)
	return own
}

func (s *Stage) opened(closeClient func() error) (instance int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients = append(s.clients, closeClient)
	s.made++
	return s.made
}

// Close closes every client that was opened, the last one first, and says what
// the first error was.
func (s *Stage) Close() error {
	s.mu.Lock()
	clients := s.clients
	s.clients = nil
	s.mu.Unlock()
	var first error
	for _, closeClient := range slices.Backward(clients) {
		if err := closeClient(); err != nil && first == nil {
			first = fmt.Errorf("close a client of %s: %w", s.Driver.Client(), err)
		}
	}
	return first
}

// Message is a record as a scenario means it.
type Message struct {
	ID    evidence.RecordID // its role names the topic
	Key   []byte
	Value []byte
}

// Producer sends messages with their identities in two headers and notes every
// report in the ledger. Its methods are called from one goroutine.
type Producer struct {
	stage    *Stage
	client   drivers.Producer
	instance int
	sent     int

	outstanding drivers.Outstanding
}

// Send hands one message to the client and does not wait for its report.
func (p *Producer) Send(ctx context.Context, m Message) {
	id := evidence.SendID{Instance: p.instance, Ordinal: p.sent, Sum: evidence.Checksum(m.Key, m.Value, m.ID)}
	p.sent++
	topic := p.stage.Topics[m.ID.Role]
	report := p.stage.Ledger.send(evidence.Send{
		ID: m.ID, Send: id, Key: string(m.Key), Topic: topic, NoAck: p.stage.Settings.Config["acks"] == "0",
	})
	p.outstanding.Add()
	p.client.Produce(ctx, record(topic, m, id), func(d drivers.Delivery) {
		if report(d) {
			p.outstanding.Done()
		}
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

// Wait returns when every message sent so far has been reported, or with the
// error of ctx when that ends first. It does not flush: a flush would override
// the linger that is being compared.
func (p *Producer) Wait(ctx context.Context) error { return p.outstanding.Wait(ctx) }
