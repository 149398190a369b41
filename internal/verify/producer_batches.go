package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/broker"
)

// This file has the experiments about how records are packed.

const (
	usualBatch   = 1_000_000 // bytes, of both libraries: kgo has 12 more
	usualRecords = 10_000    // librdkafka's batch.num.messages
	mostBytes    = 4_000_000 // of a batch or record; more would take too long to write
)

// batchBytes is the least of the limits that the settings have, or of the libraries.
func batchBytes(s Settings) int {
	return int(min(s.Number("batch.size", usualBatch), s.Number("message.max.bytes", usualBatch)))
}

func tooLarge(s Settings) string {
	for _, key := range []string{"batch.size", "message.max.bytes"} {
		if s.Number(key, 0) > mostBytes {
			return because(s, key, fmt.Sprintf("no more than %d bytes are written at once here", mostBytes)).Not
		}
	}
	return ""
}

// warmTopic is written to before a client is held back: kgo takes the overhead of a
// record for larger than it is until it knows the broker's version of Produce
// (kgo/sink.go, recBuf.bufferRecord).
const warmTopic = "kcompare-verify-warm"

func heldTopics() []broker.Topic {
	return append(onePartition(), broker.Topic{Name: warmTopic, Partitions: 1})
}

// warmProducer is one that has written already, elsewhere.
func (s *Stand) warmProducer(ctx context.Context) (*Producer, error) {
	p, err := s.Producer(ctx)
	if err != nil {
		return nil, err
	}
	return p, p.Write(ctx, drivers.Record{Topic: warmTopic, Value: []byte("a")})
}

// sendHeld hands records over while nothing leaves the client, so that it packs them
// as full as it may, whatever linger.ms is: it does not know yet where the topic is.
func sendHeld(ctx context.Context, s *Stand, records int, record func(n int) drivers.Record) error {
	p, err := s.warmProducer(ctx)
	if err != nil {
		return err
	}
	lift, err := s.Hold()
	if err != nil {
		return err
	}
	for n := range records {
		p.Send(ctx, record(n))
	}
	lift()
	if err := p.Flush(ctx); err != nil {
		return err
	}
	return p.Commit(ctx)
}

// roomFor is why the client cannot hold so many records of so many bytes.
func roomFor(s Settings, records, bytes int) string {
	switch {
	case s.Has("queue.buffering.max.messages") && s.Number("queue.buffering.max.messages", 0) < float64(records):
		return because(s, "queue.buffering.max.messages", fmt.Sprintf("%d records have to wait at once", records)).Not
	case s.Has("queue.buffering.max.kbytes") && s.Number("queue.buffering.max.kbytes", 0)*1024 < float64(records*bytes):
		return because(s, "queue.buffering.max.kbytes", fmt.Sprintf("%d bytes have to wait at once", records*bytes)).Not
	}
	return ""
}

// bulk is two and a half times the largest batch, at once.
func bulk() Experiment {
	size := func(s Settings) (records, bytes int) {
		bytes = min(max(batchBytes(s)/60, 10), 1000)
		return batchBytes(s) * 5 / 2 / bytes, bytes
	}
	return Experiment{
		Name: "bulk", Roles: ofProducers, About: "more records wait than fit into one batch, of bytes that cannot be compressed",
		Topics: heldTopics(),
		Wants: func(s Settings) string {
			if why := tooLarge(s); why != "" {
				return why
			}
			return roomFor(s, first(size(s)), second(size(s)))
		},
		Play: func(ctx context.Context, s *Stand) error {
			records, bytes := size(s.Settings)
			values := noise(records * bytes)
			return sendHeld(ctx, s, records, func(n int) drivers.Record {
				return drivers.Record{Topic: onlyTopic, Value: values[n*bytes : (n+1)*bytes]}
			})
		},
		Sights: []Sight{{Key: "batch.size", Timed: true, Alike: near(0.04, 200), See: func(s Seen) Observation {
			records, bytes := size(s.Settings)
			if most := int(s.Settings.Number("batch.num.messages", usualRecords)); most < records && most*bytes < batchBytes(s.Settings) {
				return because(s.Settings, "batch.num.messages", "a batch is full before it is large")
			}
			most := 0
			for _, e := range writes(s.Trace) {
				most = max(most, e.RequestBytes)
			}
			return counted(most, "largest request: %d B")
		}}},
	}
}

func first(a, _ int) int  { return a }
func second(_, b int) int { return b }

// many is more small records than fit into one batch by their number.
func many() Experiment {
	const bytes, overhead = 1, 10
	limit := func(s Settings) int { return int(s.Number("batch.num.messages", usualRecords)) }
	return Experiment{
		Name: "many", Roles: ofProducers, About: "more records of one byte wait than batch.num.messages",
		Topics: heldTopics(),
		Wants: func(s Settings) string {
			if limit(s) > 5*usualRecords {
				return because(s, "batch.num.messages", "so many records are not written here").Not
			}
			if batchBytes(s) < limit(s)*(bytes+overhead) {
				return "because of batch.size or message.max.bytes: a batch is large before it has so many records"
			}
			return roomFor(s, limit(s)*11/10, bytes)
		},
		Play: func(ctx context.Context, s *Stand) error {
			return sendHeld(ctx, s, limit(s.Settings)*11/10+1, func(int) drivers.Record { return drivers.Record{Topic: onlyTopic, Value: []byte("a")} })
		},
		Sights: []Sight{{Key: "batch.num.messages", Timed: true, See: func(s Seen) Observation {
			most := 0
			for _, e := range writes(s.Trace) {
				most = max(most, int(e.Batches[0].Records))
			}
			return counted(most, "records in the largest batch: %d")
		}}},
	}
}

// largest looks for the largest record that the client sends.
func largest() Experiment {
	const exact = 8 // bytes
	return Experiment{
		Name: "largest", Roles: ofProducers, About: "records of many sizes, of which the client refuses those that are too large",
		Topics: onePartition(), Wants: tooLarge,
		Play: func(ctx context.Context, s *Stand) error {
			p, err := s.Producer(ctx)
			if err != nil {
				return err
			}
			fits, not := 0, 2*int(s.Settings.Number("message.max.bytes", usualBatch))
			value := noise(not)
			for not-fits > exact {
				size := (fits + not) / 2
				n := p.Send(ctx, drivers.Record{Topic: onlyTopic, Value: value[:size]})
				if err := p.Flush(ctx); err != nil {
					return err
				}
				if s.Sent(n).Failed == "" {
					fits = size
				} else {
					not = size
				}
			}
			s.Note("largest", counted(fits, "largest record: %d B"))
			return nil
		},
		Sights: []Sight{{Key: "message.max.bytes", See: noted("largest"), Alike: near(0, 100)}},
	}
}

// compressed is one record that every codec makes shorter, and the better ones more.
func compressed() Experiment {
	const bytes = 60_000
	return Experiment{
		Name: "compressed", Roles: ofProducers, About: "one record of text, compressed",
		Topics: onePartition(),
		Wants: func(s Settings) string {
			switch {
			case s["compression.type"] == "" || strings.EqualFold(s["compression.type"], "none"):
				return "because of compression.type: nothing is compressed"
			case batchBytes(s) < 2*bytes:
				return "because of batch.size or message.max.bytes: the record is too large"
			}
			return ""
		},
		Play: func(ctx context.Context, s *Stand) error {
			p, err := s.Producer(ctx)
			if err != nil {
				return err
			}
			return p.Write(ctx, drivers.Record{Topic: onlyTopic, Value: prose(bytes)})
		},
		Sights: []Sight{{
			Key: "compression.level", Alike: near(0, 8), Within: "each library has an encoder of its own, and the same level gives other sizes",
			See: func(s Seen) Observation {
				for _, e := range writes(s.Trace) {
					return counted(e.RequestBytes, "60000 B become %d B")
				}
				return unseen("no Produce was sent")
			},
		}},
	}
}

// prose is words in an order that the same numbers give in every run.
func prose(bytes int) []byte {
	words := strings.Fields("order payment customer total quantity price delivered returned the of a with pending invoice account 17 42 1999 shop till")
	dice := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < bytes {
		b.WriteString(words[dice.IntN(len(words))])
		b.WriteByte(' ')
	}
	return []byte(b.String()[:bytes])
}

// lateFirst sends records that have waited together, and looks at their order. They wait
// for a connection, not for metadata as in sendHeld: from there librdkafka moves records
// to their partition one by one, and on a busy machine each is sent before the next.
func lateFirst() Experiment {
	const records = 10
	return Experiment{
		Name: "order", Roles: ofProducers, About: "records that waited together, in the order in which they stand in the log",
		Topics: onePartition(), Wants: noAnswers,
		Play: func(ctx context.Context, s *Stand) error {
			if err := sendDisconnected(ctx, s, records); err != nil {
				return err
			}
			log, err := s.Reader.ReadLog(ctx, []string{onlyTopic}, nil)
			if err != nil {
				return err
			}
			var keys []string // without that of the record that went first
			for _, b := range log.Partitions[0].Batches {
				for _, r := range b.Records {
					keys = append(keys, r.Key)
				}
			}
			s.Note("order", saw("log has "+strings.Join(keys[1:], " ")))
			return nil
		},
		Sights: []Sight{{Key: "queuing.strategy", Timed: true, See: noted("order")}},
	}
}

// sendDisconnected hands records over while the client has no connection. One went
// before them, so that it knows where the topic is.
func sendDisconnected(ctx context.Context, s *Stand, records int) error {
	p, err := s.Producer(ctx)
	if err != nil {
		return err
	}
	if err := p.Write(ctx, drivers.Record{Topic: onlyTopic, Value: []byte("a")}); err != nil {
		return err
	}
	lift, err := s.Disconnect()
	if err != nil {
		return err
	}
	for n := range records {
		p.Send(ctx, drivers.Record{Topic: onlyTopic, Key: fmt.Append(nil, n), Value: []byte("a")})
	}
	lift()
	if err := p.Flush(ctx); err != nil {
		return err
	}
	return p.Commit(ctx)
}
