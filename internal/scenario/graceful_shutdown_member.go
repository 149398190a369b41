package scenario

import (
	"context"
	"fmt"
	"strconv"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// The part of graceful-shutdown in which one of two members of a group ends.

const (
	endingMember  = "ending member"
	stayingMember = "staying member"

	endingClient  = "kcompare-ending" // client.id
	stayingClient = "kcompare-staying"
)

const (
	askedLeave    = "LeaveGroup that it sent"
	askedTakeover = "when the other has its partitions"

	afterLeave   = "after LeaveGroup"
	afterSession = "after the session timeout"
)

// endsMember is how a member of the group ends on SIGTERM.
type endsMember struct {
	name           string
	verbs          []verb
	handles        bool
	ended          string
	leave, handout string // what the claim says of LeaveGroup and the other member
}

func memberLeaves() Variant {
	v := endsMember{
		name: "member=close,signal=term", verbs: []verb{subscribe, poll, closeIt}, handles: true,
		ended: endedWell, leave: "sent", handout: afterLeave,
	}.variant()
	v.Kind, v.Claim = evidence.Promise, "it leaves the group, and the other member need not wait for its session timeout"
	return v
}

func memberVanishes() Variant {
	v := endsMember{
		name: "member=none,signal=term", verbs: []verb{subscribe, poll},
		ended: "signal: terminated", leave: "none", handout: afterSession,
	}.variant()
	v.Kind, v.Claim = evidence.Control, "its partitions stand still until its session times out"
	return v
}

func (w endsMember) variant() Variant {
	return Variant{
		Name: w.name, Processes: true, Terminates: true,
		Settings: map[string]string{"acks": "all", "enable.idempotence": "true"},
		Consuming: map[string]string{
			"group.id": "kcompare-payment-readers", "partition.assignment.strategy": "range",
			"session.timeout.ms": inMillis(sessionTimeout), "heartbeat.interval.ms": "200",
		},
		Needs:  drivers.Abilities{Idempotence: true, Groups: true},
		Plan:   noFaults,
		Checks: []evidence.Check{check(evidence.LogRecords, "==", evidence.Intended)},
		Records: func(p Parameters, place partition.Func) []fault.Record {
			return firstPayments(p, place, paymentsPartitions, readable)
		},
		Run: w.play,
		Conclude: func(o *evidence.Observed) []evidence.Answer {
			return takeover(o, w.leave, w.handout)
		},
		About: func(Parameters) string {
			return fmt.Sprintf("Two members of a group read %d payments; one of them gets SIGTERM. The session timeout is %v.", readable, sessionTimeout)
		},
	}
}

// readable payments are some in every partition.
const readable = 30

func (w endsMember) play(ctx context.Context, s *Stage) error {
	partitions := int(s.Parameters.PartitionsOf(paymentsPartitions))
	if partitions < 2 || partitions > 10 {
		return fmt.Errorf("two members share 2 to 10 partitions, --partitions says %d", partitions)
	}
	if err := s.fill(ctx); err != nil {
		return err
	}
	one, err := s.start(ctx, endingMember, script{Verbs: w.verbs, Handles: w.handles}, Setting{"client.id", endingClient})
	if err != nil {
		return err
	}
	if _, err := one.Read(ctx, partitions); err != nil { // it has the group to itself
		return err
	}
	other, err := s.start(ctx, stayingMember, script{Verbs: []verb{subscribe, poll, closeIt}, Handles: true}, Setting{"client.id", stayingClient})
	if err != nil {
		return err
	}
	if _, err := other.Read(ctx, 1); err != nil { // now they share
		return err
	}
	signalled := s.Elapsed()
	if err := one.Terminate(); err != nil {
		return err
	}
	ended, err := one.Ended(ctx)
	if err != nil {
		return err
	}
	s.Answer(evidence.Answer{Question: askedEnd, Answer: ended, Expected: w.ended})
	s.Answer(measured(askedSignalled, millis(s.Elapsed()-signalled)))
	if _, err := other.Read(ctx, partitions); err != nil {
		return err
	}
	s.Answer(measured("signal to all read by the other", millis(s.Elapsed()-signalled)))
	if err := other.Terminate(); err != nil {
		return err
	}
	_, err = other.Ended(ctx)
	return err
}

// fill writes what the members read.
func (s *Stage) fill(ctx context.Context) error {
	writer, err := s.NewProducer("writer")
	if err != nil {
		return err
	}
	return writer.pay(ctx, 0, readable)
}

// takeover finds the last word of the member that ended, and when the group let the
// other one join anew. The session of a member begins anew with each of its words, so
// that the coordinator cannot give it up earlier than a session timeout after the
// last. The join in which the two met began before that.
func takeover(o *evidence.Observed, leave, handout string) []evidence.Answer {
	var last, joined evidence.Exchange
	sent := "none"
	for _, e := range o.Trace.Exchanges {
		if e.Client == endingClient && ofMember(e.API) {
			last = e
		}
	}
	if last.API == "LeaveGroup" && last.Result == okResult {
		sent = "sent"
	}
	for _, e := range o.Trace.Exchanges {
		if e.Client == stayingClient && e.API == "JoinGroup" && e.Answered && e.At > last.At {
			joined = e
			break
		}
	}
	session, err := strconv.ParseInt(o.Trial.Consuming["session.timeout.ms"], 10, 64)
	when := ""
	switch gap := joined.AnsweredAt - last.At; {
	case err != nil || joined.N == 0 || last.N == 0: // the trace does not show it
	case gap >= session*1000: // microseconds
		when = afterSession
	case sent == "sent":
		when = afterLeave
	default:
		when = "earlier"
	}
	return []evidence.Answer{
		{Question: askedLeave, Answer: sent, Expected: leave},
		{Question: askedTakeover, Answer: when, Expected: handout},
	}
}

func ofMember(api string) bool {
	switch api {
	case "JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup":
		return true
	}
	return false
}
