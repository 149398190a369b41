package trial

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// TestTakenTopicStays: a topic that somebody else makes after the trial has looked, and
// before it makes its own, is not the trial's to remove.
func TestTakenTopicStays(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cluster, err := broker.StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	somebody, err := broker.NewReader(cluster.Addrs(), cluster.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer somebody.Close()
	site := &Site{Cluster: cluster, Remains: &Remains{}}
	h := &house{
		spec: Spec{Site: site}, cluster: cluster, reader: somebody,
		topics: map[string]string{"orders": "kcompare-orders", "events": "kcompare-events"},
	}
	if err := h.claimNames(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := somebody.CreateTopics(ctx, []broker.Topic{{Name: "kcompare-orders", Partitions: 1}}); err != nil {
		t.Fatal(err)
	}
	var taken *broker.TakenError
	r := &run{observed: &evidence.Observed{}}
	_, err = h.makeTopics(ctx, r, []broker.Topic{{Name: "kcompare-events", Partitions: 1}, {Name: "kcompare-orders", Partitions: 1}})
	if !errors.As(err, &taken) {
		t.Fatalf("error %v, expected that kcompare-orders is taken", err)
	}
	if diff := cmp.Diff([]string{"topic kcompare-events"}, site.Remains.List()); diff != "" {
		t.Errorf("what the trial made (-want +got):\n%s", diff)
	}
	h.close()
	there, err := somebody.Existing(ctx, []string{"kcompare-events", "kcompare-orders"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"kcompare-orders"}, there); diff != "" {
		t.Errorf("topics at the end (-want +got):\n%s", diff)
	}
}

// TestStoryIDs: the ids of a plan by their real names. An id that only begins alike is
// another one's.
func TestStoryIDs(t *testing.T) {
	rule := func(id string) fault.Rule { return fault.Rule{Select: fault.Selector{TransactionalID: id}} }
	plan := fault.Plan{rule("kcompare-shop"), rule("kcompare-shop-2"), rule(""), rule("kcompare-other-1")}
	want := map[string]string{"mine-shop-run-7": "kcompare-shop", "mine-shop-run-7-2": "kcompare-shop-2"}
	if diff := cmp.Diff(want, storyIDs(plan, "kcompare-shop", "mine-shop-run-7")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
