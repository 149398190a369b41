package scenario

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers/memory"
	"kcompare/internal/audit"
	"kcompare/internal/evidence"
	"kcompare/internal/partition"
)

// TestConsumerTells: what two members were assigned, lost and returned stands in the
// ledger in the order in which it came, with consecutive records as one step.
func TestConsumerTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := ByName("rebalance")
		stage := onMemory(t, s, s.Variants[0], DefaultParameters())
		d := &desk{stage: stage, waves: []int{6}, done: map[int]bool{}}
		first, second, err := d.twoMembers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.write(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := first.take(t.Context(), first.share(0)); err != nil {
			t.Fatal(err)
		}
		if err := first.consumer.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := second.take(t.Context(), 6); err != nil {
			t.Fatal(err)
		}
		if _, err := d.newMember(t.Context(), "third member", "third"); err != nil {
			t.Fatal(err)
		}
		if records, err := second.consumer.PollFor(t.Context(), aTurn); err != nil || len(records) > 0 {
			t.Fatalf("%d records, %v", len(records), err)
		}
		topic := stage.Topics[orders]
		step := func(kind evidence.StepKind, p int32, count int64) evidence.Step {
			return evidence.Step{Kind: kind, Topic: topic, Partition: p, Count: count}
		}
		n := ordersIn(0, 6)
		want := []evidence.Consumer{
			{Who: firstMember, Steps: []evidence.Step{
				step(evidence.StepAssigned, 0, 0), step(evidence.StepReturned, 0, n),
			}},
			{Who: secondMember, Steps: []evidence.Step{
				step(evidence.StepAssigned, 1, 0), step(evidence.StepAssigned, 0, 0),
				step(evidence.StepReturned, 0, n), step(evidence.StepReturned, 1, 6-n), step(evidence.StepRevoked, 1, 0),
			}},
		}
		if diff := cmp.Diff(want, stage.Ledger.Consumers()[:2]); diff != "" {
			t.Errorf("consumers (-want +got):\n%s", diff)
		}
	})
}

// ordersIn is how many of the first orders the default partitioner puts there.
func ordersIn(p int32, orders int) (n int64) {
	for _, in := range incoming(0, orders) {
		if partition.Murmur2(in.Key, 2) == p {
			n++
		}
	}
	return n
}

// TestWaves: in the stories of two members each has something to do in each wave.
func TestWaves(t *testing.T) {
	for _, wave := range [][2]int{{0, 6}, {6, 12}, {12, 18}, {0, 10}, {10, 14}} {
		n := ordersIn(0, wave[1]) - ordersIn(0, wave[0])
		if n == 0 || n == int64(wave[1]-wave[0]) {
			t.Errorf("orders %d to %d all go to one partition", wave[0], wave[1]-1)
		}
	}
}

// TestLyingConsumers: the consumer of a story that steps over a record, or returns one
// again, is found out by what the ledger has of it, and nothing else is.
func TestLyingConsumers(t *testing.T) {
	s, _ := ByName("read-process-write")
	v := s.Variants[len(s.Variants)-1]
	p := DefaultParameters()
	for lie, want := range map[memory.Lie]evidence.AnomalyKind{
		memory.Honest: "", memory.SkipRecord: evidence.PollSkipped, memory.RepeatRecord: evidence.PollNonmonotonic,
	} {
		synctest.Test(t, func(t *testing.T) {
			stage := withLiar(t, lie, s, v, p)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := v.Run(ctx, stage); err != nil && ctx.Err() == nil { // who never gets the last order waits for it
				t.Fatal(err)
			}
			inputs := int64(ordersOf(p))
			got := audit.Audit(&evidence.Observed{
				Consumers: stage.Ledger.Consumers(),
				Log:       evidence.Log{Partitions: []evidence.PartitionLog{{Topic: stage.Topics[orders], Before: inputs, After: inputs}}},
				Trial:     evidence.Trial{Conditions: evidence.Conditions{ReadBack: evidence.ReadBackComplete}},
			})
			for _, a := range got.Anomalies {
				if a.Kind != want {
					t.Errorf("%s: found %s", lie, a)
				}
			}
			if n := len(got.Anomalies); (n == 0) != (want == "") {
				t.Errorf("%s: %d anomalies, expected %s alone", lie, n, want)
			}
		})
	}
}
