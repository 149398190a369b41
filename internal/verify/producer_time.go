package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// This file has the experiments about when a request is sent, and how many at a time.

// usualLinger is the greater of the libraries' defaults, that of kgo.
const usualLinger = 10 * time.Millisecond

func linger(s Settings) time.Duration { return s.Millis("linger.ms", usualLinger) }

// lingering measures how long a record waits in the client for others: the least of
// several times, as a busy machine only adds to it.
func lingering() Experiment {
	return Experiment{
		Name: "lingering", Roles: ofProducers, About: "single records, each after the request of the one before it",
		Takes: linger, Topics: onePartition(),
		Play: func(ctx context.Context, s *Stand) error {
			p, err := s.Producer(ctx)
			if err != nil {
				return err
			}
			samples := int(min(max(800*time.Millisecond/max(linger(s.Settings), time.Millisecond), 2), 25))
			for n := range samples + 1 { // the first one waits for connection and topic as well
				p.Send(ctx, drivers.Record{Topic: onlyTopic, Value: []byte("a")})
				err := s.Await(ctx, "the request of a record that lingers", func(trace []evidence.Exchange) bool {
					return produced(n+1)(trace) || s.failed(n) != nil
				})
				if err = cmp.Or(err, s.failed(n)); err != nil {
					return err
				}
			}
			return nil
		},
		Sights: []Sight{{Key: "linger.ms", Timed: true, Alike: near(0.15, 2.5), See: lingered}},
	}
}

// lingered pairs each record with its request.
func lingered(s Seen) Observation {
	requests := writes(s.Trace)
	if len(requests) != len(s.Sends) {
		return unseen("%d requests for %d records", len(requests), len(s.Sends))
	}
	least := time.Duration(-1)
	for i, send := range s.Sends {
		if took := arrived(requests[i]) - send.At; i > 0 && (least < 0 || took < least) {
			least = took
		}
	}
	ms := float64(least) / float64(time.Millisecond)
	return Observation{Text: fmt.Sprintf("waits %.1f ms", ms), Number: ms}
}

const (
	manyOutstanding = 16 // requests, that count as any number
	enoughRecords   = 24 // while the answer is late
)

// spacing is how far apart records are sent so that each is a request of its own.
func spacing(s Settings) time.Duration { return linger(s) + 15*time.Millisecond }

// lateness is how late answers come: later than all those records.
func lateness(s Settings) time.Duration {
	return enoughRecords*spacing(s) + 400*time.Millisecond
}

// outstanding counts the requests that a client sends while an answer is late. The
// client has written before: an idempotent franz-go has one request of a partition in
// flight until it has the first answer, and so has librdkafka, often, where records
// waited for its producer id. It is done twice, for librdkafka on a busy machine
// sometimes sleeps with room for one more.
func outstanding() Experiment {
	rounds := []string{onlyTopic, warmTopic}
	return Experiment{
		Name: "outstanding", Roles: ofProducers, About: "an answer to Produce comes late, and records go on coming",
		Takes: lateness, Topics: heldTopics(), Wants: noAnswers,
		Faults: func(s Settings) (plan fault.Plan) {
			for _, topic := range rounds {
				plan = append(plan, fault.Rule{
					Name: "late-" + topic, Action: fault.Delay, Wait: lateness(s),
					Select: fault.Selector{API: "Produce", Role: topic, Nth: 2, Probability: 1},
				})
			}
			return plan
		},
		Play: func(ctx context.Context, s *Stand) error {
			p, err := s.Producer(ctx)
			if err != nil {
				return err
			}
			for _, topic := range rounds {
				if err := keepSending(ctx, s, p, topic); err != nil {
					return err
				}
			}
			return nil
		},
		Sights: []Sight{{Key: "max.in.flight.requests.per.connection", Timed: true, See: mostOutstanding}},
	}
}

// keepSending writes one record, and many more each on its own.
func keepSending(ctx context.Context, s *Stand, p *Producer, topic string) error {
	record := drivers.Record{Topic: topic, Value: []byte("a")}
	if err := p.Write(ctx, record); err != nil {
		return err
	}
	for range enoughRecords {
		p.Send(ctx, record)
		if err := s.Pause(ctx, spacing(s.Settings)); err != nil {
			return err
		}
	}
	return p.Flush(ctx)
}

// mostOutstanding is the most requests that came on a connection while an answer was
// late, with that one. In librdkafka those that are no Produce take part: it looks for
// the coordinator again and again on the same connection.
func mostOutstanding(s Seen) Observation {
	most := 0
	for i, late := range s.Trace {
		if late.Fault != string(fault.Delay) {
			continue
		}
		until := arrived(late) + lateness(s.Settings)
		most = max(most, count(s.Trace[i:], func(e evidence.Exchange) bool {
			return e.Conn == late.Conn && arrived(e) < until
		}))
	}
	if most >= manyOutstanding {
		return saw(fmt.Sprintf("requests in flight: %d and more", manyOutstanding))
	}
	return counted(most, "requests in flight: %d")
}

func count(trace []evidence.Exchange, meets func(evidence.Exchange) bool) int {
	n := 0
	for _, e := range trace {
		if meets(e) {
			n++
		}
	}
	return n
}

// sticking measures for how long records without a key keep to one partition.
func sticking() Experiment {
	const key = "sticky.partitioning.linger.ms"
	lasting := func(s Settings) time.Duration { return max(8*s.Millis(key, 0), 400*time.Millisecond) }
	return Experiment{
		Name: "sticking", Roles: ofProducers, About: "records without a key, one after the other, over some time",
		Topics: writtenTopics(),
		Takes:  func(s Settings) time.Duration { return s.Millis(key, 0) },
		Wants: func(s Settings) string {
			if !s.Has(key) {
				return key + " is not set"
			}
			return ""
		},
		Play: func(ctx context.Context, s *Stand) error {
			p, err := s.Producer(ctx)
			if err != nil {
				return err
			}
			if err := p.Write(ctx, drivers.Record{Topic: writtenTopic, Value: []byte("a")}); err != nil {
				return err
			}
			apart := min(lasting(s.Settings)/200, 50*time.Millisecond)
			for end := s.Elapsed() + lasting(s.Settings); s.Elapsed() < end; {
				p.Send(ctx, drivers.Record{Topic: writtenTopic, Value: []byte("a")})
				if err := s.Pause(ctx, apart); err != nil {
					return err
				}
			}
			return p.Flush(ctx)
		},
		Sights: []Sight{{Key: key, Timed: true, See: stuck, Alike: near(0.5, 8), GivenOnly: true}},
	}
}

// stuck is the median of the times between two changes of partition: chance may choose
// the same one again, and lingering moves each change.
func stuck(s Seen) Observation {
	requests := writes(s.Trace)
	var stays []time.Duration
	last := 0 // the request that was the first on its partition
	for i := 1; i < len(requests); i++ {
		if requests[i].Batches[0].Partition != requests[last].Batches[0].Partition {
			stays = append(stays, arrived(requests[i])-arrived(requests[last]))
			last = i
		}
	}
	if len(stays) < 3 {
		all := arrived(requests[len(requests)-1]) - arrived(requests[0])
		o := lasted(all / time.Duration(len(stays)+1))
		o.Text = fmt.Sprintf("changes of partition: %d in %d ms", len(stays), all.Milliseconds())
		return o
	}
	slices.Sort(stays)
	o := lasted(stays[len(stays)/2])
	o.Text = "keeps to a partition for " + o.Text
	return o
}
