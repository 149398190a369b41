package verify

import (
	"context"
	"errors"
	"slices"
	"time"

	"kcompare/internal/evidence"
)

// heartbeats is the experiment that measures how often a member is heard of.
func heartbeats() Experiment {
	return Experiment{
		Name: "heartbeats", Roles: ofConsumers, Wants: wantsClassic,
		About:  "a member has nothing to do",
		Takes:  func(s Settings) time.Duration { return s.Millis("heartbeat.interval.ms", 3*time.Second) },
		Topics: readTopics(),
		Play: func(ctx context.Context, s *Stand) error {
			return playMembership(ctx, s, "Heartbeat", 2, s.Settings.Millis("heartbeat.interval.ms", 3*time.Second))
		},
		Sights: []Sight{{Key: "heartbeat.interval.ms", Timed: true, See: between("Heartbeat"), Alike: near(aboutAsOften, shortWait)}},
	}
}

// commits is the experiment that measures how often a member commits by itself.
func commits() Experiment {
	return Experiment{
		Name: "commits", Roles: ofConsumers, Wants: wantsCommits,
		About:  "a member reads records that come all the time",
		Takes:  func(s Settings) time.Duration { return 2 * commitInterval(s) },
		Topics: readTopics(),
		Play: func(ctx context.Context, s *Stand) error {
			return playMembership(ctx, s, "OffsetCommit", 3, commitInterval(s.Settings)) // the first may be late
		},
		Sights: []Sight{{Key: "auto.commit.interval.ms", Timed: true, See: between("OffsetCommit"), Alike: near(aboutAsOften, shortWait)}},
	}
}

func commitInterval(s Settings) time.Duration {
	return s.Millis("auto.commit.interval.ms", 5*time.Second)
}

// wantsCommits is why nothing is ever committed.
func wantsCommits(s Settings) string {
	for _, key := range []string{"enable.auto.commit", "enable.auto.offset.store"} {
		if !s.Truth(key, true) {
			return because(s, key, "nothing is committed unasked").Not
		}
	}
	return wantsGroup(s)
}

// Two intervals are the same that differ by less: librdkafka looks at its clocks only
// when it has something else to do, kgo at its own when they tick.
const (
	aboutAsOften = 0.2
	shortWait    = 60 // ms
)

// oftenMeasured is up to which interval several gaps are measured.
const oftenMeasured = 1200 * time.Millisecond

// playMembership waits for so many requests that the gaps between them say something,
// and for more where that takes no time.
// There is always a new record.
func playMembership(ctx context.Context, s *Stand, api string, wanted int, interval time.Duration) error {
	c, err := s.Consumer()
	if err != nil {
		return err
	}
	if err := c.Subscribe(ctx, []string{readTopic}); err != nil {
		return err
	}
	stop := s.trickle(ctx, max(interval/10, 20*time.Millisecond))
	if interval <= oftenMeasured {
		wanted = 4
	}
	read, err := pollWhile(ctx, c, func(ctx context.Context, _ <-chan struct{}) error {
		return s.Await(ctx, api, func(trace []evidence.Exchange) bool { return len(Seen{Trace: trace}.Of(api)) >= wanted })
	})
	s.Note("leaves", Observation{Number: float64(s.Elapsed().Microseconds())})
	if err == nil {
		err = read.failed
	}
	s.leave(c)
	return errors.Join(err, stop())
}

// between is the middle one of the gaps between two requests of an API. What a member
// says when it leaves comes out of turn.
func between(api string) func(Seen) Observation {
	return func(s Seen) Observation {
		var at []int64
		for _, e := range s.Of(api) {
			if e.At <= int64(s.Notes["leaves"].Number) {
				at = append(at, e.At)
			}
		}
		if gap, ok := middleGap(at); ok {
			return lasted(gap)
		}
		return unseen("fewer than two requests %s", api)
	}
}

// middleGap is the median of what lies between times in microseconds.
func middleGap(at []int64) (time.Duration, bool) {
	var gaps []int64
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, at[i]-at[i-1])
	}
	if len(gaps) == 0 {
		return 0, false
	}
	slices.Sort(gaps)
	return time.Duration(gaps[len(gaps)/2]) * time.Microsecond, true
}
