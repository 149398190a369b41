package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kcompare/internal/evidence"
)

// member is the experiment with one new member of a group: what it says when it joins,
// where it begins to read, and whether it commits by itself.
func member() Experiment {
	join := func(field string) func(Seen) Observation { return joins(field, field) }
	return Experiment{
		Name: "member", Roles: ofConsumers, Wants: wantsGroup,
		About:  fmt.Sprintf("a new group reads a topic with %d records, to which more come, and its only member leaves", earlier),
		Topics: readTopics(),
		Play:   playMember,
		Sights: []Sight{
			{Key: "group.id", See: joins("group_id", "group_id")},
			{Key: "group.instance.id", See: join("group_instance_id")},
			{Key: "group.protocol", See: groupProtocol},
			{Key: "group.protocol.type", See: classicField("protocol_type")},
			{Key: "group.remote.assignor", See: remoteAssignor},
			{Key: "session.timeout.ms", See: classicField("session_timeout_ms")},
			{Key: "max.poll.interval.ms", See: join("rebalance_timeout_ms")},
			{Key: "partition.assignment.strategy", See: classicField("protocols")},
			{Key: "auto.offset.reset", See: askedOffset},
			{Key: "auto.offset.reset", See: noted("first record")},
			{Key: "enable.auto.commit", See: commitsUnasked},
			{Key: "enable.auto.offset.store", See: storesUnasked},
		},
	}
}

const (
	// foundPlace bounds the wait for a consumer to ask where its partition begins: one
	// with auto.offset.reset=error never does.
	foundPlace = 10 * time.Second

	// longestRead bounds the wait for a record: fetch.min.bytes and fetch.wait.max.ms may
	// keep it back for ever.
	longestRead = 4 * time.Second

	oftenEnough = 50 * time.Millisecond // between two records
)

// playMember writes on while the member closes, or librdkafka would wait for an answer
// to its last Fetch.
func playMember(ctx context.Context, s *Stand) error {
	if err := s.write(ctx, earlier); err != nil {
		return err
	}
	c, err := s.Consumer()
	if err != nil {
		return err
	}
	if err := c.Subscribe(ctx, []string{readTopic}); err != nil {
		return err
	}
	stop := func() error { return nil }
	read, err := pollWhile(ctx, c, func(ctx context.Context, got <-chan struct{}) error {
		if err := s.placeFound(ctx); err != nil {
			return err
		}
		stop = s.trickle(context.WithoutCancel(ctx), oftenEnough)
		return s.awaitRecord(ctx, got)
	})
	s.noteReadings(read)
	s.leave(c)
	return errors.Join(err, stop())
}

// placeFound waits for the answer that says where the partition begins or ends. What is
// written earlier could already be what a consumer that begins at the end gets first.
func (s *Stand) placeFound(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, foundPlace)
	defer cancel()
	return s.Await(ctx, "ListOffsets", func(trace []evidence.Exchange) bool {
		return slices.ContainsFunc(trace, func(e evidence.Exchange) bool { return e.API == "ListOffsets" && e.Delivered })
	})
}

// awaitRecord waits until the first record has come, or it is no use to wait any longer.
func (s *Stand) awaitRecord(ctx context.Context, got <-chan struct{}) error {
	waiting, stop := context.WithTimeout(ctx, longestRead)
	defer stop()
	select {
	case <-got:
	case <-waiting.Done():
	}
	return ctx.Err()
}

// noteReadings keeps what the member got.
func (s *Stand) noteReadings(read readings) {
	s.Note("records", counted(len(read.offsets), "%d"))
	switch {
	case read.failed != nil:
		s.Note("refused to read", saw("the client gives an error, and reads nothing"))
		s.Note("first record", saw("none: the client gives an error"))
	case len(read.offsets) == 0:
		s.Note("first record", unseen("no record came within %v", longestRead))
	case read.offsets[0] < earlier:
		s.Note("first record", saw("offset "+strconv.FormatInt(read.offsets[0], 10)+", from before the group"))
	default:
		s.Note("first record", saw("one from after the group's beginning"))
	}
}

// joining is the request with which a member joins: JoinGroup, or the first
// ConsumerGroupHeartbeat (KIP-848).
func joining(s Seen) (evidence.Exchange, bool) {
	for _, e := range s.Trace {
		if e.API == "JoinGroup" || e.API == "ConsumerGroupHeartbeat" {
			return e, true
		}
	}
	return evidence.Exchange{}, false
}

// joins is a field of the joining request; a request without it leaves a text empty.
func joins(field, name string) func(Seen) Observation {
	return func(s Seen) Observation {
		e, joined := joining(s)
		if !joined {
			return unseen("no member joined")
		}
		return said(e, field, name)
	}
}

// said is a field of a request in words.
func said(e evidence.Exchange, field, name string) Observation {
	value, has := e.Fields[field]
	if !has {
		return saw(fmt.Sprintf("%s without %s", e.API, name))
	}
	return saw(fmt.Sprintf("%s %s=%s", e.API, name, value))
}

// classicField is a field that JoinGroup alone has.
func classicField(field string) func(Seen) Observation {
	return func(s Seen) Observation {
		if e, joined := joining(s); joined && e.API == "ConsumerGroupHeartbeat" {
			return because(s.Settings, "group.protocol", "the broker decides")
		}
		return joins(field, field)(s)
	}
}

func groupProtocol(s Seen) Observation {
	e, joined := joining(s)
	if !joined {
		return unseen("no member joined")
	}
	return saw("joins by " + e.API)
}

func remoteAssignor(s Seen) Observation {
	e, joined := joining(s)
	if joined && e.API == "JoinGroup" {
		return unseen("without group.protocol=consumer a member of the group assigns")
	}
	return joins("server_assignor", "server_assignor")(s)
}

// askedOffset is the place that the consumer asks for where its group has no offset.
func askedOffset(s Seen) Observation {
	for _, e := range s.Of("ListOffsets") {
		switch e.Fields["timestamp"] {
		case "-1":
			return saw("ListOffsets for the end")
		case "-2":
			return saw("ListOffsets for the start")
		default:
			return said(e, "timestamp", "timestamp")
		}
	}
	if o, failed := s.Notes["refused to read"]; failed {
		return o
	}
	return unseen("no ListOffsets was sent")
}

// commitsUnasked: the program never asks for a commit, and what is not committed on
// the way is committed when the member leaves.
func commitsUnasked(s Seen) Observation {
	if !s.Settings.Truth("enable.auto.offset.store", true) {
		return because(s.Settings, "enable.auto.offset.store", "there is nothing to commit")
	}
	if s.Settings.Has("auto.commit.interval.ms") && s.Settings.Number("auto.commit.interval.ms", 1) == 0 {
		return because(s.Settings, "auto.commit.interval.ms", "it turns automatic commits off")
	}
	return committed(s)
}

func storesUnasked(s Seen) Observation {
	if !s.Settings.Truth("enable.auto.commit", true) {
		return because(s.Settings, "enable.auto.commit", "nothing that is stored is committed")
	}
	return committed(s)
}

func committed(s Seen) Observation {
	switch {
	case len(s.Of("OffsetCommit")) > 0:
		return saw("OffsetCommit comes unasked")
	case s.Notes["records"].Number == 0:
		return unseen("no record came whose offset could be committed")
	case s.Notes["did not leave"].Text != "":
		return unseen("it has not committed, and did not leave: %s", s.Notes["did not leave"].Text)
	}
	return saw("no OffsetCommit, not even when it leaves")
}
