package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

const (
	waitingRecords = 5

	// unaskedCommit is how long an automatic commit may take after two heartbeats: more
	// than twice the five seconds that are usual.
	unaskedCommit = 12 * time.Second
)

func defaultConsumer() Variant {
	v := bare("role=consumer", catalogued)
	v.Consuming = map[string]string{"group.id": "kcompare-defaults"}
	v.Needs = drivers.Abilities{Groups: true}
	v.About = func(Parameters) string {
		return fmt.Sprintf("a topic with %d records; a new group reads it, and one more record comes. Nothing is set but the address and the group.id.", waitingRecords)
	}
	v.Inputs = func(Parameters) []Input {
		var all []Input
		for n := range waitingRecords {
			all = append(all, Input{Message: waitingRecord(n)})
		}
		return all
	}
	v.Records = func(_ Parameters, place partition.Func) []fault.Record {
		return []fault.Record{waitingRecord(waitingRecords).planned(place, 1)}
	}
	v.Run = consumeByDefault
	v.Conclude = concludeConsumer
	return v
}

func waitingRecord(n int) Message {
	return Message{Topic: waitingTopic, ID: evidence.RecordID{Role: waitingTopic, N: n}, Value: fmt.Appendf(nil, "record %d", n)}
}

// consumeByDefault lets the consumer find its place before the last record is written,
// so that a consumer which begins at the end gets that one alone. It polls all the time,
// as programs do, until it has been seen to commit and to send two heartbeats.
func consumeByDefault(ctx context.Context, s *Stage) error {
	c, err := s.NewConsumer("")
	if err != nil {
		return err
	}
	if err := c.Subscribe(ctx, waitingTopic); err != nil {
		return err
	}
	before, err := c.pollUntil(ctx, requested(s, "Fetch"))
	if err != nil {
		return err
	}
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	last := waitingRecord(waitingRecords)
	p.Send(ctx, last)
	after, err := c.pollFor(ctx, last)
	if err != nil {
		return err
	}
	s.Answer(evidence.Answer{
		Question: "records before the group that it gets",
		Answer:   fmt.Sprintf("%d of %d", len(before)+len(after)-1, waitingRecords),
		Expected: earlierRecords(s.ConsumingDefaults["auto.offset.reset"]),
	})
	return keepPolling(ctx, s, c)
}

// earlierRecords is what a new group gets of the records that were there before it; ""
// where nobody knows.
func earlierRecords(reset string) string {
	switch reset {
	case "latest":
		return fmt.Sprintf("0 of %d", waitingRecords)
	case "earliest":
		return fmt.Sprintf("%d of %d", waitingRecords, waitingRecords)
	}
	return ""
}

func keepPolling(ctx context.Context, s *Stage, c *Consumer) error {
	if _, err := c.pollUntil(ctx, func(ctx context.Context) error {
		first, err := s.Watch.Exchange(ctx, isRequest("Heartbeat", 0))
		if err == nil {
			_, err = s.Watch.Exchange(ctx, isRequest("Heartbeat", first.N))
		}
		return err
	}); err != nil {
		return err
	}
	_, err := c.pollUntil(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, unaskedCommit)
		defer cancel()
		_, err := s.Watch.Exchange(ctx, isRequest("OffsetCommit", 0))
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // it does not commit by itself: that is an answer
		}
		return err
	})
	return err
}

func requested(s *Stage, api string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.Watch.Exchange(ctx, isRequest(api, 0))
		return err
	}
}

// isRequest is a request of an API after the nth of the trial.
func isRequest(api string, after int64) func(evidence.Exchange) bool {
	return func(e evidence.Exchange) bool { return e.API == api && e.N > after }
}

// Assign reads a topic of one partition from its start, without a group.
func (c *Consumer) Assign(ctx context.Context, role string) error {
	return c.noted("assign", c.client.Assign(ctx, []drivers.Position{{
		TopicPartition: drivers.TopicPartition{Topic: c.stage.Topics[role]}, Offset: drivers.OffsetStart,
	}}))
}

// pollFor polls until the message has come, and returns everything up to it.
func (c *Consumer) pollFor(ctx context.Context, m Message) ([]drivers.Record, error) {
	var all []drivers.Record
	for {
		records, err := c.Poll(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
		if slices.ContainsFunc(records, func(r drivers.Record) bool { return string(r.Value) == string(m.Value) }) {
			return all, nil
		}
	}
}

// pollUntil polls while something is waited for, and returns what came meanwhile.
func (c *Consumer) pollUntil(ctx context.Context, happened func(context.Context) error) ([]drivers.Record, error) {
	polling, stop := context.WithCancel(ctx)
	waited := make(chan error, 1)
	go func() {
		waited <- happened(polling)
		stop()
	}()
	var all []drivers.Record
	var err error
	for polling.Err() == nil && err == nil {
		var records []drivers.Record
		records, err = c.Poll(polling)
		all = append(all, records...)
	}
	if polling.Err() != nil {
		err = nil // the end of the poll, which was asked for
	}
	stop()
	if failed := <-waited; err == nil {
		err = failed
	}
	return all, err
}

func concludeConsumer(o *evidence.Observed) []evidence.Answer {
	w := wire{o.Trace.Exchanges, o.ConsumingDefaults}
	all := append(knownVersion(o, o.ConsumingDefaults), w.clientID())
	all = append(all, w.answers(factsOfConsumers())...)
	all = append(all, w.groupProtocol(), w.commits(), w.fetchSessions())
	all = append(all, w.intervals()...)
	return append(all, w.versions("Fetch", "ListOffsets", "JoinGroup", "OffsetCommit")...)
}

// groupProtocol: KIP-848 has a request of its own in the place of JoinGroup.
func (w wire) groupProtocol() evidence.Answer {
	_, classic := w.first("JoinGroup")
	_, consumer := w.first("ConsumerGroupHeartbeat")
	value := ""
	switch {
	case consumer:
		value = "consumer"
	case classic:
		value = "classic"
	}
	return w.answer("group.protocol", value)
}

// commits: the program never asks for one.
func (w wire) commits() evidence.Answer {
	_, sent := w.first("OffsetCommit")
	return w.answer("enable.auto.commit", fmt.Sprint(sent))
}

// fetchSessions is no setting of every library; epoch -1 asks for no session (KIP-227).
func (w wire) fetchSessions() evidence.Answer {
	value := "used"
	switch w.of("Fetch", "session_epoch") {
	case "":
		value = ""
	case "-1":
		value = "not used"
	}
	return evidence.Answer{Question: "fetch sessions (KIP-227)", Answer: value}
}

// intervals are measured between the requests themselves.
func (w wire) intervals() []evidence.Answer {
	gap := func(from, to evidence.Exchange, both bool) string {
		if !both {
			return "not seen"
		}
		return millis(time.Duration(to.At-from.At) * time.Microsecond)
	}
	first, one := w.first("Heartbeat")
	second, two := w.after(first, "Heartbeat")
	joined, member := w.first("SyncGroup")
	commit, committed := w.first("OffsetCommit")
	return []evidence.Answer{
		measured("heartbeat.interval.ms", gap(first, second, one && two)),
		measured("auto.commit.interval.ms", gap(joined, commit, member && committed)),
	}
}

// after is the next request of an API behind another one.
func (w wire) after(e evidence.Exchange, api string) (evidence.Exchange, bool) {
	i := slices.IndexFunc(w.exchanges, isRequest(api, e.N))
	if i < 0 {
		return evidence.Exchange{}, false
	}
	return w.exchanges[i], true
}

// decidedVariant writes commit 2, abort 2, commit 2 and lets a consumer with the
// settings of the variant read that.
func decidedVariant(name, claim string) Variant {
	v := bare(name, claim)
	v.Settings = map[string]string{"transactional.id": "kcompare-defaults"}
	v.Consuming = map[string]string{}
	v.Needs = drivers.Abilities{Idempotence: true, Transactions: true}
	v.BothViews = true
	v.Checks = []evidence.Check{
		check(evidence.LogDelta, "==", 9), check(evidence.LogRecords, "==", 6), check(evidence.Visible, "==", 4),
		check(evidence.LostRecords, "==", 0), check(evidence.AbortedSeen, "==", 0),
	}
	v.About = func(Parameters) string {
		return "one partition: commit 2 records, abort 2, commit 2; then a consumer reads it from its start."
	}
	v.Records = func(_ Parameters, place partition.Func) []fault.Record {
		var records []fault.Record
		for n := range 6 {
			records = append(records, decidedRecord(n).planned(place, 1))
		}
		return records
	}
	return v
}

func decidedRecord(n int) Message {
	return Message{Topic: decidedTopic, ID: evidence.RecordID{Role: decidedTopic, N: n}, Value: fmt.Appendf(nil, "record %d", n)}
}

func defaultIsolation() Variant {
	v := decidedVariant("isolation.level=default", "end offset 9, six records, three markers, four of them committed; a consumer gets what its default isolation level says")
	v.Run = func(ctx context.Context, s *Stage) error {
		return decideAndRead(ctx, s, s.ConsumingDefaults["isolation.level"])
	}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		return append(knownVersion(o, o.ConsumingDefaults), concludeDecided(o, o.ConsumingDefaults["isolation.level"])...)
	}
	return v
}

func committedIsolation() Variant {
	v := decidedVariant("isolation.level=read_committed", "with isolation.level=read_committed a consumer gets the four committed records")
	v.Consuming = map[string]string{"isolation.level": "read_committed"}
	v.Run = func(ctx context.Context, s *Stage) error { return decideAndRead(ctx, s, "read_committed") }
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return concludeDecided(o, "read_committed") }
	return v
}

func decideAndRead(ctx context.Context, s *Stage, isolation string) error {
	p, err := s.NewTransactionalProducer("")
	if err != nil {
		return err
	}
	if err := p.Init(ctx); err != nil {
		return err
	}
	for n := 0; n < 6; n += 2 {
		if err := p.begins(ctx, decidedRecord(n), decidedRecord(n+1)); err != nil {
			return err
		}
		end := p.Commit
		if n == 2 {
			end = p.Abort
		}
		if err := end(ctx); err != nil {
			return err
		}
	}
	if err := s.Watch.Decided(ctx); err != nil {
		return err
	}
	return readDecided(ctx, s, isolation)
}

// readDecided ends with the last record, which is committed and so reaches every
// consumer. What is expected of it depends on its isolation level.
func readDecided(ctx context.Context, s *Stage, isolation string) error {
	c, err := s.NewConsumer("")
	if err != nil {
		return err
	}
	if err := c.Assign(ctx, decidedTopic); err != nil {
		return err
	}
	records, err := c.pollFor(ctx, decidedRecord(5))
	if err != nil {
		return err
	}
	var offsets []int64
	for _, r := range records {
		offsets = append(offsets, r.Offset)
	}
	s.Answer(evidence.Answer{
		Question: "offsets that the consumer gets", Answer: listed(offsets),
		Expected: map[string]string{"read_committed": committedOffsets, "read_uncommitted": dataOffsets}[isolation],
	})
	return nil
}

// The offsets of decided.
const (
	dataOffsets      = "0 1 3 4 6 7"
	markerOffsets    = "2 5 8"
	committedOffsets = "0 1 6 7"
)

// concludeDecided is what stands in the log, and what the consumer asked for.
func concludeDecided(o *evidence.Observed, isolation string) []evidence.Answer {
	var data, markers []int64
	for _, p := range o.Log.Partitions {
		for _, b := range p.Batches {
			if b.Control != "" {
				markers = append(markers, b.BaseOffset)
			}
			for _, r := range b.Records {
				data = append(data, r.Offset)
			}
		}
	}
	w := wire{o.Trace.Exchanges, map[string]string{"isolation.level": isolation}}
	answers := w.answers([]fact{{"isolation.level", "Fetch", "isolation_level", spelling{"0": "read_uncommitted", "1": "read_committed"}.of}})
	return append(answers,
		evidence.Answer{Question: "offsets with data", Answer: listed(data), Expected: dataOffsets},
		evidence.Answer{Question: "offsets with markers", Answer: listed(markers), Expected: markerOffsets},
	)
}

func listed(offsets []int64) string {
	return strings.Trim(fmt.Sprint(offsets), "[]")
}
