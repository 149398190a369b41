package verify

import (
	"context"
	"errors"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// stalled measures when a consumer gives up a request that is not answered. It is a
// Fetch, because kgo adds to what is set the 30 s that its ListOffsets names (kgo,
// client.go, connTimeouter.timeouts); what a Fetch itself asks to wait is no part of
// the answer.
func stalled() Experiment {
	limit := func(s Settings) time.Duration { return s.Millis("socket.timeout.ms", time.Minute) }
	return Experiment{
		Name: "stalled", Roles: ofConsumers,
		About:  "the broker does not answer the first Fetch, and the connection stays up",
		Takes:  limit,
		Topics: readTopics(),
		Faults: func(Settings) fault.Plan {
			return fault.Plan{{Name: "stall", Action: fault.Stall, Select: fault.Selector{API: "Fetch", First: 1, Probability: 1}}}
		},
		Play: func(ctx context.Context, s *Stand) error {
			c, err := s.Consumer()
			if err != nil {
				return err
			}
			if err := c.Assign(ctx, []drivers.Position{{TopicPartition: firstPartition, Offset: drivers.OffsetStart}}); err != nil {
				return err
			}
			read, err := pollWhile(ctx, c, func(ctx context.Context, _ <-chan struct{}) error {
				ctx, cancel := context.WithTimeout(ctx, limit(s.Settings)+s.Settings.Millis("fetch.wait.max.ms", usualFetchWait)+stalledSlack)
				defer cancel()
				err := s.Await(ctx, "another Fetch", func(trace []evidence.Exchange) bool {
					return len(Seen{Trace: trace}.Of("Fetch")) > 1
				})
				if errors.Is(err, context.DeadlineExceeded) {
					return nil // the sight says that it still waits
				}
				return err
			})
			return errors.Join(err, read.failed)
		},
		Sights: []Sight{{Key: "socket.timeout.ms", Timed: true, Alike: alikeEnds, See: func(s Seen) Observation {
			asked := s.Of("Fetch")
			switch len(asked) {
			case 0:
				return unseen("no Fetch was sent")
			case 1:
				return saw("still waits after " + seconds(limit(s.Settings)+stalledSlack))
			}
			took := arrived(asked[1]) - arrived(asked[0]) - Settings(asked[0].Fields).Millis("max_wait_ms", 0)
			return Observation{Text: "asks again " + seconds(took) + " after it should have been answered", Number: took.Seconds()}
		}}},
	}
}

// usualFetchWait is that of kgo; librdkafka's is 500 ms.
const usualFetchWait = 5 * time.Second

// stalledSlack is what a library may take to notice, to connect, and to ask again.
const stalledSlack = 4 * time.Second
