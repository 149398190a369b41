package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// reader is the experiment without a group: what a consumer asks for when it fetches,
// and whether it is given what was aborted.
func reader() Experiment {
	return Experiment{
		Name: "reader", Roles: ofConsumers,
		About:  "one partition with an aborted record and a committed one is read from its start, without a group",
		Topics: readTopics(),
		Play:   playReader,
		Sights: []Sight{
			carried("client.id"),
			{Key: "client.rack", See: fetches("rack_id")},
			{Key: "isolation.level", See: fetches("isolation_level")},
			{Key: "isolation.level", See: noted("aborted records")},
			{Key: "fetch.min.bytes", See: fetches("min_bytes")},
			{Key: "fetch.max.bytes", See: fetches("max_bytes")},
			{Key: "max.partition.fetch.bytes", See: fetches("partition_max_bytes")},
			{Key: "fetch.wait.max.ms", See: fetches("max_wait_ms")},
			carried("allow.auto.create.topics"),
			{Key: "enable.metrics.push", Timed: true, See: metricsPush},
			{Key: "client.software.name", See: software("client_software_name")},
			{Key: "client.software.version", See: software("client_software_version")},
		},
	}
}

// playReader reads the first record, whichever that is.
func playReader(ctx context.Context, s *Stand) error {
	if err := s.writeAborted(ctx); err != nil {
		return fmt.Errorf("write what is to be read: %w", err)
	}
	c, err := s.Consumer()
	if err != nil {
		return err
	}
	if err := c.Assign(ctx, []drivers.Position{{TopicPartition: firstPartition, Offset: drivers.OffsetStart}}); err != nil {
		return err
	}
	read, err := pollWhile(ctx, c, func(ctx context.Context, got <-chan struct{}) error {
		if err := s.placeFound(ctx); err != nil {
			return err
		}
		return errors.Join(s.awaitRecord(ctx, got), s.awaitPush(ctx))
	})
	if err := errors.Join(err, read.failed); err != nil {
		return err
	}
	s.noteAborted(read.offsets)
	s.leave(c)
	return nil
}

// awaitPush gives the client time to ask about telemetry. That it does not is an answer.
func (s *Stand) awaitPush(ctx context.Context) error {
	waiting, stop := context.WithTimeout(ctx, pushTime)
	defer stop()
	err := s.Await(waiting, "GetTelemetrySubscriptions", func(trace []evidence.Exchange) bool {
		return len(Seen{Trace: trace}.Of("GetTelemetrySubscriptions")) > 0
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return ctx.Err()
	}
	return err
}

// pushTime is long after a client has its first connection, on which it asks at once.
const pushTime = 800 * time.Millisecond

// abortedOffset is that of the first record, which stands before its marker and the
// record that stays.
const abortedOffset = 0

// writeAborted writes a record in a transaction that is aborted, and one without any.
// The client of the experiment has no part in it.
func (s *Stand) writeAborted(ctx context.Context) error {
	p, err := s.candidate.Driver.NewTransactionalProducer(drivers.Settings{Config: Settings{
		"bootstrap.servers": s.Broker.Addrs()[0], "transactional.id": "kcompare-verify-aborted",
	}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, settingUp)
	defer cancel()
	if err := errors.Join(abort(ctx, p), closed(p.Close())); err != nil {
		return err
	}
	if err := s.Reader.AwaitDecided(ctx, []string{readTopic}); err != nil {
		return err
	}
	return s.write(ctx, 1)
}

func abort(ctx context.Context, p drivers.TransactionalProducer) error {
	if err := p.Init(ctx); err != nil {
		return err
	}
	if err := p.Begin(ctx); err != nil {
		return err
	}
	p.Produce(ctx, drivers.Record{Topic: readTopic, Value: []byte("aborted")}, func(drivers.Delivery) {})
	if err := p.Flush(ctx); err != nil {
		return err
	}
	_, err := p.Abort(ctx)
	return err
}

func (s *Stand) noteAborted(offsets []int64) {
	switch {
	case len(offsets) == 0:
		s.Note("aborted records", unseen("no record came within %v", longestRead))
	case offsets[0] == abortedOffset:
		s.Note("aborted records", saw("an aborted record is read"))
	default:
		s.Note("aborted records", saw("an aborted record is not read"))
	}
}

// fetches is a field of the first Fetch. Those of a session that follow have less.
func fetches(field string) func(Seen) Observation {
	return func(s Seen) Observation {
		for _, e := range s.Of("Fetch") {
			return said(e, field, field)
		}
		return unseen("no Fetch was sent")
	}
}

// metricsPush: a client that pushes asks which metrics the broker wants (KIP-714).
func metricsPush(s Seen) Observation {
	switch {
	case len(s.Of("GetTelemetrySubscriptions")) > 0:
		return saw("GetTelemetrySubscriptions is sent")
	case !slices.ContainsFunc(s.Trace, func(e evidence.Exchange) bool { return e.API == "ListOffsets" && e.Delivered }):
		return unseen("the client did not get that far")
	}
	return saw("no GetTelemetrySubscriptions")
}

func software(field string) func(Seen) Observation {
	return func(s Seen) Observation {
		for _, e := range s.Of("ApiVersions") {
			return said(e, field, field)
		}
		return unseen("no ApiVersions was sent")
	}
}
