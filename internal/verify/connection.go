package verify

import (
	"context"
	"errors"
	"time"

	"kcompare/drivers"
	"kcompare/internal/config"
	"kcompare/internal/evidence"
)

// connecting are the experiments of connections and metadata, of either kind of client.
func connecting() []Experiment {
	all := []Experiment{unled(), unknownTopic()}
	for _, role := range []config.Role{config.Producer, config.Consumer} {
		all = append(all, idle(role), refreshed(role), greeted(role), unwelcome(role), kept(role))
	}
	return all
}

// idle measures when a connection is closed that nobody uses.
func idle(role config.Role) Experiment {
	limit := func(s Settings) time.Duration { return s.Millis("connections.max.idle.ms", 9*time.Minute) }
	return Experiment{
		Name: "idle", Roles: []config.Role{role},
		About:  "a client does one thing, and then nothing",
		Takes:  limit,
		Topics: readTopics(),
		Wants: func(s Settings) string {
			if s.Has("connections.max.idle.ms") && limit(s) == 0 {
				return because(s, "connections.max.idle.ms", "connections are not closed for that").Not
			}
			if role == config.Consumer {
				return wantsGroup(s)
			}
			return ""
		},
		Play: func(ctx context.Context, s *Stand) error {
			api, err := s.doOnce(ctx, role)
			if err != nil {
				return err
			}
			if err := s.Pause(ctx, 2*limit(s.Settings)+idleSlack); err != nil {
				return err
			}
			s.Note("idle", s.idled(api))
			return nil
		},
		Sights: []Sight{{Key: "connections.max.idle.ms", Timed: true, See: noted("idle"), Alike: alikeIdle}},
	}
}

// idleSlack: librdkafka looks every second.
const idleSlack = 1100 * time.Millisecond

// alikeIdle says whether one setting can be behind both: what is seen is up to idleSlack
// more, or up to twice as much, as kgo looks only when as much time as is allowed has
// passed (kgo, broker.go, reapConnectionsLoop). librdkafka may be early, too: of 6 s it
// took 5, and kgo 12.
func alikeIdle(a, b Observation) bool {
	least := func(o Observation) float64 { return min(0.41*o.Number, o.Number-float64(idleSlack.Milliseconds())) }
	return max(least(a), least(b)) <= min(a.Number, b.Number)
}

// doOnce has the client do one thing, and says which request shows it.
func (s *Stand) doOnce(ctx context.Context, role config.Role) (api string, err error) {
	if role == config.Consumer {
		c, err := s.Consumer()
		if err != nil {
			return "", err
		}
		_, err = c.Committed(ctx, []drivers.TopicPartition{firstPartition})
		return "OffsetFetch", err
	}
	p, err := s.Producer(ctx)
	if err != nil {
		return "", err
	}
	p.Send(ctx, drivers.Record{Topic: readTopic, Value: []byte("a")})
	return "Produce", p.Flush(ctx)
}

// idled is how long the connection of the request was idle when it was closed.
func (s *Stand) idled(api string) Observation {
	var conn int64
	var last time.Duration
	for _, e := range s.Trace() {
		if e.API == api {
			conn, last = e.Conn, arrived(e)
		} else if e.Conn == conn {
			last = arrived(e)
		}
	}
	for _, c := range s.proxy.Observed().Connections {
		if c.ID == conn && c.Ended > 0 {
			return lasted(c.Ended - last)
		}
	}
	return unseen("the connection was not closed in time")
}

// refreshed measures how often a client asks for Metadata that nothing is wrong with.
func refreshed(role config.Role) Experiment {
	often := near(0.25, 100) // librdkafka asks when its timer and a free connection come together
	return Experiment{
		Name: "refreshed", Roles: []config.Role{role},
		About:  "a client uses a topic, and nothing changes",
		Takes:  refreshInterval,
		Topics: readTopics(),
		Wants: func(s Settings) string {
			if refreshInterval(s) < 0 {
				return because(s, "topic.metadata.refresh.interval.ms", "nothing is refreshed").Not
			}
			return ""
		},
		Play: func(ctx context.Context, s *Stand) error { return s.playRefreshed(ctx, role) },
		Sights: []Sight{
			{Key: "topic.metadata.refresh.interval.ms", Timed: true, See: refreshes, Alike: often},
			{Key: "metadata.max.age.ms", Timed: true, See: refreshes, Alike: often},
		},
	}
}

// refreshInterval is the usual five minutes where nothing is set.
func refreshInterval(s Settings) time.Duration {
	return s.Millis("topic.metadata.refresh.interval.ms", s.Millis("metadata.max.age.ms", 5*time.Minute))
}

func (s *Stand) playRefreshed(ctx context.Context, role config.Role) error {
	wanted := 1
	if refreshInterval(s.Settings) <= oftenMeasured {
		wanted = 3
	}
	asked := func(ctx context.Context, _ <-chan struct{}) error {
		ctx, cancel := context.WithTimeout(ctx, 5*refreshInterval(s.Settings)+time.Second)
		defer cancel()
		err := s.Await(ctx, "Metadata", func(trace []evidence.Exchange) bool {
			return len(refreshGaps(Seen{Trace: trace, Settings: s.Settings})) >= wanted
		})
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // it never asks: the sight says so
		}
		return err
	}
	if role == config.Producer {
		if _, err := s.doOnce(ctx, role); err != nil {
			return err
		}
		return asked(ctx, nil)
	}
	c, err := s.Consumer()
	if err != nil {
		return err
	}
	if err := c.Assign(ctx, []drivers.Position{{TopicPartition: firstPartition, Offset: drivers.OffsetStart}}); err != nil {
		return err
	}
	read, err := pollWhile(ctx, c, asked)
	return errors.Join(err, read.failed)
}

// refreshGaps are the times between requests for the topic. What comes much sooner than
// the settings say is what a client asks when it starts, several times over.
func refreshGaps(s Seen) []time.Duration {
	var all []time.Duration
	var before time.Duration
	for _, e := range s.Of("Metadata") {
		if e.Fields["topics"] == "0" {
			continue
		}
		if gap := arrived(e) - before; before > 0 && gap > refreshInterval(s.Settings)/3 {
			all = append(all, gap)
		}
		before = arrived(e)
	}
	return all
}

func refreshes(s Seen) Observation {
	gaps := refreshGaps(s)
	if len(gaps) == 0 {
		return unseen("the client asked for no Metadata again in %s", seconds(5*refreshInterval(s.Settings)+time.Second))
	}
	var sum time.Duration
	for _, gap := range gaps {
		sum += gap
	}
	return lasted(sum / time.Duration(len(gaps))) // what makes one longer makes the next one shorter
}
