package trial_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/audit"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/scenario"
)

// frank tells of assignments as the library below it does.
type frank struct{ drivers.Consumer }

func (c frank) Rebalances() []drivers.Rebalance { return c.Consumer.(drivers.Rebalancing).Rebalances() }

// Store is drivers.Storing.
func (c frank) Store(next []drivers.Position) error { return c.Consumer.(drivers.Storing).Store(next) }

// member says whether it reads in a group; the one that reads the topics at the end of
// a trial does not.
func (c frank) member() bool {
	m, err := c.GroupMetadata()
	return err == nil && m.Group != ""
}

// lazy commits nothing, and says that it did.
type lazy struct{ frank }

func (lazy) Commit(context.Context, []drivers.Position) error { return nil }

// rash commits one order more than it was told to, and stores everything.
type rash struct{ frank }

func (c rash) Commit(ctx context.Context, next []drivers.Position) error {
	return c.frank.Commit(ctx, moved(next, 1))
}

func (c rash) Store(next []drivers.Position) error { return c.frank.Store(moved(next, 5)) }

func moved(all []drivers.Position, by int64) []drivers.Position {
	all = slices.Clone(all)
	for i := range all {
		all[i].Offset += by
	}
	return all
}

// greedy commits what it returns.
type greedy struct{ frank }

func (c greedy) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.frank.Poll(ctx)
	if err != nil || len(records) == 0 || !c.member() {
		return records, err
	}
	at, err := c.Positions()
	return records, errors.Join(err, c.Commit(ctx, at))
}

// orderly commits where it stands when it is closed.
type orderly struct{ frank }

func (c orderly) Close() error {
	if !c.member() {
		return c.frank.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	at, err := c.Positions()
	if err == nil && len(at) > 0 {
		err = c.Commit(ctx, at)
	}
	return errors.Join(err, c.frank.Close())
}

// nameless does not say which member of the group it is.
type nameless struct{ frank }

func (c nameless) GroupMetadata() (drivers.GroupMetadata, error) {
	m, err := c.frank.GroupMetadata()
	return drivers.GroupMetadata{Group: m.Group, Generation: -1}, err
}

// dropper steps over one order.
type dropper struct{ frank }

func (c dropper) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.frank.Poll(ctx)
	return slices.DeleteFunc(records, func(r drivers.Record) bool { return r.Offset == 1 }), err
}

// repeater returns one order twice.
type repeater struct{ frank }

func (c repeater) Poll(ctx context.Context) ([]drivers.Record, error) {
	records, err := c.frank.Poll(ctx)
	if i := slices.IndexFunc(records, func(r drivers.Record) bool { return r.Offset == 1 }); i >= 0 {
		records = slices.Insert(slices.Clone(records), i, records[i])
	}
	return records, err
}

// strict takes no offsets of anybody.
type strict struct{ drivers.TransactionalProducer }

func (strict) SendOffsets(context.Context, []drivers.Position, drivers.GroupMetadata) error {
	return &drivers.Error{Call: "send offsets", Class: drivers.Abortable, Code: "NOBODY"}
}

func consumers[C drivers.Consumer](lie func(frank) C) meddler {
	return meddler{consumer: func(c drivers.Consumer) drivers.Consumer { return lie(frank{c}) }}
}

func settings(key, value string) meddler {
	return meddler{settings: func(set map[string]string) {
		if _, there := set[key]; there {
			set[key] = value
		}
	}}
}

// TestLiesOfMembersAreFoundOut: each claim of auto-commit and rebalance fails for a
// client that breaks it.
func TestLiesOfMembersAreFoundOut(t *testing.T) {
	beLazy := consumers(func(f frank) lazy { return lazy{f} })
	beRash := consumers(func(f frank) rash { return rash{f} })
	for _, tt := range []struct {
		scenario, variant string
		lie               meddler
		want              []evidence.AnomalyKind // at least these; none: the checks fail
	}{
		{"auto-commit", "commit=manual,end=close", beRash, []evidence.AnomalyKind{evidence.InputSkipped}},
		{"auto-commit", "commit=manual,end=crash", beLazy, nil},
		{"auto-commit", "commit=stored,end=crash", beRash, []evidence.AnomalyKind{evidence.InputSkipped}},
		{"auto-commit", "commit=auto,end=close", settings("enable.auto.commit", "false"), nil},
		{"auto-commit", "commit=auto,end=crash-before-commit", consumers(func(f frank) greedy { return greedy{f} }), nil},
		{"rebalance", "assignor=range,member=leaves", beLazy, []evidence.AnomalyKind{evidence.InputReprocessed}},
		{"rebalance", "assignor=range,member=leaves", consumers(func(f frank) dropper { return dropper{f} }),
			[]evidence.AnomalyKind{evidence.PollSkipped}},
		{"rebalance", "assignor=range,member=leaves", consumers(func(f frank) repeater { return repeater{f} }),
			[]evidence.AnomalyKind{evidence.PollNonmonotonic}},
		{"rebalance", "assignor=cooperative-sticky,member=leaves", settings("partition.assignment.strategy", "range"), nil},
		{"rebalance", "commit=none,member=leaves", consumers(func(f frank) orderly { return orderly{f} }), nil},
		{"rebalance", "member=frozen,metadata=taken-before", consumers(func(f frank) nameless { return nameless{f} }),
			[]evidence.AnomalyKind{evidence.InputReprocessed}},
	} {
		t.Run(fmt.Sprintf("%s %s %v", tt.scenario, tt.variant, tt.want), func(t *testing.T) {
			t.Parallel()
			tt.lie.Driver = franz.New()
			s := specOf(t, tt.scenario, tt.variant, tt.lie)
			if slices.Contains(tt.want, evidence.PollSkipped) {
				s.Timeout = 20 * time.Second // its program waits for the order that it never gets
			}
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

// TestRefusedZombieIsFoundOut: the control fails where the zombie's offsets are
// refused after all. The one that takes over needs its own to be taken.
func TestRefusedZombieIsFoundOut(t *testing.T) {
	made := 0
	s := specOf(t, "rebalance", "member=frozen,metadata=group-only", meddler{
		Driver: franz.New(),
		transactional: func(p drivers.TransactionalProducer) drivers.TransactionalProducer {
			if made++; made == 2 { // the shop is the first
				return strict{p}
			}
			return p
		},
	})
	got := play(t, s)
	if got.Verdict != evidence.Violated || !strings.Contains(strings.Join(got.Reasons, "\n"), "offsets of the zombie: refused") {
		t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
	}
}

// TestStagedFaultsThatDoNotFire: a crash, or a frozen process, that never came proves
// nothing.
func TestStagedFaultsThatDoNotFire(t *testing.T) {
	for _, story := range [][2]string{
		{"auto-commit", "commit=manual,end=crash"}, {"rebalance", "member=frozen,metadata=taken-before"},
	} {
		t.Run(story[0], func(t *testing.T) {
			t.Parallel()
			s := specOf(t, story[0], story[1], franz.New())
			s.Sabotage.FaultsOff = true
			got := play(t, s)
			if got.Verdict != evidence.Inconclusive || got.Faults[0].Fired != 0 {
				t.Errorf("verdict is %s because of %q, faults %+v", got.Verdict, got.Reasons, got.Faults)
			}
		})
	}
}

// TestD05AbortAndPollOn: ten orders; the first transaction reads five, sends their
// offsets and aborts, the program polls on and commits the other five. The abort took
// back the offsets and not the position, so that the first five are lost for ever.
func TestD05AbortAndPollOn(t *testing.T) {
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			s := specOf(t, "read-process-write", "after-abort=poll-on", d)
			var committed int64
			s.Variant.Plan = func(scenario.Parameters) fault.Plan { return nil }
			s.Variant.Inputs, s.Variant.Outputs = tenOrders, []string{"processed-orders"}
			s.Variant.Run = func(ctx context.Context, st *scenario.Stage) (err error) {
				committed, err = abortAndPollOn(ctx, st)
				return err
			}
			got := play(t, s)
			want := []evidence.Anomaly{{Kind: evidence.InputSkipped, Count: 5, Cause: audit.SkippedAborted, First: "order_0"}}
			if diff := cmp.Diff(want, got.Anomalies); diff != "" {
				t.Errorf("anomalies (-want +got):\n%s", diff)
			}
			if committed != 10 || got.Counts[evidence.Visible] != 5 {
				t.Errorf("committed offset %d, %d outputs visible; want 10 and 5", committed, got.Counts[evidence.Visible])
			}
		})
	}
}

func tenOrders(scenario.Parameters) (inputs []scenario.Input) {
	for n := range 10 {
		inputs = append(inputs, scenario.Input{Valid: true, Message: scenario.Message{
			Topic: "orders", ID: evidence.RecordID{Role: "orders", N: n}, Key: fmt.Appendf(nil, "order_%d", n),
		}})
	}
	return inputs
}

func abortAndPollOn(ctx context.Context, s *scenario.Stage) (committed int64, err error) {
	c, err := s.NewConsumer("")
	if err != nil {
		return 0, err
	}
	p, err := s.NewTransactionalProducer("")
	if err != nil {
		return 0, err
	}
	if err := errors.Join(p.Init(ctx), c.Subscribe(ctx, "orders"), p.Begin(ctx)); err != nil {
		return 0, err
	}
	end := map[int64]func(context.Context) error{4: p.Abort, 9: p.Commit}
	for {
		records, err := c.Poll(ctx)
		if err != nil {
			return 0, err
		}
		for _, r := range records {
			p.Send(ctx, scenario.Message{
				Topic: "processed-orders", ID: evidence.RecordID{Role: "orders", N: int(r.Offset)}, Key: r.Key,
			})
			if end[r.Offset] == nil {
				continue
			}
			tp := drivers.TopicPartition{Topic: r.Topic, Partition: r.Partition}
			next := drivers.Position{TopicPartition: tp, Offset: r.Offset + 1}
			if err := errors.Join(p.Wait(ctx), p.SendOffsets(ctx, next, c), end[r.Offset](ctx)); err != nil {
				return 0, err
			}
			if r.Offset == 9 {
				return c.Stored(ctx, tp)
			}
			if err := p.Begin(ctx); err != nil {
				return 0, err
			}
		}
	}
}

// TestD06LastOffsetForNext: offset 9 is committed of ten orders, and the last one is
// processed twice although every call succeeded.
func TestD06LastOffsetForNext(t *testing.T) {
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			got := play(t, specOf(t, "read-process-write", "offset=last", d))
			want := []evidence.Anomaly{
				{Kind: evidence.Duplicate, Count: 1, Allowed: true, Cause: audit.DuplicateSession, First: "order_9"},
				{Kind: evidence.InputReprocessed, Count: 1, Allowed: true, Cause: audit.ReprocessedOther, First: "order_9"},
			}
			if diff := cmp.Diff(want, got.Anomalies); diff != "" {
				t.Errorf("anomalies (-want +got):\n%s", diff)
			}
			if len(got.Errors) > 0 || got.Answers[0].Answer != "9" {
				t.Errorf("errors %v, answers %v", got.Errors, got.Answers)
			}
		})
	}
}

// TestB02NewGroup: a new group, five records in the topic, and nothing said of where to
// begin. librdkafka begins behind them, franz-go with the first one.
func TestB02NewGroup(t *testing.T) {
	cluster, err := broker.StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	reader, err := broker.NewReader(cluster.Addrs(), cluster.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, d := range clients(t) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		topic := "kcompare-b02-" + d.Client()
		if _, err := reader.CreateTopics(ctx, []broker.Topic{{Name: topic, Partitions: 1}}); err != nil {
			t.Fatal(err)
		}
		five := slices.Repeat([]drivers.Record{{Topic: topic, Value: []byte("payment")}}, 5)
		if err := reader.Write(ctx, five); err != nil {
			t.Fatal(err)
		}
		at := slices.Collect(maps.Values(cluster.Addrs()))
		c, err := d.NewConsumer(drivers.Settings{Config: map[string]string{"bootstrap.servers": at[0], "group.id": topic}})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Subscribe(ctx, []string{topic}); err != nil {
			t.Fatal(err)
		}
		first, err := firstOf(ctx, c, func() error { return reader.Write(ctx, five[:1]) })
		if err := errors.Join(err, c.Close()); err != nil {
			t.Fatalf("%s: %v", d.Client(), err)
		}
		if d.Client() == "franz" && first != 0 || d.Client() == "librdkafka" && first < 5 {
			t.Errorf("the first record that %s returned has offset %d", d.Client(), first)
		}
	}
}

// firstOf is the offset of the first record that comes. Nothing says when a library
// has found out where it begins, so more is written until something comes.
func firstOf(ctx context.Context, c drivers.Consumer, write func() error) (int64, error) {
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		records, err := c.Poll(short)
		cancel()
		switch {
		case err != nil:
			return 0, err
		case len(records) > 0:
			return records[0].Offset, nil
		}
		if err := write(); err != nil {
			return 0, err
		}
	}
	return 0, ctx.Err()
}
