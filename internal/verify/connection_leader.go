package verify

import (
	"context"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// notLeader is Kafka's code of it (NOT_LEADER_OR_FOLLOWER).
const notLeader = 6

// unled is how soon a producer asks who the leader is, after a broker said that it is
// not. Nothing has moved, so that what it learns is what it knew.
func unled() Experiment {
	return Experiment{
		Name: "unled", Roles: ofProducers,
		About:  "the broker answers the first Produce with NOT_LEADER_OR_FOLLOWER",
		Topics: onePartition(), Wants: noAnswers,
		Takes: func(s Settings) time.Duration { return s.Millis("topic.metadata.refresh.fast.interval.ms", 0) },
		Faults: func(Settings) fault.Plan {
			return everyProduce(fault.AnswerInstead, 1, fault.Rule{Code: notLeader})
		},
		Play: func(ctx context.Context, s *Stand) error {
			if _, err := sendOne(ctx, s); err != nil {
				return err
			}
			if err := watch(ctx, s, settingUp, produced(1)); err != nil {
				return err
			}
			return watch(ctx, s, unledWait(s.Settings), func(trace []evidence.Exchange) bool {
				_, asked := askedForLeader(trace)
				return asked
			})
		},
		Sights: []Sight{{Key: "topic.metadata.refresh.fast.interval.ms", Timed: true, Alike: alikeLeaders, See: func(s Seen) Observation {
			after, asked := askedForLeader(s.Trace)
			switch {
			case len(writes(s.Trace)) == 0:
				return unseen("no Produce was sent")
			case !asked:
				return saw("no Metadata in " + seconds(unledWait(s.Settings)))
			}
			o := lasted(after)
			o.Text = "Metadata " + o.Text + " after the one before"
			return o
		}}},
	}
}

// alikeLeaders: 0 is that it did not ask in time.
func alikeLeaders(a, b Observation) bool {
	if a.Number == 0 || b.Number == 0 {
		return a.Number == b.Number
	}
	return near(0.3, 150)(a, b)
}

// unledWait is for kgo's five seconds not long enough, and says so.
func unledWait(s Settings) time.Duration {
	return s.Millis("topic.metadata.refresh.fast.interval.ms", time.Second) + 1500*time.Millisecond
}

// askedForLeader is how long the client let pass between the last time that it asked
// about the topic and the first after it was refused: kgo counts from there
// (kgo/metadata.go, updateMetadataLoop), and a busy machine comes late to the refusal.
func askedForLeader(trace []evidence.Exchange) (time.Duration, bool) {
	var before time.Duration
	refused := false
	for _, e := range trace {
		switch {
		case len(e.Batches) > 0:
			refused = true
		case e.API != "Metadata" || e.Fields["topics"] == "0":
		case refused:
			return arrived(e) - before, true
		default:
			before = arrived(e)
		}
	}
	return 0, false
}

// unknownTopic is how long a record waits for a topic that is not there.
func unknownTopic() Experiment {
	limit := func(s Settings) time.Duration { return s.Millis("topic.metadata.propagation.max.ms", 30*time.Second) }
	return Experiment{
		Name: "unknown topic", Roles: ofProducers, About: "a record is written to a topic that is not there",
		Takes: limit, Wants: func(s Settings) string { return timeFor(s, limit(s)+slack) },
		Play: func(ctx context.Context, s *Stand) error {
			if _, err := sendOne(ctx, s); err != nil {
				return err
			}
			return watch(ctx, s, limit(s.Settings)+2*slack, never)
		},
		Sights: []Sight{{Key: "topic.metadata.propagation.max.ms", Timed: true, Alike: alikeEnds, See: func(s Seen) Observation {
			send := s.Sends[0]
			if send.Reported == 0 || send.Failed == "" {
				return saw("still pending after " + seconds(limit(s.Settings)+2*slack))
			}
			took := send.Reported - send.At
			return Observation{Text: "fails after " + seconds(took), Number: took.Seconds()}
		}}},
	}
}
