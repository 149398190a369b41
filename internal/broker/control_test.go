package broker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/proxy"
)

// changing bounds a change to a real Kafka on a machine that does other things too.
const changing = time.Minute

// controlled is a cluster that is ours, as the proxy uses it, and as who runs trials
// on it one after the other.
type controlled interface {
	Cluster
	proxy.Control
	Revive(ctx context.Context) error
}

// controlStories are played on three nodes of either broker, each in a topic of its
// own whose partition n node n leads, while a producer writes to every partition.
var controlStories = []struct {
	name  string
	story func(t *testing.T, c controlled, topic string)
}{
	{"move-leader", leaderMoves},
	{"move-coordinator", coordinatorsMove},
	{"kill-node", nodeDies},
	{"pause-node", nodeStandsStill},
	{"restart-node", nodeRestarts},
	{"refused", changesRefused},
}

func TestControlEmbedded(t *testing.T) {
	t.Parallel()
	for _, test := range controlStories {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			playControl(t, start(t, 3), test.story)
		})
	}
}

// playControl plays a story and wants to find every record in the log, once, that
// was acknowledged before, during and after it, and the cluster whole.
func playControl(t *testing.T, c controlled, story func(*testing.T, controlled, string)) {
	t.Helper()
	topic := "kcompare-" + strings.ReplaceAll(t.Name(), "/", "-")
	makeTopic(t, c, topic, 3)
	w := startWriter(t, c, topic)
	w.more(t)
	story(t, c, topic)
	w.more(t)
	if err := c.Revive(withTimeout(t, changing)); err != nil {
		t.Fatal(err)
	}
	w.more(t)
	w.finish(t, c)
	expectWhole(t, c, topic)
}

func leaderMoves(t *testing.T, c controlled, topic string) {
	first := partitionNow(t, c, 0, topic, 0)
	for _, want := range []int32{1, 2, 0, 1} {
		if err := c.MoveLeader(withTimeout(t, changing), topic, 0); err != nil {
			t.Fatal(err)
		}
		for node := range c.Addrs() {
			if now := partitionNow(t, c, node, topic, 0); now.Leader != want {
				t.Errorf("node %d says that node %d leads, expected %d", node, now.Leader, want)
			}
		}
	}
	if now := partitionNow(t, c, 0, topic, 0); now.LeaderEpoch < first.LeaderEpoch+4 {
		t.Errorf("leader epoch %d, was %d before four moves", now.LeaderEpoch, first.LeaderEpoch)
	}
	if now := partitionNow(t, c, 0, topic, 1); now.Leader != 1 {
		t.Errorf("node %d leads partition 1, expected 1 as before", now.Leader)
	}
}

func coordinatorsMove(t *testing.T, c controlled, topic string) {
	for _, id := range []struct {
		kind int8
		key  string
	}{{0, "группа 🚀"}, {1, topic + "-id"}} {
		for range 2 {
			before := coordinatorNow(t, c, 0, id.kind, id.key)
			if err := c.MoveCoordinator(withTimeout(t, changing), id.kind, id.key); err != nil {
				t.Fatal(err)
			}
			after := coordinatorNow(t, c, 0, id.kind, id.key)
			if after == before {
				t.Errorf("%s: node %d coordinates it, as before", id.key, after)
			}
			for node := range c.Addrs() {
				if named := coordinatorNow(t, c, node, id.kind, id.key); named != after {
					t.Errorf("%s: node %d names node %d, another one %d", id.key, node, named, after)
				}
			}
			if err := describe(withTimeout(t, patience), viewOf(t, c, after).itself(), id.kind, id.key); err != nil {
				t.Errorf("%s: node %d: %v", id.key, after, err)
			}
		}
	}
}

// nodeDies: the greatest node has the controller of the embedded broker.
func nodeDies(t *testing.T, c controlled, topic string) {
	conn := dial(t, c, 2)
	if err := c.KillNode(withTimeout(t, changing), 2); err != nil {
		t.Fatal(err)
	}
	expectHangUp(t, conn)
	expectRefused(t, c.Addrs()[2])
	began := time.Now()
	until(t, changing, "partition 2 has another leader", func() bool { return partitionNow(t, c, 0, topic, 2).Leader < 2 })
	t.Logf("another leader %v after the death", time.Since(began).Round(10*time.Millisecond))
	for p, want := range []int32{0, 1} {
		if now := partitionNow(t, c, 1, topic, int32(p)); now.Leader != want {
			t.Errorf("node %d leads partition %d, expected %d as before", now.Leader, p, want)
		}
	}
	for i := range 20 { // in all partitions of the coordinators' topics
		key := fmt.Sprintf("%s-%d", topic, i)
		until(t, changing, "every group has a living coordinator", func() bool { return coordinatorNow(t, c, 0, 0, key) < 2 })
	}
	for _, node := range []int32{1, 2} {
		want := map[int32]string{1: "expected a majority", 2: "it is dead: Revive brings it back"}[node]
		if err := c.KillNode(withTimeout(t, changing), node); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("kill node %d beside the dead node 2: error %v, %s", node, err, want)
		}
	}
}

func nodeStandsStill(t *testing.T, c controlled, _ string) {
	const still = 700 * time.Millisecond
	before := viewOf(t, c, 1)
	if err := before.ask(withTimeout(t, patience)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for _, lasting := range []time.Duration{still, brief} { // the longer one counts
		if err := c.PauseNode(withTimeout(t, changing), 1, lasting); err != nil {
			t.Fatal(err)
		}
	}
	stillFor := func() time.Duration { return still - time.Since(began) }
	for name, v := range map[string]view{"an old connection": before, "a new connection": viewOf(t, c, 1)} {
		ctx, cancel := context.WithTimeout(t.Context(), stillFor()/2)
		if err := v.ask(ctx); err == nil {
			t.Errorf("%s was answered by a node that stands still", name)
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, expected silence", name, err)
		}
		cancel()
	}
	dial(t, c, 1) // the kernel accepts
	if err := viewOf(t, c, 0).ask(withTimeout(t, patience)); err != nil {
		t.Errorf("another node: %v", err)
	}
	if err := viewOf(t, c, 1).ask(withTimeout(t, changing)); err != nil {
		t.Errorf("after the pause: %v", err)
	}
	if moved := time.Since(began); moved < still {
		t.Errorf("it answered after %v, expected silence for %v", moved, still)
	}
}

func nodeRestarts(t *testing.T, c controlled, topic string) {
	conn, before := dial(t, c, 1), c.Addrs()
	began := time.Now()
	if err := c.RestartNode(withTimeout(t, changing), 1); err != nil {
		t.Fatal(err)
	}
	t.Logf("restarted in %v", time.Since(began).Round(10*time.Millisecond))
	expectHangUp(t, conn)
	expectRefused(t, before[1])
	after := c.Addrs()
	if after[1] == before[1] || after[0] != before[0] || after[2] != before[2] {
		t.Errorf("addresses %v, were %v: expected another one for node 1", after, before)
	}
	for node := range after {
		if diff := cmp.Diff(after, advertised(t, c, node)); diff != "" {
			t.Errorf("node %d: -Addrs +advertised:\n%s", node, diff)
		}
		if now := partitionNow(t, c, node, topic, 1); now.Leader == 1 {
			t.Errorf("node %d says that node 1 leads partition 1 again", node)
		}
	}
}

func changesRefused(t *testing.T, c controlled, topic string) {
	single := topic + "-single"
	r, err := NewReader(c.Addrs(), c.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx := withTimeout(t, changing)
	if _, err := r.CreateTopics(ctx, []Topic{{Name: single, Partitions: 1, Replicas: 1}}); err != nil {
		t.Fatal(err)
	}
	leader := partitionNow(t, c, 0, single, 0).Leader
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond) // an unknown topic may come
	defer cancel()
	ended, end := context.WithCancel(ctx)
	end()
	for want, err := range map[string]error{
		"move leader of nothing-0: ":              c.MoveLeader(short, "nothing", 0),
		"move leader of " + single + "-0: ":       c.MoveLeader(ctx, single, 0),
		`move coordinator of "id": kind 7`:        c.MoveCoordinator(ctx, 7, "id"),
		"kill node 3: no such node":               c.KillNode(ctx, 3),
		"pause node -1: no such node":             c.PauseNode(ctx, -1, brief),
		"restart node 3: no such node":            c.RestartNode(ctx, 3),
		"revive ":                                 c.Revive(ended),
		"restart node 1: ":                        c.RestartNode(ended, 1),
		"move leader of " + topic + "-1: ":        c.MoveLeader(ended, topic, 1),
		`move coordinator of "the group": `:       c.MoveCoordinator(ended, 0, "the group"),
		fmt.Sprintf("move leader of %s-9", topic): c.MoveLeader(short, topic, 9),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, expected one line that begins with %s", err, want)
		}
	}
	if now := partitionNow(t, c, 0, single, 0).Leader; now != leader {
		t.Errorf("node %d leads the only replica, was %d", now, leader)
	}
	if err := r.DeleteTopics(ctx, []string{single}); err != nil {
		t.Error(err)
	}
}

// writer is a franz-go producer with acks=all that does not stop.
type writer struct {
	client *kgo.Client
	topic  string
	stop   chan struct{}
	done   sync.WaitGroup
	counts [3]atomic.Int64 // acknowledged, by partition

	mu    sync.Mutex
	acked map[string]int32 // key to partition
}

func startWriter(t *testing.T, c controlled, topic string) *writer {
	t.Helper()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(slices.Collect(maps.Values(c.Addrs()))...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RetryBackoffFn(func(int) time.Duration { return 10 * time.Millisecond }), kgo.MetadataMinAge(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{client: client, topic: topic, stop: make(chan struct{}), acked: map[string]int32{}}
	w.done.Go(w.run)
	t.Cleanup(client.Close)
	return w
}

func (w *writer) run() {
	for n := 0; ; n++ {
		select {
		case <-w.stop:
			return
		case <-time.After(10 * time.Millisecond):
		}
		key := fmt.Sprintf("order-%04d", n)
		w.client.Produce(context.Background(), &kgo.Record{Topic: w.topic, Partition: int32(n % 3), Key: []byte(key)}, w.report)
	}
}

func (w *writer) report(r *kgo.Record, err error) {
	if err != nil {
		return
	}
	w.mu.Lock()
	w.acked[string(r.Key)] = r.Partition
	w.mu.Unlock()
	w.counts[r.Partition].Add(1)
}

// more waits until another few records of every partition are acknowledged.
func (w *writer) more(t *testing.T) {
	t.Helper()
	for p := range w.counts {
		want := w.counts[p].Load() + 5
		until(t, changing, fmt.Sprintf("%d records of partition %d are acknowledged", want, p), func() bool { return w.counts[p].Load() >= want })
	}
}

// finish looks for every acknowledged record in the log.
func (w *writer) finish(t *testing.T, c controlled) {
	t.Helper()
	close(w.stop)
	w.done.Wait()
	ctx := withTimeout(t, changing)
	if err := w.client.Flush(ctx); err != nil {
		t.Error(err)
	}
	r, err := NewReader(c.Addrs(), c.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	log, err := r.ReadLog(ctx, []string{w.topic}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, p := range log.Partitions {
		for _, b := range p.Batches {
			for _, rec := range b.Records {
				found[rec.Key]++
			}
		}
	}
	for key, p := range w.acked {
		if found[key] != 1 {
			t.Errorf("%s was acknowledged by partition %d and is in the log %d times", key, p, found[key])
		}
	}
	t.Logf("%d records acknowledged, %d in the log", len(w.acked), len(found))
}

func makeTopic(t *testing.T, c controlled, topic string, partitions int32) {
	t.Helper()
	r, err := NewReader(c.Addrs(), c.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.CreateTopics(withTimeout(t, changing), []Topic{{Name: topic, Partitions: partitions, Leaders: []int32{0, 1, 2}[:partitions]}}); err != nil {
		t.Fatal(err)
	}
	if e, ok := c.(*Embedded); ok {
		for p := range partitions { // kfake ignores where replicas are to be
			if err := e.PlaceLeader(topic, p, p); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// expectWhole: every node lists every other, and the partitions have their replicas
// in sync. Only partition 0 of leaderMoves was told to be elsewhere.
func expectWhole(t *testing.T, c controlled, topic string) {
	t.Helper()
	for node := range c.Addrs() {
		if diff := cmp.Diff(c.Addrs(), advertised(t, c, node)); diff != "" {
			t.Errorf("node %d: -Addrs +advertised:\n%s", node, diff)
		}
		for p := range int32(3) {
			now := partitionNow(t, c, node, topic, p)
			if len(now.ISR) != 3 || now.Leader != p && (p > 0 || now.Leader != 1) {
				t.Errorf("node %d: partition %d: node %d leads, in sync %v", node, p, now.Leader, now.ISR)
			}
		}
	}
}

// viewOf asks one node alone.
func viewOf(t *testing.T, c controlled, node int32) view {
	t.Helper()
	addr := c.Addrs()[node]
	r, err := NewReader(map[int32]string{node: addr}, c.Access())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return view{r, addr}
}

// ask asks the node anything.
func (v view) ask(ctx context.Context) error {
	_, err := metadataRequest([]string{"anything"}).RequestWith(ctx, v.itself())
	return err
}

func metadataOf(t *testing.T, c controlled, node int32, topics ...string) *kmsg.MetadataResponse {
	t.Helper()
	v := viewOf(t, c, node)
	defer v.Close()
	resp, err := metadataRequest(topics).RequestWith(withTimeout(t, changing), v.itself())
	if err != nil {
		t.Fatalf("node %d: %v", node, err)
	}
	return resp
}

func partitionNow(t *testing.T, c controlled, node int32, topic string, partition int32) kmsg.MetadataResponseTopicPartition {
	t.Helper()
	return partitionsOf(metadataOf(t, c, node, topic))[TopicPartition{Topic: topic, Partition: partition}]
}

func advertised(t *testing.T, c controlled, node int32) map[int32]string {
	t.Helper()
	addrs := map[int32]string{}
	for _, b := range metadataOf(t, c, node, "anything").Brokers {
		addrs[b.NodeID] = net.JoinHostPort(b.Host, fmt.Sprint(b.Port))
	}
	return addrs
}

func coordinatorNow(t *testing.T, c controlled, node int32, kind int8, key string) int32 {
	t.Helper()
	v := viewOf(t, c, node)
	defer v.Close()
	var named int32
	until(t, changing, "a coordinator is named", func() bool {
		var err error
		named, err = findCoordinator(withTimeout(t, changing), v.itself(), kind, key)
		return err == nil
	})
	return named
}

func dial(t *testing.T, c controlled, node int32) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", c.Addrs()[node])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// expectHangUp: the connection ends from the other side.
func expectHangUp(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	var timeout net.Error
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		t.Errorf("read %d bytes, error %v: expected the end of the connection", n, err)
	}
}

func expectRefused(t *testing.T, addr string) {
	t.Helper()
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Errorf("%s accepts connections", addr)
	}
}
