package sarama

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
)

// filled has ten records in each partition of a topic.
func filled(t *testing.T, partitions int32) (context.Context, drivertest.Cluster, string) {
	t.Helper()
	ctx, cluster, topic := start(t, partitions)
	p, err := New().NewProducer(drivers.Settings{Config: cluster.Config()})
	if err != nil {
		t.Fatal(err)
	}
	var r reports
	for i := range 10 * partitions {
		p.Produce(ctx, drivers.Record{Topic: topic, Partition: i % partitions, Value: []byte("x")}, r.add)
	}
	if err := errors.Join(p.Flush(ctx), p.Close()); err != nil || r.snapshot()["acked"] != int(10*partitions) {
		t.Fatalf("%v: %v", r.snapshot(), err)
	}
	return ctx, cluster, topic
}

// subscribed is a member, and is closed when the test ends.
func subscribed(ctx context.Context, t *testing.T, cluster drivertest.Cluster, topic, settings string) *consumer {
	t.Helper()
	config := cluster.Config()
	maps.Copy(config, pairs("group.id=g auto.offset.reset=earliest fetch.wait.max.ms=50 heartbeat.interval.ms=50 "+settings))
	c, err := New().NewConsumer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Subscribe(ctx, []string{topic}); err != nil {
		t.Fatal(err)
	}
	return c.(*consumer)
}

// offsets polls until there are n records, and has their offsets by partition.
func offsets(ctx context.Context, t *testing.T, c drivers.Consumer, n int) map[int32][]int64 {
	t.Helper()
	all := map[int32][]int64{}
	for got := 0; got < n; {
		records, err := c.Poll(ctx)
		if err != nil || ctx.Err() != nil {
			t.Fatalf("after %d of %d records: %v", got, n, errors.Join(err, ctx.Err()))
		}
		for _, r := range records {
			all[r.Partition] = append(all[r.Partition], r.Offset)
		}
		got += len(records)
	}
	return all
}

func at(topic string, partition int32, offset int64) drivers.Position {
	return drivers.Position{TopicPartition: drivers.TopicPartition{Topic: topic, Partition: partition}, Offset: offset}
}

// TestSeekInGroup: a member goes back in one partition and beyond its committed offset in
// another, which takes one new session. Nothing of the old one comes after Seek, and the
// third partition goes on where it was, though nothing is committed of it.
func TestSeekInGroup(t *testing.T) {
	ctx, cluster, topic := filled(t, 3)
	c := subscribed(ctx, t, cluster, topic, "")
	offsets(ctx, t, c, 30)
	if err := c.Commit(ctx, []drivers.Position{at(topic, 0, 10), at(topic, 1, 3)}); err != nil {
		t.Fatal(err)
	}
	before, _ := c.GroupMetadata()
	to := []drivers.Position{at(topic, 0, 7), at(topic, 1, 8), at(topic, 2, 10)}
	if err := errors.Join(c.Seek(ctx, to[0]), c.Seek(ctx, to[1])); err != nil {
		t.Fatal(err)
	}
	if got, _ := c.Positions(); !cmp.Equal(to, got) {
		t.Errorf("positions after the seek: %v, expected %v", got, to)
	}
	p, err := New().NewProducer(drivers.Settings{Config: cluster.Config()})
	if err != nil {
		t.Fatal(err)
	}
	p.Produce(ctx, drivers.Record{Topic: topic, Partition: 2}, func(drivers.Delivery) {})
	if err := errors.Join(p.Flush(ctx), p.Close()); err != nil {
		t.Fatal(err)
	}
	want := map[int32][]int64{0: {7, 8, 9}, 1: {8, 9}, 2: {10}}
	if diff := cmp.Diff(want, offsets(ctx, t, c, 6)); diff != "" {
		t.Errorf("offsets after the seek (-want +got):\n%s", diff)
	}
	after, _ := c.GroupMetadata()
	if after.Member != before.Member || after.Generation != before.Generation+1 {
		t.Errorf("the member is %s of generation %d after the seek, it was %s of %d", after.Member, after.Generation, before.Member, before.Generation)
	}
	var changes []drivers.Change
	for _, r := range c.Rebalances() {
		changes = append(changes, r.Change)
	}
	if diff := cmp.Diff([]drivers.Change{drivers.Assigned, drivers.Revoked, drivers.Assigned}, changes); diff != "" {
		t.Errorf("rebalances (-want +got):\n%s", diff)
	}
	stored, err := cluster.Offsets(ctx, "g")
	if diff := cmp.Diff([]drivers.Position{at(topic, 0, 10), at(topic, 1, 3)}, stored); diff != "" || err != nil {
		t.Errorf("a seek committed something (-want +got):\n%s%v", diff, err)
	}
}

// TestAutomaticCommits: what Poll returned is committed at the end, and what the program
// stores where it does that itself.
func TestAutomaticCommits(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		store    []drivers.Position
		want     []int64
	}{
		"polled": {"enable.auto.commit=true", nil, []int64{10}},
		"stored": {"enable.auto.commit=true enable.auto.offset.store=false", []drivers.Position{{Offset: 4}}, []int64{4}},
		"off":    {"enable.auto.commit=false", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cluster, topic := filled(t, 1)
			c := subscribed(ctx, t, cluster, topic, tt.settings)
			offsets(ctx, t, c, 10)
			for _, p := range tt.store {
				if err := c.Store([]drivers.Position{at(topic, 0, p.Offset)}); err != nil {
					t.Error(err)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			stored, err := cluster.Offsets(ctx, "g")
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, p := range stored {
				got = append(got, p.Offset)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRebalance: a second member takes a partition from the first one, who is told. With
// range the first loses both and gets one back, with cooperative-sticky it loses one.
func TestRebalance(t *testing.T) {
	tp := func(topic string, partitions ...int32) []drivers.TopicPartition {
		var all []drivers.TopicPartition
		for _, p := range partitions {
			all = append(all, drivers.TopicPartition{Topic: topic, Partition: p})
		}
		return all
	}
	for strategy, want := range map[string][]int{"range": {2, 2, 1}, "cooperative-sticky": {2, 1}} {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			ctx, cluster, topic := filled(t, 2)
			first := subscribed(ctx, t, cluster, topic, "partition.assignment.strategy="+strategy)
			offsets(ctx, t, first, 20)
			second := subscribed(ctx, t, cluster, topic, "partition.assignment.strategy="+strategy)
			offsets(ctx, t, second, 10)
			var told []drivers.Rebalance
			for len(told) < len(want) && ctx.Err() == nil {
				told = append(told, first.Rebalances()...)
			}
			var got []int
			for _, r := range told {
				got = append(got, len(r.Partitions))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("partitions of each change (-want +got):\n%s\n%v", diff, told)
			}
			if len(told) > 1 && (told[0].After != 0 || told[1].After != 20 || told[1].Change != drivers.Revoked) {
				t.Errorf("told %v, expected all assigned after 0 records and some revoked after 20", told)
			}
			if len(told) > 0 && !cmp.Equal(tp(topic, 0, 1), told[0].Partitions) {
				t.Errorf("first assignment: %v", told[0].Partitions)
			}
		})
	}
}

// TestCommitOfStranger: who is no member is refused while the group has some, by the code
// that the coordinator gives; a member proves that it is one.
func TestCommitOfStranger(t *testing.T) {
	ctx, cluster, topic := filled(t, 1)
	c := subscribed(ctx, t, cluster, topic, "")
	offsets(ctx, t, c, 10)
	config := cluster.Config()
	config["group.id"] = "g"
	stranger, err := New().NewConsumer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stranger.Close() })
	err = stranger.Commit(ctx, []drivers.Position{at(topic, 0, 1)})
	var refused *drivers.Error
	if !errors.As(err, &refused) || refused.Code != "UNKNOWN_MEMBER_ID" {
		t.Errorf("a stranger committed for a group that has members: %v", err)
	}
	if err := c.Commit(ctx, []drivers.Position{at(topic, 0, 2)}); err != nil {
		t.Errorf("commit of the member: %v", err)
	}
}

// TestMissingGroup: calls that need a group say so.
func TestMissingGroup(t *testing.T) {
	c, err := New().NewConsumer(drivers.Settings{Config: pairs("bootstrap.servers=127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_, err3 := c.Committed(t.Context(), []drivers.TopicPartition{{Topic: "t"}})
	for call, err := range map[string]error{
		"subscribe": c.Subscribe(t.Context(), []string{"t"}), "commit": c.Commit(t.Context(), nil), "committed": err3,
	} {
		var e *drivers.Error
		if !errors.As(err, &e) || e.Code != "NO_GROUP" || e.Class != drivers.Application {
			t.Errorf("%s: %v", call, err)
		}
	}
}
