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
			{Key: "enable.metrics.push", See: metricsPush},
			{Key: "client.software.name", See: software("client_software_name")},
			{Key: "client.software.version", See: software("client_software_version")},
		},
	}
}

// longestRead is how long the committed record is waited for: fetch.min.bytes and
// fetch.wait.max.ms may keep it back for ever.
const longestRead = 2 * time.Second

// playReader ends when the client has asked about telemetry as well, which it does when
// it has its first connection, or never.
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
	offsets, err := pollTo(ctx, c, committedOffset)
	if err != nil {
		return err
	}
	s.noteAborted(offsets)
	return errors.Join(s.write(ctx, 1), c.Close()) // the record ends the Fetch that librdkafka would wait for
}

// What writeAborted leaves: the record, its marker, and the record that stays.
const (
	abortedOffset   = 0
	committedOffset = 2
)

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
	if err := errors.Join(abort(ctx, p), p.Close()); err != nil {
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

// pollTo polls until the record with that offset has come, or it is no use to wait any
// longer.
func pollTo(ctx context.Context, c drivers.Consumer, last int64) ([]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, longestRead)
	defer cancel()
	var offsets []int64
	for ctx.Err() == nil && !slices.Contains(offsets, last) {
		records, err := c.Poll(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			offsets = append(offsets, r.Offset)
		}
	}
	return offsets, nil
}

func (s *Stand) noteAborted(offsets []int64) {
	switch {
	case !slices.Contains(offsets, committedOffset):
		s.Note("aborted records", unseen("no record came within %v", longestRead))
	case slices.Contains(offsets, abortedOffset):
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
