package verify

import (
	"context"
	"errors"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// stopped is a member whose program polls no more, though it lives.
func stopped() Experiment {
	limit := func(s Settings) time.Duration { return s.Millis("max.poll.interval.ms", 5*time.Minute) }
	return Experiment{
		Name: "stopped polling", Roles: ofConsumers, Wants: wantsGroup,
		About:  "a member polls until it has read a record, and never again",
		Takes:  limit,
		Topics: readTopics(),
		Play: func(ctx context.Context, s *Stand) error {
			c, err := s.Consumer()
			if err != nil {
				return err
			}
			if err := c.Subscribe(ctx, []string{readTopic}); err != nil {
				return err
			}
			if err := s.pollOnce(ctx, c); err != nil {
				return err
			}
			from := s.Elapsed()
			waiting, cancel := context.WithTimeout(ctx, limit(s.Settings)+stoppedSlack)
			defer cancel()
			err = s.Await(waiting, "a member that leaves", func(trace []evidence.Exchange) bool { return leaves(trace) != nil })
			if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
				return err
			}
			s.Note("eviction", evicted(s.Trace(), from, s.Elapsed()))
			return nil
		},
		Sights: []Sight{{Key: "max.poll.interval.ms", Timed: true, See: noted("eviction"), Alike: alikeEnds}},
	}
}

// stoppedSlack is what librdkafka may take to notice: it looks every second or so.
const stoppedSlack = 2 * time.Second

// pollOnce polls until there are records. They come until they are read.
func (s *Stand) pollOnce(ctx context.Context, c drivers.Consumer) error {
	stop := s.trickle(ctx, oftenEnough)
	ctx, cancel := context.WithTimeout(ctx, settingUp)
	defer cancel()
	records, err := c.Poll(ctx)
	if err == nil && len(records) == 0 {
		err = errors.New("the member read no record")
	}
	return errors.Join(err, stop())
}

// leaves is the request with which a member leaves its group; nil for none.
func leaves(trace []evidence.Exchange) *evidence.Exchange {
	for i, e := range trace {
		if e.API == "LeaveGroup" || e.API == "ConsumerGroupHeartbeat" && len(e.Fields["member_epoch"]) > 1 && e.Fields["member_epoch"][0] == '-' {
			return &trace[i]
		}
	}
	return nil
}

func evicted(trace []evidence.Exchange, from, until time.Duration) Observation {
	e := leaves(trace)
	if e == nil {
		return saw("still a member " + seconds(until-from) + " after its last poll")
	}
	took := arrived(*e) - from
	return Observation{Text: "leaves the group " + seconds(took) + " after its last poll", Number: took.Seconds()}
}
