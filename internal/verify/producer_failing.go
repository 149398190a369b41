package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// This file has the experiments in which Produce fails, or is not answered.

// Kafka's codes of errors.
const (
	requestTimedOut = 7  // may be written or not: every library tries again
	messageTooLarge = 10 // no library does
)

// What librdkafka does where nothing is set; kgo waits 250 ms, doubling to 5 s.
const (
	usualBackoff     = 100 * time.Millisecond
	usualMostBackoff = time.Second
)

// backoffs is the waits before the first so many retries, as the settings ask for.
func backoffs(s Settings, n int) (all time.Duration) {
	wait, most := s.Millis("retry.backoff.ms", usualBackoff), s.Millis("retry.backoff.max.ms", usualMostBackoff)
	for range n {
		all += min(wait, most)
		wait *= 2
		if all > time.Hour {
			break
		}
	}
	return all
}

// timeFor is why records do not live so long.
func timeFor(s Settings, d time.Duration) string {
	if limit := s.Millis("delivery.timeout.ms", 0); limit > 0 && limit < d+500*time.Millisecond {
		return because(s, "delivery.timeout.ms", "records are given up before").Not
	}
	return noAnswers(s)
}

// sendOne hands one record over, and has it sent.
func sendOne(ctx context.Context, s *Stand) (*Producer, error) {
	p, err := s.Producer(ctx)
	if err != nil {
		return nil, err
	}
	p.Send(ctx, drivers.Record{Topic: onlyTopic, Value: []byte("a")})
	return p, nil
}

// watch waits until the trace meets a condition, the first record is reported, or the
// time is up. None of them is an error.
func watch(ctx context.Context, s *Stand, lasting time.Duration, meets func([]evidence.Exchange) bool) error {
	waiting, stop := context.WithTimeout(ctx, lasting)
	defer stop()
	err := s.Await(waiting, "the end of an experiment", func(trace []evidence.Exchange) bool { return s.Sent(0).Reported > 0 || meets(trace) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

func never([]evidence.Exchange) bool { return false }

// retried counts how often a record is sent of which the broker always says that it
// may or may not be written.
func retried() Experiment {
	retries := func(s Settings) int { return int(s.Number("retries", math.MaxInt32)) }
	takes := func(s Settings) time.Duration { return backoffs(s, retries(s)) + linger(s) }
	return Experiment{
		Name: "retried", Roles: ofProducers, About: "the broker answers every Produce with REQUEST_TIMED_OUT",
		Topics: onePartition(), Takes: takes,
		Wants: func(s Settings) string {
			if retries(s) == math.MaxInt32 {
				return fmt.Sprintf("because of retries=%d: attempts have no end", math.MaxInt32)
			}
			return timeFor(s, takes(s))
		},
		Faults: func(Settings) fault.Plan {
			return everyProduce(fault.AnswerInstead, always, fault.Rule{Code: requestTimedOut})
		},
		Play: func(ctx context.Context, s *Stand) error {
			if _, err := sendOne(ctx, s); err != nil {
				return err
			}
			return watch(ctx, s, 2*takes(s.Settings)+2*time.Second, produced(retries(s.Settings)+3))
		},
		Sights: []Sight{{Key: "retries", Timed: true, See: func(s Seen) Observation {
			if s.Sends[0].Failed == "" {
				return saw("attempts: more than retries allow, and not the last")
			}
			return counted(len(writes(s.Trace)), "attempts: %d")
		}}},
	}
}

const backoffSamples = 5

// backedOff measures the wait before the first retry: the least of several, as a busy
// machine only adds to it. librdkafka varies each by a fifth (rdkafka_msg.c,
// RD_KAFKA_RETRY_JITTER_PERCENT).
func backedOff() Experiment {
	first := func(s Settings) time.Duration { return s.Millis("retry.backoff.ms", usualBackoff) }
	return Experiment{
		Name: "backed off", Roles: ofProducers, About: "the broker answers the first Produce of each record with REQUEST_TIMED_OUT",
		Topics: onePartition(), Takes: first,
		Wants: func(s Settings) string {
			if s["retries"] == "0" {
				return because(s, "retries", "nothing is sent again").Not
			}
			return timeFor(s, first(s))
		},
		Faults: func(Settings) (plan fault.Plan) {
			for n := range backoffSamples {
				plan = append(plan, fault.Rule{
					Name: fmt.Sprintf("refuse-%d", n+1), Action: fault.AnswerInstead, Code: requestTimedOut,
					Select: fault.Selector{API: "Produce", Role: onlyTopic, Nth: 2*n + 1, Probability: 1},
				})
			}
			return plan
		},
		Play: func(ctx context.Context, s *Stand) error {
			p, err := s.Producer(ctx)
			if err != nil {
				return err
			}
			for range samplesOf(first(s.Settings)) {
				if err := p.Write(ctx, drivers.Record{Topic: onlyTopic, Value: []byte("a")}); err != nil {
					return err
				}
			}
			return nil
		},
		Sights: []Sight{{Key: "retry.backoff.ms", Timed: true, Alike: near(0.27, 12), See: func(s Seen) Observation {
			all := gaps(s.Trace)
			if len(all)%2 == 0 || len(all) > 2*backoffSamples-1 {
				return unseen("%d requests for %d records", len(all)+1, len(s.Sends))
			}
			least := all[0]
			for i := 2; i < len(all); i += 2 {
				least = min(least, all[i])
			}
			o := lasted(least)
			o.Text = "tries again after " + o.Text
			return o
		}}},
	}
}

func samplesOf(d time.Duration) int {
	return int(min(max(2*time.Second/max(d, time.Millisecond), 1), backoffSamples))
}

// backedOffMost measures the wait between attempts when it does not grow any more: the
// least of the last ones.
func backedOffMost() Experiment {
	most := func(s Settings) time.Duration { return s.Millis("retry.backoff.max.ms", usualMostBackoff) }
	// grown is after how many retries the wait has reached its most.
	grown := func(s Settings) int {
		n := 1
		for wait := s.Millis("retry.backoff.ms", usualBackoff); wait < most(s) && n < 30; n++ {
			wait *= 2
		}
		return n
	}
	last := func(s Settings) int { return int(min(max(time.Second/max(most(s), time.Millisecond), 1), 4)) }
	takes := func(s Settings) time.Duration { return backoffs(s, grown(s)) }
	return Experiment{
		Name: "backed off at most", Roles: ofProducers, About: "the broker answers every Produce with REQUEST_TIMED_OUT, until the waits do not grow any more",
		Topics: onePartition(), Takes: takes,
		Wants: func(s Settings) string {
			if s.Number("retries", math.MaxInt32) < float64(grown(s)+last(s)-1) {
				return because(s, "retries", "there are too few of them for the wait to grow").Not
			}
			return timeFor(s, takes(s)+time.Duration(last(s))*most(s))
		},
		Faults: func(Settings) fault.Plan {
			return everyProduce(fault.AnswerInstead, always, fault.Rule{Code: requestTimedOut})
		},
		Play: func(ctx context.Context, s *Stand) error {
			if _, err := sendOne(ctx, s); err != nil {
				return err
			}
			return watch(ctx, s, 3*takes(s.Settings)+5*time.Second, produced(grown(s.Settings)+last(s.Settings)))
		},
		Sights: []Sight{{Key: "retry.backoff.max.ms", Timed: true, Alike: near(0.27, 20), See: func(s Seen) Observation {
			all := gaps(s.Trace)
			from := grown(s.Settings) - 1
			if len(all) < from+last(s.Settings) {
				return unseen("%d attempts: too few for the wait to grow", len(all)+1)
			}
			o := lasted(slices.Min(all[from : from+last(s.Settings)]))
			o.Text = "waits grow to " + o.Text
			return o
		}}},
	}
}

// slack is how late a library may notice that a time is up: librdkafka looks every
// second (rdkafka.c, rd_kafka_topic_scan_all).
const slack = 1250 * time.Millisecond

// unanswered measures when a client gives a request up that is not answered.
func unanswered() Experiment {
	limit := func(s Settings) time.Duration { return s.Millis("socket.timeout.ms", time.Minute) }
	return Experiment{
		Name: "unanswered", Roles: ofProducers, About: "the broker does not answer the first Produce, and the connection stays up",
		Topics: onePartition(), Takes: limit,
		Wants: func(s Settings) string {
			if s["retries"] == "0" {
				return because(s, "retries", "nothing is sent again").Not
			}
			return timeFor(s, limit(s)+slack)
		},
		Faults: func(Settings) fault.Plan { return everyProduce(fault.Stall, 1, fault.Rule{}) },
		Play: func(ctx context.Context, s *Stand) error {
			if _, err := sendOne(ctx, s); err != nil {
				return err
			}
			if err := s.Await(ctx, "the first Produce", produced(1)); err != nil {
				return err
			}
			return watch(ctx, s, limit(s.Settings)+2*slack, produced(2))
		},
		Sights: []Sight{{Key: "socket.timeout.ms", Timed: true, Alike: alikeEnds, See: func(s Seen) Observation {
			all := gaps(s.Trace)
			if len(all) == 0 {
				return Observation{Text: "still waits after " + seconds(limit(s.Settings)+2*slack)}
			}
			return Observation{Text: "sends again after " + seconds(all[0]), Number: all[0].Seconds()}
		}}},
	}
}

// alikeEnds compares times after which something ended; 0 is that it never did.
func alikeEnds(a, b Observation) bool {
	if a.Number == 0 || b.Number == 0 {
		return a.Number == b.Number
	}
	return near(0.02, slack.Seconds())(a, b)
}

// expiring is Takes of the experiments about delivery.timeout.ms. In librdkafka it is
// five minutes, in kgo without end.
func expiring(s Settings) time.Duration {
	return s.Millis("delivery.timeout.ms", 5*time.Minute)
}

func endless(s Settings) string {
	if s.Has("delivery.timeout.ms") && s.Number("delivery.timeout.ms", 0) == 0 {
		return because(s, "delivery.timeout.ms", "there is no limit").Not
	}
	return ""
}

var expired = Sight{Key: "delivery.timeout.ms", Timed: true, Alike: alikeEnds, See: func(s Seen) Observation {
	send := s.Sends[0]
	if send.Reported == 0 || send.Failed == "" {
		return Observation{Text: "still pending after " + seconds(expiring(s.Settings)+2*slack)}
	}
	took := send.Reported - send.At
	return Observation{Text: "fails after " + seconds(took), Number: took.Seconds()}
}}

// unsent is a record that the client never gets to send.
func unsent() Experiment {
	return Experiment{
		Name: "unsent", Roles: ofProducers, About: "nothing that the client sends reaches the broker",
		Topics: onePartition(), Takes: expiring, Wants: endless, Sights: []Sight{expired},
		Play: func(ctx context.Context, s *Stand) error {
			p, err := s.Producer(ctx)
			if err != nil {
				return err
			}
			lift, err := s.Hold()
			if err != nil {
				return err
			}
			defer lift()
			p.Send(ctx, drivers.Record{Topic: onlyTopic, Value: []byte("a")})
			return watch(ctx, s, expiring(s.Settings)+2*slack, never)
		},
	}
}

// inFlightForGood is a record that was sent, and of which nobody says what became.
func inFlightForGood() Experiment {
	return Experiment{
		Name: "in flight for good", Roles: ofProducers, About: "the broker answers no Produce, and the connection stays up",
		Topics: onePartition(), Takes: expiring, Sights: []Sight{expired},
		Wants: func(s Settings) string {
			if why := endless(s); why != "" {
				return why
			}
			return noAnswers(s)
		},
		Faults: func(Settings) fault.Plan { return everyProduce(fault.Stall, always, fault.Rule{}) },
		Play: func(ctx context.Context, s *Stand) error {
			if _, err := sendOne(ctx, s); err != nil {
				return err
			}
			return watch(ctx, s, expiring(s.Settings)+2*slack, never)
		},
	}
}

// gapped is what becomes of the next record when the broker refused one for good.
func gapped() Experiment {
	return Experiment{
		Name: "gapped", Roles: ofProducers, About: "the broker refuses the first Produce with MESSAGE_TOO_LARGE, and the next record comes",
		Topics: onePartition(),
		Wants: func(s Settings) string {
			if s.Transactional() {
				return because(s, "transactional.id", "a transaction with a refused record has to be aborted").Not
			}
			return noAnswers(s)
		},
		Faults: func(Settings) fault.Plan {
			return everyProduce(fault.AnswerInstead, 1, fault.Rule{Code: messageTooLarge})
		},
		Play: func(ctx context.Context, s *Stand) error {
			p, err := sendOne(ctx, s)
			if err != nil {
				return err
			}
			if err := p.Flush(ctx); err != nil {
				return err
			}
			p.Send(ctx, drivers.Record{Topic: onlyTopic, Value: []byte("b")})
			return p.Flush(ctx)
		},
		Sights: []Sight{{Key: "enable.gapless.guarantee", See: func(s Seen) Observation {
			switch {
			case s.Sends[0].Failed == "":
				return unseen("the refused record did not fail")
			case s.Sends[1].Failed == "":
				return saw("the next record is written")
			}
			return saw("the next record fails too")
		}}},
	}
}
