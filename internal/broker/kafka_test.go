package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/broker/brokertest"
	"kcompare/internal/evidence"
)

// starting bounds a start of Kafka on a machine that does other things too, the
// first one with its downloads included.
const starting = 3 * time.Minute

// ownJars is this process's environment without a Kafka that is installed.
func ownJars() []string { return append(os.Environ(), "KAFKA_HOME=") }

// startRealKafka starts a cluster in dir; the test closes it.
func startRealKafka(ctx context.Context, t testing.TB, dir string, opts KafkaOptions) *Kafka {
	t.Helper()
	brokertest.NeedKafka(t)
	opts.Dir, opts.Env, opts.Progress = dir, ownJars(), func(s string) { t.Log(s) }
	began := time.Now()
	k, err := StartKafka(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	t.Logf("%d nodes up in %v, %d MB", opts.Nodes, time.Since(began).Round(time.Millisecond), residentMB(t, k))
	return k
}

// TestKafka: one node, formatted with an older protocol, is a broker that keeps
// what it is given, and Close leaves nothing of it.
func TestKafka(t *testing.T) {
	dir := t.TempDir()
	k := startRealKafka(withTimeout(t, starting), t, dir, KafkaOptions{Nodes: 1, Features: map[string]int16{"transaction.version": 0}})
	want := evidence.Broker{Kind: "kafka", Software: "Apache Kafka " + DefaultKafkaVersion, Nodes: 1}
	if diff := cmp.Diff(want, k.Info()); diff != "" {
		t.Errorf("info: -want +got:\n%s", diff)
	}
	if level := finalized(t, k, "transaction.version"); level != 0 {
		t.Errorf("transaction.version is %d, expected 0 as formatted", level)
	}
	writeAndReadBack(t, k)
	expectListing(t, k)
	changeOneNode(t, k)
	pids := serverPIDs(k)
	if diff := cmp.Diff([]int{pids[len(pids)-1].pid}, k.Processes()); diff != "" {
		t.Errorf("processes, expected the last one that was started: -want +got:\n%s", diff)
	}
	expectWatched(t, k)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	expectNothingLeft(t, dir, pids)
	if err := k.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// changeOneNode: a node alone stands still and restarts, and what needs another one
// says so.
func changeOneNode(t *testing.T, k *Kafka) {
	t.Helper()
	ctx := withTimeout(t, changing)
	for want, err := range map[string]error{
		"move leader of orders-0: node 0 leads, replicas on [0], in sync [0]: expected another one in sync whose node runs":                                          k.MoveLeader(ctx, "orders", 0),
		`move coordinator of "cook": move leader of __transaction_state-0: node 0 leads, replicas on [0], in sync [0]: expected another one in sync whose node runs`: k.MoveCoordinator(ctx, 1, "cook"),
		"kill node 0: 0 of 1 nodes would run, [] are dead already: expected a majority, which elects leaders":                                                        k.KillNode(ctx, 0),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v\nexpected %s", err, want)
		}
	}
	before := k.Addrs()[0]
	for _, err := range []error{k.PauseNode(ctx, 0, brief), k.RestartNode(ctx, 0)} {
		if err != nil {
			t.Error(err)
		}
	}
	expectRefused(t, before)
	if now := partitionNow(t, k, 0, "orders", 0); now.Leader != 0 || k.Addrs()[0] == before {
		t.Errorf("node %d leads at %s, expected node 0 at another address than %s", now.Leader, k.Addrs()[0], before)
	}
}

// TestKafkaThreeNodes: a cluster in which every node leads and follows, within
// the memory that the docs promise, which changes on command, and which ends with its
// context, whatever state its nodes are in.
func TestKafkaThreeNodes(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	k := startRealKafka(ctx, t, dir, KafkaOptions{Nodes: 3})
	if level := finalized(t, k, "transaction.version"); level != 2 {
		t.Errorf("transaction.version is %d, expected the default of %s, 2", level, DefaultKafkaVersion)
	}
	writeAndReadBack(t, k)
	expectLeaders(t, k, []int32{2, 0, 1})
	for _, test := range controlStories {
		t.Run(test.name, func(t *testing.T) { playControl(t, k, test.story) })
	}
	t.Run("strangers", func(t *testing.T) {
		expectStrangers(t, k, func(known map[string]bool) []string {
			strangers, err := k.Strangers(withTimeout(t, changing), known)
			if err != nil {
				t.Error(err)
			}
			return strangers
		})
	})
	mb := residentMB(t, k)
	if mb >= 1200 {
		t.Errorf("%d MB resident, expected below 1200", mb)
	}
	t.Logf("%d MB", mb)
	restarted := pauseAndRestart(t, k)
	pids := serverPIDs(k)
	cancel()
	until(t, patience, "the cluster closes after its context has ended", func() bool { return len(entries(t, dir)) == 0 })
	if err := <-restarted; !errors.Is(err, errClosed) {
		t.Errorf("restart: error %v, expected that the cluster was closed", err)
	}
	expectNothingLeft(t, dir, pids)
}

// pauseAndRestart leaves a cluster with a node that stands still and one of which the
// next process has begun.
func pauseAndRestart(t *testing.T, k *Kafka) (restarted <-chan error) {
	t.Helper()
	if err := k.PauseNode(withTimeout(t, changing), 0, time.Hour); err != nil {
		t.Fatal(err)
	}
	known, done := len(serverPIDs(k)), make(chan error, 1)
	go func() { done <- k.RestartNode(context.Background(), 1) }()
	until(t, changing, "node 1 starts again", func() bool { return len(serverPIDs(k)) > known })
	return done
}

// TestKafkaCanceledStart: Ctrl-C while the server starts.
func TestKafkaCanceledStart(t *testing.T) {
	brokertest.NeedKafka(t)
	fillCache(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(withTimeout(t, starting))
	var pids []processID
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer cancel()
		pids = awaitChildren(t, dir)
	}()
	_, err := StartKafka(ctx, KafkaOptions{Nodes: 1, Dir: dir, Env: ownJars()})
	<-watched
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected that of the context", err)
	}
	expectNothingLeft(t, dir, pids)
}

// killedVariable makes TestKafkaOfAKilledProcess the process that is killed.
const killedVariable = "KCOMPARE_TEST_KAFKA_DIR"

// TestKafkaOfAKilledProcess: kill -9 of the owner. On Linux the server goes with
// it; the directory stays until somebody cleans up.
func TestKafkaOfAKilledProcess(t *testing.T) {
	if dir := os.Getenv(killedVariable); dir != "" {
		_, err := StartKafka(t.Context(), KafkaOptions{Nodes: 1, Dir: dir, Env: ownJars()})
		t.Fatalf("still alive, start: %v", err)
	}
	brokertest.NeedKafka(t)
	fillCache(t)
	dir := t.TempDir()
	owner := exec.Command(os.Args[0], "-test.run=^TestKafkaOfAKilledProcess$")
	owner.Env, owner.Stdout = append(os.Environ(), killedVariable+"="+dir), t.Output()
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	pids := awaitChildren(t, dir)
	if err := owner.Process.Kill(); err != nil {
		t.Errorf("kill the owner: %v", err)
	}
	owner.Wait()
	if runtime.GOOS == "linux" {
		until(t, patience, "the kernel kills the children", func() bool { return !slices.ContainsFunc(pids, processID.runs) })
	}
	if len(entries(t, dir)) != 1 {
		t.Errorf("%v in the directory, expected what the owner left", entries(t, dir))
	}
	if err := CleanKafka(withTimeout(t, patience), dir); err != nil {
		t.Error(err)
	}
	expectNothingLeft(t, dir, pids)
}

// writeAndReadBack commits a transaction over three partitions and reads it.
func writeAndReadBack(t *testing.T, k *Kafka) {
	t.Helper()
	ctx := withTimeout(t, starting)
	r, err := NewReader(k.Addrs(), k.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.CreateTopics(ctx, []Topic{{Name: "orders", Partitions: 3}}); err != nil {
		t.Fatal(err)
	}
	want := commitOrders(t, k)
	log, err := r.ReadLog(ctx, []string{"orders"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int32][]evidence.LogRecord{}
	for _, p := range log.Partitions {
		for _, b := range p.Batches {
			got[p.Partition] = append(got[p.Partition], b.Records...)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// expectLeaders makes a topic with these leaders, each partition on every node.
func expectLeaders(t *testing.T, k *Kafka, want []int32) {
	t.Helper()
	ctx := withTimeout(t, starting)
	r, err := NewReader(k.Addrs(), k.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.CreateTopics(ctx, []Topic{{Name: "placed", Partitions: 3, Leaders: want}}); err != nil {
		t.Fatal(err)
	}
	resp, err := r.metadata(ctx, []string{"placed"})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]int32, len(want))
	for _, p := range resp.Topics[0].Partitions {
		got[p.Partition] = p.Leader
		if len(p.Replicas) != 3 {
			t.Errorf("partition %d has replicas %v, expected one on every node", p.Partition, p.Replicas)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("leaders (-want +got):\n%s", diff)
	}
}

// commitOrders writes an order to each of three partitions, in one transaction.
func commitOrders(t *testing.T, k *Kafka) map[int32][]evidence.LogRecord {
	t.Helper()
	ctx := withTimeout(t, starting)
	opts := []kgo.Opt{kgo.TransactionalID("cook"), kgo.RecordPartitioner(kgo.ManualPartitioner())}
	for _, addr := range k.Addrs() {
		opts = append(opts, kgo.SeedBrokers(addr))
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	want := map[int32][]evidence.LogRecord{}
	for p := range int32(3) {
		want[p] = produce(t, cl, p, 0, int(p), int(p))
	}
	if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	return want
}

// finalized is the level of a feature as the cluster tells its clients.
func finalized(t *testing.T, k *Kafka, feature string) int16 {
	t.Helper()
	r, err := NewReader(k.Addrs(), k.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	resp, err := kmsg.NewPtrApiVersionsRequest().RequestWith(withTimeout(t, patience), r.client)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range resp.FinalizedFeatures {
		if f.Name == feature {
			return f.MaxVersionLevel
		}
	}
	return 0
}

// fillCache starts Kafka once if the cache is not complete, so that what follows
// is a start and nothing else.
func fillCache(t *testing.T) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(filepath.Join(cache, "kcompare", "kafka-"+DefaultKafkaVersion, "*.jsa"))
	if err != nil || len(made) == 0 {
		startRealKafka(withTimeout(t, starting), t, t.TempDir(), KafkaOptions{Nodes: 1}).Close()
	}
}

// awaitChildren waits until a cluster in dir has started its first server, which
// comes after a look at java and the tool that formats.
func awaitChildren(t *testing.T, dir string) []processID {
	var pids []processID
	until(t, starting, "a server is started", func() bool {
		lists, _ := filepath.Glob(filepath.Join(dir, kafkaDirs+"*", recordName))
		for _, list := range lists {
			pids = readChildren(list)
		}
		return len(pids) == 3
	})
	return pids
}

func readChildren(list string) []processID {
	text, _ := os.ReadFile(list)
	var pids []processID
	for line := range strings.Lines(string(text)) {
		if id, ok := parseProcessID(strings.TrimSpace(line)); ok {
			pids = append(pids, id)
		}
	}
	return pids
}

// until waits for a condition that another process brings about.
func until(t *testing.T, d time.Duration, what string, met func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(d); !met(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Errorf("waited %v until %s", d, what)
			return
		}
	}
}

func serverPIDs(k *Kafka) []processID {
	return readChildren(filepath.Join(k.dir, recordName))
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	var names []string
	for _, e := range found {
		names = append(names, e.Name())
	}
	return names
}

func expectNothingLeft(t *testing.T, dir string, pids []processID) {
	t.Helper()
	if len(pids) < 3 {
		t.Errorf("children %v, expected the look at java, the tool and at least one server", pids)
	}
	for _, id := range pids {
		if id.runs() {
			t.Errorf("process %d still runs", id.pid)
		}
	}
	if left := entries(t, dir); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// residentMB is the memory of all servers, 0 where the system does not tell.
func residentMB(t testing.TB, k *Kafka) int {
	t.Helper()
	sum := 0
	for _, n := range k.nodes {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.server.Cmd.Process.Pid))
		if err != nil {
			return 0
		}
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		kb, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatal(err)
		}
		sum += kb / 1000
	}
	return sum
}
