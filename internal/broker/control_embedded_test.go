package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestEmbeddedRefuses: what kfake cannot do as a Kafka would, and what needs a node
// that is not there.
func TestEmbeddedRefuses(t *testing.T) {
	t.Parallel()
	three, one := start(t, 3), start(t, 1)
	ctx := withTimeout(t, patience)
	if _, err := reader(t, one).CreateTopics(ctx, []Topic{{Name: "orders", Partitions: 1}}); err != nil {
		t.Fatal(err)
	}
	closed := start(t, 1)
	closed.Close()
	for want, err := range map[string]error{
		"pause node 0: 10s: expected at most 9s, because the embedded broker has no controller that would give its partitions other leaders: run it on Kafka": three.PauseNode(ctx, 0, 10*time.Second),

		"move leader of orders-0: node 0 leads, replicas on [0], in sync [0]: expected another one in sync whose node runs": one.MoveLeader(ctx, "orders", 0),
		`move coordinator of "cook": one node runs: expected another one`:                                                   one.MoveCoordinator(ctx, 0, "cook"),
		"kill node 0: 0 of 1 nodes would run, [] are dead already: expected a majority, which elects leaders":               one.KillNode(ctx, 0),
		"restart node 0: the cluster was closed":                                                                            closed.RestartNode(ctx, 0),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v\nexpected %s", err, want)
		}
	}
}

// TestOneEmbeddedNode restarts and stands still, and keeps what it has.
func TestOneEmbeddedNode(t *testing.T) {
	t.Parallel()
	e := start(t, 1)
	ctx := withTimeout(t, patience)
	if _, err := reader(t, e).CreateTopics(ctx, []Topic{{Name: "orders", Partitions: 1}}); err != nil {
		t.Fatal(err)
	}
	before := coordinatorNow(t, e, 0, 0, "cook")
	for _, err := range []error{e.PauseNode(ctx, 0, brief), e.RestartNode(ctx, 0)} {
		if err != nil {
			t.Error(err)
		}
	}
	if now := partitionNow(t, e, 0, "orders", 0); now.Leader != 0 || coordinatorNow(t, e, 0, 0, "cook") != before {
		t.Errorf("node %d leads, expected node 0", now.Leader)
	}
}

// TestAddNode: a node that joins is known and leads nothing, until it is told to.
func TestAddNode(t *testing.T) {
	t.Parallel()
	e := start(t, 3)
	makeTopic(t, e, "orders", 3)
	w := startWriter(t, e, "orders")
	id, err := e.AddNode(withTimeout(t, patience))
	if id != 3 || err != nil {
		t.Fatalf("node %d, error %v, expected node 3", id, err)
	}
	for node := range e.Addrs() {
		if diff := cmp.Diff(e.Addrs(), advertised(t, e, node)); diff != "" || len(e.Addrs()) != 4 {
			t.Errorf("node %d: -Addrs +advertised:\n%s", node, diff)
		}
		for p := range int32(3) {
			if now := partitionNow(t, e, node, "orders", p); now.Leader != p {
				t.Errorf("node %d: node %d leads partition %d, expected %d as before", node, now.Leader, p, p)
			}
		}
	}
	if err := e.PlaceLeader("orders", 0, id); err != nil {
		t.Fatal(err)
	}
	w.more(t)
	w.finish(t, e)
}

// TestManyCoordinators: with more ids than any hash keeps in place, none is lost on a
// dead node all the same, neither one that was known nor a new one.
func TestManyCoordinators(t *testing.T) {
	t.Parallel()
	e := start(t, 3)
	key := func(i int) string { return fmt.Sprintf("group-%d", i) }
	for i := range 10 {
		coordinatorNow(t, e, 0, 0, key(i))
	}
	if err := e.KillNode(withTimeout(t, patience), 1); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if node := coordinatorNow(t, e, 0, 0, key(i)); node == 1 {
			t.Errorf("%s has a dead coordinator", key(i))
		}
	}
}

// TestKeptCoordinators: of few ids only those move that have to.
func TestKeptCoordinators(t *testing.T) {
	t.Parallel()
	e := start(t, 3)
	at := map[string]int32{}
	for _, key := range []string{"a", "b", "c", "d"} {
		at[key] = coordinatorNow(t, e, 0, 0, key)
	}
	changes := []struct {
		what string
		make func(context.Context) error
		goes func(key string) bool
	}{
		{"move a", func(ctx context.Context) error { return e.MoveCoordinator(ctx, 0, "a") }, func(key string) bool { return key == "a" }},
		{"kill node 2", func(ctx context.Context) error { return e.KillNode(ctx, 2) }, func(key string) bool { return at[key] == 2 }},
		{"revive", e.Revive, func(string) bool { return false }},
		{"restart node 1", func(ctx context.Context) error { return e.RestartNode(ctx, 1) }, func(key string) bool { return at[key] == 1 }},
		{"add a node", func(ctx context.Context) error { _, err := e.AddNode(ctx); return err }, func(string) bool { return false }},
	}
	for _, change := range changes {
		if err := change.make(withTimeout(t, patience)); err != nil {
			t.Fatal(err)
		}
		for key, before := range at {
			now := coordinatorNow(t, e, 0, 0, key)
			if (now != before) != change.goes(key) {
				t.Errorf("%s: %s went from node %d to node %d", change.what, key, before, now)
			}
		}
		for key := range at {
			at[key] = coordinatorNow(t, e, 0, 0, key)
		}
	}
}

// TestCloseDuringPause: Close does not wait for the end of a pause, nor for who waits
// at the gate.
func TestCloseDuringPause(t *testing.T) {
	t.Parallel()
	e := start(t, 3)
	v := viewOf(t, e, 0)
	if err := v.ask(withTimeout(t, patience)); err != nil {
		t.Fatal(err)
	}
	if err := e.PauseNode(withTimeout(t, patience), 0, longestPause); err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() { asked <- v.ask(withTimeout(t, patience)) }()
	began := time.Now()
	e.Close()
	if took := time.Since(began); took > longestPause/2 {
		t.Errorf("Close took %v", took)
	}
	if err := <-asked; err == nil {
		t.Error("a node was asked in its pause and answered after the end of its cluster")
	}
}

// TestKilledInPause: the connections of a node that stands still end with it, and in
// its next life it moves.
func TestKilledInPause(t *testing.T) {
	t.Parallel()
	e := start(t, 3)
	ctx := withTimeout(t, patience)
	conn := dial(t, e, 1)
	for _, err := range []error{e.PauseNode(ctx, 1, longestPause), e.KillNode(ctx, 1), e.Revive(ctx)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	expectHangUp(t, conn)
	if err := viewOf(t, e, 1).ask(ctx); err != nil {
		t.Error(err)
	}
}

// TestReviveWakes: a node whose pause is not over goes on.
func TestReviveWakes(t *testing.T) {
	t.Parallel()
	e := start(t, 3)
	ctx := withTimeout(t, patience)
	for _, err := range []error{e.PauseNode(ctx, 1, longestPause), e.Revive(ctx), e.PauseNode(ctx, 1, brief)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	err := viewOf(t, e, 1).ask(ctx)
	if took := time.Since(began); err != nil || took < brief/2 || took > longestPause/2 {
		t.Errorf("answered after %v, error %v, expected the second pause of %v alone", took, err, brief)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	c := newChanges()
	ctx, done, err := c.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), brief)
	defer cancel()
	if _, _, err := c.begin(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second change: error %v, expected that it waits for its turn", err)
	}
	over := make(chan string, 2)
	c.later(time.Hour, func() { over <- "left for later" })
	stopped := make(chan struct{})
	go func() { defer close(stopped); c.stop() }()
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), errClosed) {
		t.Errorf("the change ends with %v, expected %v", context.Cause(ctx), errClosed)
	}
	select {
	case <-stopped:
		t.Error("stop did not wait for the change")
	default:
	}
	done()
	<-stopped
	if got := <-over; got != "left for later" {
		t.Errorf("%q", got)
	}
	if _, _, err := c.begin(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("a change after the end: error %v, expected %v", err, errClosed)
	}
	c.later(time.Hour, func() { over <- "at once" })
	if got := <-over; got != "at once" {
		t.Errorf("%q", got)
	}
}

func TestNextLeader(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		leader    int32
		isr, runs []int32
		want      int32 // -1: none
	}{
		{0, []int32{0, 1, 2}, []int32{0, 1, 2}, 1},
		{1, []int32{2, 1, 0}, []int32{0, 1, 2}, 2},
		{2, []int32{2, 1, 0}, []int32{0, 1, 2}, 0},
		{0, []int32{0, 2}, []int32{0, 1, 2}, 2},
		{0, []int32{0, 1, 2}, []int32{0, 2}, 2},
		{-1, []int32{1, 2}, []int32{1, 2}, 1},
		{0, []int32{0}, []int32{0, 1}, -1},
		{0, []int32{0, 1}, []int32{0}, -1},
	} {
		p := kmsg.MetadataResponseTopicPartition{Leader: test.leader, ISR: test.isr}
		got, err := nextLeader(p, func(node int32) bool { return slices.Contains(test.runs, node) })
		if err != nil {
			got = -1
		}
		if got != test.want {
			t.Errorf("%+v: node %d, error %v", test, got, err)
		}
	}
}

// TestJavaPartition: what Java answers for String.hashCode.
func TestJavaPartition(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		key        string
		partitions int32
		want       int32
	}{
		{"", 3, 0},
		{"0", 50, 48},
		{"hello", 1 << 30, 99162322},
		{"polygenelubricants", 50, 0}, // the smallest integer
		{"Ünïcödé", 1 << 30, 1055431381},
		{"kcompare-group", 1 << 30, 509899508}, // of -509899508
		{"🚀", 1 << 30, 1773027},                // two units of UTF-16
	} {
		if got := javaPartition(test.key, test.partitions); got != test.want {
			t.Errorf("%q of %d: partition %d, expected %d", test.key, test.partitions, got, test.want)
		}
	}
}
