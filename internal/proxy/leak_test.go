package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// A client that has seen every address that a broker tells still knows the proxy
// alone: a moved leader (Produce and Fetch tell its endpoint, KIP-951), moved
// coordinators, DescribeCluster, a node that joined.
func TestNoClientGetsPast(t *testing.T) {
	c := startCluster(t, nil, kfake.SeedTopics(1, "orders"))
	client, dialed := c.newClient(t, kgo.ConsumeTopics("orders"), kgo.ConsumerGroup("kcompare-group"))
	moveAndProduce(t, c, client)

	fetches := client.PollFetches(within(t))
	if err := fetches.Err(); err != nil || fetches.NumRecords() == 0 {
		t.Fatalf("poll: %d records, error %v", fetches.NumRecords(), err)
	}
	c.RehashCoordinators()
	if err := client.CommitUncommittedOffsets(within(t)); err != nil {
		t.Errorf("commit after the coordinators moved: %v", err)
	}
	cluster, err := kmsg.NewPtrDescribeClusterRequest().RequestWith(within(t), client)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range cluster.Brokers {
		if addr := net.JoinHostPort(b.Host, fmt.Sprint(b.Port)); !strings.Contains(c.proxy.Bootstrap(), addr) {
			t.Errorf("DescribeCluster tells the address %s", addr)
		}
	}
	joined, _, err := c.AddNode(-1, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.leaderOf(t, "orders", 0, joined)
	produceSync(t, client)
	if past := dialed.past(c); len(past) > 0 {
		t.Errorf("%d dials went past the proxy: %q", len(past), past)
	}
	eventually(t, "Produce to the node that joined, through the proxy", func() bool { return servedBy(c, joined) })
	if problems := c.proxy.Observed().Problems; len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
}

func servedBy(c *cluster, node int32) bool {
	for _, e := range c.proxy.Observed().Trace.Exchanges {
		if e.Node == node && e.API == "Produce" && e.Delivered {
			return true
		}
	}
	return false
}

// The mutation: without the endpoints of Produce answers being rewritten, the
// same move is a leak, and this kind of test sees it.
func TestLeavingEndpointsLeaks(t *testing.T) {
	c := startCluster(t, func(o *Options) { o.LeaveAddresses = []string{"Produce", "Fetch", "ShareFetch", "ShareAcknowledge"} }, kfake.SeedTopics(1, "orders"))
	client, dialed := c.newClient(t)
	moveAndProduce(t, c, client)
	eventually(t, "a dial past the proxy", func() bool { return len(dialed.past(c)) > 0 })
}

// moveAndProduce moves the leader of orders-0 between two records.
func moveAndProduce(t *testing.T, c *cluster, client *kgo.Client) {
	t.Helper()
	c.leaderOf(t, "orders", 0, 0)
	produceSync(t, client)
	c.leaderOf(t, "orders", 0, 1)
	produceSync(t, client)
}

func produceSync(t *testing.T, client *kgo.Client) {
	t.Helper()
	r := &kgo.Record{Topic: "orders", Value: []byte("payment")}
	if err := client.ProduceSync(within(t), r).FirstErr(); err != nil {
		t.Fatalf("produce: %v", err)
	}
}

// kfake sees each peer that connects; all of them are the proxy.
func TestBrokerSidePeers(t *testing.T) {
	peers := &peerList{}
	c := startCluster(t, nil, kfake.SeedTopics(1, "orders"), kfake.ListenFn(peers.listen))
	client, _ := c.newClient(t)
	moveAndProduce(t, c, client)
	client.Close()
	if err := c.proxy.Close(); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, addr := range c.proxy.Observed().BrokerSide {
		known[addr] = true
	}
	for _, peer := range peers.seen() {
		if !known[peer] {
			t.Errorf("the broker has a peer %s, which is not the proxy", peer)
		}
	}
	if len(known) == 0 || len(peers.seen()) != len(known) {
		t.Errorf("%d peers, %d connections of the proxy", len(peers.seen()), len(known))
	}
}

// A broker that comes back elsewhere keeps the address that clients know.
func TestNodeWithChangedAddressKeepsItsListener(t *testing.T) {
	answer := func(frame []byte) ([]byte, bool) { return opaque(frame, nil), true }
	old, moved := serve(t, answer), serve(t, answer)
	p := old.before(t, nil)
	before := p.Bootstrap()
	host, port, _ := net.SplitHostPort(moved.addr)
	var number int32
	fmt.Sscan(port, &number)
	toldHost, toldPort, err := p.advertise(0, host, number)
	if err != nil {
		t.Fatal(err)
	}
	if told := fmt.Sprintf("%s:%d", toldHost, toldPort); told != before || p.Bootstrap() != before {
		t.Errorf("the listener is %s, was %s", told, before)
	}
	client := dialNode(t, p, 0)
	if _, err := client.conn.Write(frame([]byte("\x27\x11\x00\x00\x00\x00\x00\x09\x00\x00"))); err != nil {
		t.Fatal(err)
	}
	if _, err := client.from.next(); err != nil || moved.frames() != 1 || old.frames() != 0 {
		t.Errorf("error %v, frames at the old address %d, at the new one %d", err, old.frames(), moved.frames())
	}
}

// Produce v13 names topics by id. An id that the proxy was taught, or saw in an
// answer, is a name; any other is said aloud.
func TestTopicIDs(t *testing.T) {
	rule := fault.Rule{Name: "lost", Action: fault.ReplaceResponse, Code: 7, Select: fault.Selector{API: "Produce", Role: "payments", Probability: 1}}
	roles := map[string]string{topic: "payments"}
	byID := func(id [16]byte) *kmsg.ProduceRequest {
		req := produceTo(13, -1, "", map[int32][]byte{0: batchOf(payment(1))})
		req.Topics[0].TopicID = id
		return req
	}
	produce := func(c *cluster) string {
		resp := dialNode(t, c.proxy, 0).ask(byID(c.TopicInfo(topic).TopicID)).(*kmsg.ProduceResponse)
		return codeName(resp.Topics[0].Partitions[0].ErrorCode)
	}
	start := func(known bool) *cluster {
		var c *cluster
		k := func(o *Options) { o.Engine, o.Roles = plan(rule), roles }
		c = startCluster(t, k, kfake.SeedTopics(1, topic))
		c.leaderOf(t, topic, 0, 0)
		if known {
			c.proxy.topics.learn(c.TopicInfo(topic).TopicID, topic)
		}
		return c
	}
	t.Run("taught", func(t *testing.T) {
		c := start(true)
		if got := produce(c); got != "REQUEST_TIMED_OUT" {
			t.Errorf("answered %s, want the fault", got)
		}
		if b := c.proxy.Observed().Trace.Exchanges[0].Batches[0]; b.Topic != topic || b.Code != "ok" || b.BaseOffset != 0 || b.Attempt != 1 {
			t.Errorf("batch in the trace: %+v", b)
		}
	})
	t.Run("learned from Metadata", func(t *testing.T) {
		c := start(false)
		metadata := kmsg.NewPtrMetadataRequest()
		metadata.Version = 12
		dialNode(t, c.proxy, 1).ask(metadata)
		if got := produce(c); got != "REQUEST_TIMED_OUT" {
			t.Errorf("answered %s, want the fault", got)
		}
	})
	t.Run("unknown", func(t *testing.T) {
		c := start(false)
		if got := produce(c); got != "ok" {
			t.Errorf("answered %s, want the broker's answer", got)
		}
		if problems := c.proxy.Observed().Problems; len(problems) != 1 || !strings.Contains(problems[0], "topic id") {
			t.Errorf("problems %q, want one that names the topic id", problems)
		}
	})
}

// The trace of a transaction, as a reader of the evidence gets it.
//
// Of one record alone, franz-go 1.22.3 may abort what it was told to commit, and
// say nothing: storePartitionsUpdate hands the first records of a topic on before
// it stores the topic's partitions. Where the broker has answered by then,
// EndTransaction finds no partition that was written to, takes it that no produce
// succeeded, and sends an abort. The second record waits for the lock around both.
func TestTraceOfATransaction(t *testing.T) {
	c := startCluster(t, nil, kfake.SeedTopics(1, topic))
	client, _ := c.newClient(t, kgo.TransactionalID("kcompare-txn"), kgo.DefaultProduceTopic(topic), kgo.ProducerLinger(0))
	if err := client.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	want := []string{"InitProducerId: kcompare-txn pid=-1 epoch=-1 -> ok"}
	for n := range 2 {
		p := payment(n)
		r := &kgo.Record{Key: p.Key, Value: p.Value}
		for _, h := range p.Headers {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
		}
		if err := client.ProduceSync(within(t), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("Produce: acks=-1 %s-0 kcompare-txn -> ok; [payments/%d] [%s] seq=%d offset=%d ok", topic, n, p.Headers[1].Value, n, n))
	}
	if err := client.EndTransaction(within(t), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	want = append(want, "EndTxn: commit kcompare-txn pid=N epoch=0 -> ok; commit true of kcompare-txn epoch=0 ok")
	if diff := cmp.Diff(want, transactionTrace(t, c.proxy.Observed())); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
	if got := levels(c.proxy.Observed()); got["transaction.version"] != 2 {
		t.Errorf("features of the cluster are %v, expected transaction.version 2", got)
	}
}

// levels are the features that the first answer to ApiVersions tells.
func levels(seen Observed) map[string]int16 {
	for _, e := range seen.Trace.Exchanges {
		if e.API == "ApiVersions" {
			return e.Features
		}
	}
	return nil
}

// transactionTrace is a line for each request that a transaction consists of.
func transactionTrace(t *testing.T, seen Observed) []string {
	var lines []string
	for _, e := range seen.Trace.Exchanges {
		if e.Client != "app" {
			t.Errorf("client id %q", e.Client)
		}
		switch e.API {
		case "InitProducerId", "Produce", "EndTxn":
			line := e.API + ": " + e.Summary + " -> " + e.Result
			for _, b := range e.Batches {
				line += fmt.Sprintf("; %v %v seq=%d offset=%d %s", b.IDs, b.Sends, b.BaseSequence, b.BaseOffset, b.Code)
			}
			if end := e.End; end != nil {
				line += fmt.Sprintf("; commit %v of %s epoch=%d %s", end.Commit, end.TransactionalID, end.ProducerEpoch, end.Code)
			}
			lines = append(lines, normalizePID(line))
		}
	}
	return lines
}

// normalizePID takes out the producer id, which kfake draws by chance.
func normalizePID(line string) string {
	before, after, found := strings.Cut(line, "pid=")
	if !found || strings.HasPrefix(after, "-1") {
		return line
	}
	return before + "pid=N" + after[strings.IndexByte(after, ' '):]
}

// A consumer and a producer through the proxy, under a fault each way: the
// library's own retries get every record there.
func TestKgoSurvivesFaults(t *testing.T) {
	c := startCluster(t, func(o *Options) {
		o.Engine = plan(
			fault.Rule{Name: "lost-answer", Action: fault.DropResponse, Select: nth("Produce", 2)},
			fault.Rule{Name: "lost-request", Action: fault.DropRequest, Select: nth("Produce", 4)},
			fault.Rule{Name: "no-fetch", Action: fault.AnswerInstead, Code: kerr.NotLeaderForPartition.Code, Select: nth("Fetch", 2)},
			fault.Rule{Name: "reset", Action: fault.ResetConnection, Select: nth("Fetch", 4)},
		)
	}, kfake.SeedTopics(1, "orders"))
	client, _ := c.newClient(t, kgo.ConsumeTopics("orders"), kgo.FetchMaxWait(20*time.Millisecond))
	for range 6 {
		produceSync(t, client)
	}
	ctx, read := within(t), 0
	for read < 6 {
		fetches := client.PollFetches(ctx)
		fetches.EachError(func(_ string, _ int32, err error) {
			if errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%d of 6 records were read", read)
			}
		})
		read += fetches.NumRecords()
	}
	eventually(t, "all four faults", func() bool { return len(c.proxy.Observed().Fired) == 4 })
	if problems := c.proxy.Observed().Problems; len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
}
