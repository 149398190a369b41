package scenario

import (
	"context"
	"fmt"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/partition"
)

// RawProducer sends batches that a story made by hand, and notes their messages in
// the ledger: a message that it sends is one act of sending, in however many batches
// it goes out. Its methods are called from one goroutine.
type RawProducer struct {
	stage    *Stage
	who      string
	client   drivers.Raw
	instance int
	place    partition.Func
	acts     map[evidence.RecordID]*sendingAct
	order    []*sendingAct
}

// sendingAct is one act of sending, and what was said of it so far.
type sendingAct struct {
	record   drivers.Record
	report   func(drivers.Delivery) bool
	accepted bool
	refused  string // the last code
}

// NewRawProducer makes a client for batches made by hand, with the settings of
// producers. It is closed with the stage.
func (s *Stage) NewRawProducer(who string) (*RawProducer, error) {
	driver, can := s.Driver.(drivers.RawDriver)
	if !can {
		return nil, fmt.Errorf("make a producer of raw batches: %s has no way to send one", s.Driver.Client())
	}
	place, err := partition.ByName(s.Settings.Config["partitioner"])
	if err != nil {
		return nil, fmt.Errorf("make a producer of raw batches: %w", err)
	}
	client, err := driver.NewRaw(s.Settings)
	if err != nil {
		return nil, s.failed(who, "make a producer of raw batches", err)
	}
	s.opened(client.Close)
	s.made++
	return &RawProducer{stage: s, who: who, client: client, instance: s.made, place: place, acts: map[evidence.RecordID]*sendingAct{}}, nil
}

// Init asks for a producer id; see drivers.Raw.
func (p *RawProducer) Init(ctx context.Context, transactionalID string) (drivers.ProducerID, error) {
	id, err := p.client.Init(ctx, transactionalID)
	if err != nil {
		return id, p.stage.failed(p.who, "ask for a producer id", err)
	}
	return id, nil
}

// Send sends the messages in one batch to the partition of the first one's key, with
// the numbers that b has, and returns what the broker said. Where no answer comes it
// sends the batch again, as it is, until ctx ends.
func (p *RawProducer) Send(ctx context.Context, b drivers.RawBatch, partitions int32, messages ...Message) (drivers.RawAnswer, error) {
	first := messages[0]
	b.TopicPartition = drivers.TopicPartition{Topic: p.stage.Topics[first.Topic], Partition: p.place(first.Key, partitions)}
	var acts []*sendingAct
	for _, m := range messages {
		acts = append(acts, p.act(m, b.Acks == 0))
	}
	for _, a := range acts {
		b.Records = append(b.Records, a.record)
	}
	answer, err := p.untilAnswered(ctx, b)
	if err != nil {
		return answer, err
	}
	for i, a := range acts {
		a.said(b, answer, int64(i))
	}
	return answer, nil
}

// act is the one of a message, noted when it is sent for the first time.
func (p *RawProducer) act(m Message, noAck bool) *sendingAct {
	if known := p.acts[m.ID]; known != nil {
		return known
	}
	id := evidence.SendID{Instance: p.instance, Ordinal: len(p.order), Sum: evidence.Checksum(m.Key, m.Value, m.ID)}
	topic := p.stage.Topics[m.Topic]
	a := &sendingAct{record: record(topic, m, id), report: p.stage.Ledger.send(p.who, evidence.Send{
		ID: m.ID, Send: id, Key: string(m.Key), Topic: topic, NoAck: noAck,
	})}
	p.acts[m.ID], p.order = a, append(p.order, a)
	return a
}

// said reports the first success. A refusal is not the last word while the story may
// send the message again.
func (a *sendingAct) said(b drivers.RawBatch, answer drivers.RawAnswer, i int64) {
	switch {
	case a.accepted:
	case answer.Code != "":
		a.refused = answer.Code
	default:
		a.accepted = true
		d := drivers.Delivery{Outcome: drivers.Acked, Partition: b.Partition, Offset: drivers.NoOffset}
		if answer.Offset != drivers.NoOffset {
			d.Offset = answer.Offset + i
		}
		a.report(d)
	}
}

// Done reports what was refused and never accepted. Call it when nothing is sent any
// more.
func (p *RawProducer) Done() {
	for _, a := range p.order {
		if !a.accepted && a.refused != "" {
			a.report(drivers.Delivery{Outcome: drivers.Failed, Partition: drivers.AnyPartition, Offset: drivers.NoOffset, Err: &drivers.Error{
				Call: "produce", Class: drivers.Application, Code: a.refused, Text: "the broker refused a batch made by hand",
			}})
		}
	}
}

// rawBackoff is how long a story waits before it sends an unanswered batch again.
const rawBackoff = 20 * time.Millisecond

// untilAnswered also goes on where a node answers that it leads the partition no more,
// or not yet.
func (p *RawProducer) untilAnswered(ctx context.Context, b drivers.RawBatch) (drivers.RawAnswer, error) {
	for {
		answer, err := p.client.Produce(ctx, b)
		if err == nil && answer.Code != notLeader.name {
			return answer, nil
		}
		if err != nil {
			p.stage.Ledger.Note(p.who, err)
		}
		if class := drivers.ClassOf(err); err != nil && class != drivers.Retriable && class != drivers.UnknownOutcome {
			return answer, fmt.Errorf("send a batch made by hand: %w", err)
		}
		if err := p.stage.Pause(ctx, rawBackoff); err != nil {
			return answer, fmt.Errorf("send a batch made by hand: %w", err)
		}
	}
}
