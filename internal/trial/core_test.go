package trial_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/audit"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
)

// specOf is a small trial of any variant.
func specOf(t *testing.T, name, variant string, d drivers.Driver) trial.Spec {
	t.Helper()
	s, _ := scenario.ByName(name)
	i := slices.IndexFunc(s.Variants, func(v scenario.Variant) bool { return v.Name == variant })
	if i < 0 {
		t.Fatalf("%s has no variant %s", name, variant)
	}
	p := scenario.DefaultParameters()
	p.Messages = 100
	return trial.Spec{
		Scenario: s, Variant: s.Variants[i], Driver: d, Parameters: p,
		Seed: 1, Nodes: 3, Timeout: time.Minute, Now: time.Now, Contestants: contestants(t),
	}
}

// broken are the trials in which a library breaks a promise on the embedded broker,
// by "scenario variant client": what kcompare is there to show. Where one is kept
// from some version on, the test says so.
func broken() map[string]bool {
	return map[string]bool{
		// It sends the request that it has built before the one that was refused.
		"reorder enable.idempotence=false,max.in.flight=1 librdkafka": true,
		// It renumbers a batch that waits to be sent again, and may be in the log.
		"delivery-timeout epoch=raised librdkafka": true,
		// librdkafka 2.11.1 has no KIP-890: the end of one transaction ends the next one,
		// and a record of one enters the next one (docs/late-commit.md).
		"late-commit late=commit,then=end librdkafka":                   true,
		"late-commit late=commit,then=write librdkafka":                 true,
		"late-commit late=abort,then=write librdkafka":                  true,
		"late-commit late=produce,of=aborted,partition=open librdkafka": true,
	}
}

// TestTheStoriesHold plays every variant on both libraries, with other numbers than a
// run has by default. -short, which the race detector runs with, leaves it at the core.
func TestTheStoriesHold(t *testing.T) {
	for _, s := range scenario.All() {
		if testing.Short() && !s.Core {
			continue
		}
		for _, v := range s.Variants {
			for _, d := range clients(t) {
				name := s.Name + " " + v.Name + " " + d.Client()
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					got := play(t, specOf(t, s.Name, v.Name, d))
					want := []evidence.Verdict{evidence.Holds, evidence.NotSupported}
					if broken()[name] {
						want = []evidence.Verdict{evidence.Violated}
					}
					if !slices.Contains(want, got.Verdict) {
						t.Errorf("verdict is %s, expected %v: %q", got.Verdict, want, got.Reasons)
					}
				})
			}
		}
	}
}

// meddler is a real library, some of whose clients are not what they seem.
type meddler struct {
	drivers.Driver
	producer      func(drivers.Producer) drivers.Producer
	transactional func(drivers.TransactionalProducer) drivers.TransactionalProducer
	consumer      func(drivers.Consumer) drivers.Consumer
	settings      func(map[string]string)
}

func (m meddler) with(s drivers.Settings) drivers.Settings {
	if m.settings != nil {
		s.Config = maps.Clone(s.Config)
		m.settings(s.Config)
	}
	return s
}

func (m meddler) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	p, err := m.Driver.NewProducer(m.with(s))
	if err == nil && m.producer != nil {
		p = m.producer(p)
	}
	return p, err
}

func (m meddler) NewTransactionalProducer(s drivers.Settings) (drivers.TransactionalProducer, error) {
	p, err := m.Driver.NewTransactionalProducer(m.with(s))
	if err == nil && m.transactional != nil {
		p = m.transactional(p)
	}
	return p, err
}

func (m meddler) NewConsumer(s drivers.Settings) (drivers.Consumer, error) {
	c, err := m.Driver.NewConsumer(m.with(s))
	if err == nil && m.consumer != nil {
		c = m.consumer(c)
	}
	return c, err
}

// twice sends every record twice.
type twice struct{ drivers.Producer }

func (p twice) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.Producer.Produce(ctx, r, report)
	p.Producer.Produce(ctx, r, func(drivers.Delivery) {})
}

// secretive keeps every seventh record to itself and says that it was written.
type secretive struct {
	drivers.Producer
	n atomic.Int64
}

func (p *secretive) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if p.n.Add(1)%7 == 0 {
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
		return
	}
	p.Producer.Produce(ctx, r, report)
}

// committer commits whatever it is asked to abort.
type committer struct{ drivers.TransactionalProducer }

func (p committer) Abort(ctx context.Context) (drivers.TransactionOutcome, error) {
	if outcome, err := p.Commit(ctx); err != nil {
		return outcome, err
	}
	return drivers.Aborted, nil
}

// partial writes nothing to one of the topics, and says that it did.
type partial struct{ drivers.TransactionalProducer }

func (p partial) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if r.Topic == "kcompare-transactional-notifications" {
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
		return
	}
	p.TransactionalProducer.Produce(ctx, r, report)
}

// forgetful sends no offsets.
type forgetful struct{ drivers.TransactionalProducer }

func (forgetful) SendOffsets(context.Context, []drivers.Position, drivers.GroupMetadata) error {
	return nil
}

// hasty seeks behind the record that it is to read again.
type hasty struct{ drivers.Consumer }

func (c hasty) Seek(ctx context.Context, to drivers.Position) error {
	to.Offset++
	return c.Consumer.Seek(ctx, to)
}

// squeamish steps over some records of the orders topic.
type squeamish struct{ drivers.Consumer }

func (c squeamish) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.Consumer.Poll(ctx)
	return slices.DeleteFunc(records, func(r drivers.Record) bool {
		return r.Topic == "kcompare-transactional-orders" && r.Offset == 0
	}), err
}

// TestLiesAreFoundOut: each claim of the core fails for a client that breaks it.
func TestLiesAreFoundOut(t *testing.T) {
	remembers := &memory{sent: map[string]bool{}}
	instance := 0
	ownID := func(set map[string]string) {
		if set["transactional.id"] != "" {
			instance++
			set["transactional.id"] += fmt.Sprint("-", instance)
		}
	}
	patient := func(set map[string]string) {
		if set["acks"] == "0" {
			set["acks"] = "all"
		}
	}
	for _, tt := range []struct {
		scenario, variant string
		lie               meddler
		want              []evidence.AnomalyKind // at least these; none: the checks fail
	}{
		{"at-most-once", "acks=0", meddler{producer: func(p drivers.Producer) drivers.Producer { return twice{p} }},
			[]evidence.AnomalyKind{evidence.Duplicate}},
		{"at-most-once", "acks=1,retries=0", meddler{producer: func(p drivers.Producer) drivers.Producer { return twice{p} }},
			[]evidence.AnomalyKind{evidence.Duplicate}},
		{"at-least-once", "acks=all", meddler{producer: func(p drivers.Producer) drivers.Producer { return &secretive{Producer: p} }},
			[]evidence.AnomalyKind{evidence.Lost}},
		{"at-least-once", "acks=0", meddler{settings: patient}, nil},
		{"transactional", "end=abort", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return committer{p} }},
			[]evidence.AnomalyKind{evidence.AbortedVisible}},
		{"transactional", "end=commit", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return partial{p} }},
			[]evidence.AnomalyKind{evidence.Lost, evidence.TornTransaction}},
		{"transactional", "isolation=read_uncommitted", meddler{consumer: func(c drivers.Consumer) drivers.Consumer { return squeamish{c} }},
			[]evidence.AnomalyKind{evidence.PollSkipped}},
		{"zombie", "producer=transactional", meddler{settings: ownID},
			[]evidence.AnomalyKind{evidence.FencedWriteVisible}},
		{"read-process-write", "after-abort=seek", meddler{consumer: func(c drivers.Consumer) drivers.Consumer { return hasty{c} }},
			[]evidence.AnomalyKind{evidence.InputSkipped}},
		{"read-process-write", "after-abort=seek", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return forgetful{p} }},
			[]evidence.AnomalyKind{evidence.InputReprocessed}},
		{"idempotent", "enable.idempotence=true,retries=1,sends=sequential", meddler{producer: func(p drivers.Producer) drivers.Producer { return &secretive{Producer: p} }},
			[]evidence.AnomalyKind{evidence.Lost}},
		{"idempotent", "enable.idempotence=true,retries=1,sends=concurrent", setting("enable.idempotence", "false"),
			[]evidence.AnomalyKind{evidence.Duplicate}},
		{"at-least-once", "acks=all,sends=concurrent", meddler{producer: func(p drivers.Producer) drivers.Producer { return &secretive{Producer: p} }},
			[]evidence.AnomalyKind{evidence.Lost}},
		{"at-most-once", "acks=1,retries=0,sends=concurrent", setting("retries", "30"),
			[]evidence.AnomalyKind{evidence.Duplicate}},
		{"transactional", "end=commit,sends=sequential", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return partial{p} }},
			[]evidence.AnomalyKind{evidence.Lost, evidence.TornTransaction}},
		{"transactional", "end=mixed,sends=concurrent", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return committer{p} }},
			[]evidence.AnomalyKind{evidence.AbortedVisible}},
		{"transactional", "end=commit,retries=1,sends=sequential", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return partial{p} }},
			[]evidence.AnomalyKind{evidence.Lost, evidence.TornTransaction}},
		{"transactional", "end=commit,retries=1,sends=concurrent", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return partial{p} }},
			[]evidence.AnomalyKind{evidence.Lost, evidence.TornTransaction}},
		{"read-process-write", "after-abort=seek,sends=sequential", meddler{transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer { return forgetful{p} }},
			[]evidence.AnomalyKind{evidence.InputReprocessed}},
		{"zombie", "producer=transactional,sends=sequential", meddler{settings: ownID},
			[]evidence.AnomalyKind{evidence.FencedWriteVisible}},
		{"zombie", "producer=idempotent,sends=sequential", meddler{producer: func(p drivers.Producer) drivers.Producer { return remembering{p, remembers} }}, nil},
	} {
		t.Run(tt.scenario+" "+tt.variant, func(t *testing.T) {
			t.Parallel()
			tt.lie.Driver = franz.New()
			s := specOf(t, tt.scenario, tt.variant, tt.lie)
			s.Timeout = 15 * time.Second // on a machine that plays many stories at once
			got := play(t, s)
			for _, kind := range tt.want {
				if !slices.ContainsFunc(got.Anomalies, func(a evidence.Anomaly) bool { return a.Kind == kind && !a.Allowed }) {
					t.Errorf("%s is not named: %v", kind, got.Anomalies)
				}
			}
			if got.Verdict != evidence.Violated {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
		})
	}
}

// TestCodecs: a plan finds its records, and the audit its identities, in batches
// of every codec. The payments are long, because librdkafka sends a batch as it is
// when compression does not make it smaller.
func TestCodecs(t *testing.T) {
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		for _, d := range clients(t) {
			t.Run(codec+" "+d.Client(), func(t *testing.T) {
				t.Parallel()
				s := spec(t, "enable.idempotence=true,sends=sequential", d)
				s.Overrides = map[string]string{"compression.type": codec}
				s.Variant.OneRecordPerBatch = false
				s.Variant.Run = sendLong
				seen, err := trial.Run(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				got := audit.Audit(seen)
				if verdict, reasons := verdict.Judge(got); verdict != evidence.Holds || got.Faults[0].Fired == 0 {
					t.Errorf("verdict is %s: %q; faults %+v", verdict, reasons, got.Faults)
				}
				if want := strings.TrimPrefix(codec, "none"); !onTheWire(seen, want) {
					t.Errorf("codec %q was not on the wire: the test proves nothing", codec)
				}
			})
		}
	}
}

func sendLong(ctx context.Context, s *scenario.Stage) error {
	p, err := s.NewProducer("")
	for n := 0; err == nil && n < s.Parameters.Messages; n++ {
		p.Send(ctx, scenario.Message{
			Topic: "payments", ID: evidence.RecordID{Role: "payments", N: n},
			Key: fmt.Appendf(nil, "order-%04d", n), Value: bytes.Repeat([]byte("payment "), 200),
		})
		err = p.Wait(ctx)
	}
	return err
}

// onTheWire says whether every batch was compressed so.
func onTheWire(seen *evidence.Observed, codec string) bool {
	batches := 0
	for _, e := range seen.Trace.Exchanges {
		for _, b := range e.Batches {
			if batches++; b.Codec != codec {
				return false
			}
		}
	}
	return batches > 0
}
