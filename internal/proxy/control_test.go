package proxy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// stuckControl gets nothing done until it is let go on.
type stuckControl struct {
	began chan bool
	goOn  chan bool // nil: never
}

func (s *stuckControl) stick(ctx context.Context) error {
	close(s.began)
	select {
	case <-s.goOn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stuckControl) MoveLeader(ctx context.Context, _ string, _ int32) error { return s.stick(ctx) }
func (s *stuckControl) MoveCoordinator(ctx context.Context, _ CoordinatorKind, _ string) error {
	return s.stick(ctx)
}
func (s *stuckControl) KillNode(ctx context.Context, _ int32) error { return s.stick(ctx) }
func (s *stuckControl) PauseNode(ctx context.Context, _ int32, _ time.Duration) error {
	return s.stick(ctx)
}
func (s *stuckControl) RestartNode(ctx context.Context, _ int32) error { return s.stick(ctx) }
func (s *stuckControl) Addrs() map[int32]string                        { return nil }

// kfakeControl changes a kfake cluster. kfake keeps the connections of a node that
// it removes; here they are known by listener and are cut.
type kfakeControl struct {
	cluster *kfake.Cluster

	mu        sync.Mutex
	addrs     map[int32]string         // by node
	listeners map[string]*liveListener // by address
	did       []string
}

func (k *kfakeControl) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	live := &liveListener{Listener: l}
	k.listeners[l.Addr().String()] = live
	return live, nil
}

func (k *kfakeControl) note(format string, args ...any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.did = append(k.did, fmt.Sprintf(format, args...))
}

func (k *kfakeControl) done() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.did...)
}

func (k *kfakeControl) MoveLeader(_ context.Context, topic string, partition int32) error {
	to := (k.cluster.LeaderFor(topic, partition) + 1) % 3
	k.note("leader of %s-%d to %d", topic, partition, to)
	return k.cluster.MoveTopicPartition(topic, partition, to)
}

func (k *kfakeControl) MoveCoordinator(_ context.Context, kind CoordinatorKind, key string) error {
	k.note("coordinator %d of %s", kind, key)
	k.cluster.RehashCoordinators()
	return nil
}

func (k *kfakeControl) KillNode(_ context.Context, node int32) error {
	k.note("kill %d", node)
	return k.remove(node)
}

func (k *kfakeControl) remove(node int32) error {
	k.mu.Lock()
	live := k.listeners[k.addrs[node]]
	k.mu.Unlock()
	if err := k.cluster.RemoveNode(node); err != nil {
		return err
	}
	live.cut()
	return nil
}

func (k *kfakeControl) PauseNode(_ context.Context, node int32, lasting time.Duration) error {
	k.note("pause %d for %v", node, lasting)
	k.mu.Lock()
	live := k.listeners[k.addrs[node]]
	k.mu.Unlock()
	live.pause(lasting)
	return nil
}

func (k *kfakeControl) RestartNode(_ context.Context, node int32) error {
	k.note("restart %d", node)
	if err := k.remove(node); err != nil {
		return err
	}
	_, port, err := k.cluster.AddNode(node, 0)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.addrs[node] = fmt.Sprintf("127.0.0.1:%d", port)
	return err
}

func (k *kfakeControl) Addrs() map[int32]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.addrs)
}

// liveListener knows its connections.
type liveListener struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
	until time.Time // nothing is read before
}

type liveConn struct {
	net.Conn
	of *liveListener
}

func (l *liveListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.conns = append(l.conns, conn)
		l.mu.Unlock()
	}
	return liveConn{conn, l}, err
}

func (l *liveListener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		conn.Close()
	}
}

func (l *liveListener) pause(lasting time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Now().Add(lasting)
}

// Read gives what came to the node once it goes on.
func (c liveConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.of.mu.Lock()
	rest := time.Until(c.of.until)
	c.of.mu.Unlock()
	if rest > 0 {
		<-time.After(rest)
	}
	return n, err
}

// controlled starts a cluster that can be changed, with node 0 as leader.
func controlled(t *testing.T, rules ...fault.Rule) (*cluster, *kfakeControl) {
	t.Helper()
	k := &kfakeControl{addrs: map[int32]string{}, listeners: map[string]*liveListener{}}
	c := startCluster(t, func(o *Options) {
		for node, addr := range o.Upstreams {
			k.addrs[node] = addr
		}
		o.Engine, o.Control = plan(rules...), k
		o.Roles = map[string]string{topic: "payments"}
	}, kfake.SeedTopics(1, topic), kfake.ListenFn(k.listen))
	k.cluster = c.Cluster
	c.leaderOf(t, topic, 0, 0)
	return c, k
}

// The request that is hit is the first to meet the change, and the trace says what
// was done before what came of it.
func TestClusterActions(t *testing.T) {
	heartbeat := func() kmsg.Request {
		req := kmsg.NewPtrHeartbeatRequest()
		req.Group = "kcompare-group"
		return req
	}
	for _, tt := range []struct {
		name   string
		rule   fault.Rule
		ask    kmsg.Request
		did    string
		result string // the beginning of it
		gone   bool   // the connection ends without an answer
	}{
		{
			name: "move-leader", rule: fault.Rule{Action: fault.MoveLeader, Select: nth("Produce", 1)}, ask: produceOne(1),
			did: "leader of kcompare-payments-0 to 1", result: "the leader of kcompare-payments-0 was moved: NOT_LEADER_FOR_PARTITION",
		},
		{
			name: "move-coordinator", rule: fault.Rule{Action: fault.MoveCoordinator, Select: nth("Heartbeat", 1)}, ask: heartbeat(),
			did: "coordinator 0 of kcompare-group", result: "the coordinator of kcompare-group was moved: ",
		},
		{
			name: "pause-node", rule: fault.Rule{Action: fault.PauseNode, Wait: 50 * time.Millisecond, Select: nth("Produce", 1)}, ask: produceOne(1),
			did: "pause 0 for 50ms", result: "node 0 was paused for 50ms: ok",
		},
		{
			name: "kill-node", rule: fault.Rule{Action: fault.KillNode, Select: nth("Produce", 1)}, ask: produceOne(1),
			did: "kill 0", result: "not forwarded: node 0 was killed", gone: true,
		},
		{
			name: "restart-node", rule: fault.Rule{Action: fault.RestartNode, Select: nth("Produce", 1)}, ask: produceOne(1),
			did: "restart 0", result: "not forwarded: node 0 was restarted", gone: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, control := controlled(t, tt.rule)
			client := dialNode(t, c.proxy, 0)
			if tt.gone {
				client.send(tt.ask)
				if err := client.closed(); err != nil {
					t.Errorf("the connection ended with %v, want an orderly end", err)
				}
			} else {
				client.ask(tt.ask)
			}
			client.conn.Close()
			seen := c.settled(t)
			if diff := cmp.Diff([]string{tt.did}, control.done()); diff != "" {
				t.Errorf("done (-want +got):\n%s", diff)
			}
			e := seen.Trace.Exchanges[0]
			if !strings.HasPrefix(e.Result, tt.result) || e.Forwarded == tt.gone || e.Answered == tt.gone || e.Fault != tt.name {
				t.Errorf("%+v, want the result %q", e, tt.result)
			}
			if len(seen.Fired["rule 1"]) != 1 || len(seen.Problems) > 0 || (seen.RequestsDropped == 1) != tt.gone {
				t.Errorf("fired %v, problems %q, requests lost %d", seen.Fired, seen.Problems, seen.RequestsDropped)
			}
		})
	}
}

// Answers that were under way when their node died still come; what is sent
// afterwards is not taken for sent.
func TestKillNodeWithSomeInFlight(t *testing.T) {
	c, _ := controlled(t, fault.Rule{Name: "kill", Action: fault.KillNode, Select: nth("Produce", 2)})
	client := dialNode(t, c.proxy, 0)
	client.ask(produceOne(1))
	client.send(produceOne(2), produceTo(9, 0, topic, map[int32][]byte{0: batchOf(payment(3))}))
	if err := client.closed(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
	client.conn.Close()
	seen := c.settled(t)
	want := []string{"payments/1 forwarded answered delivered", "payments/2 kill-node Produce 2", "payments/3 collateral"}
	if diff := cmp.Diff(want, fates(seen)); diff != "" || seen.RequestsDropped != 2 {
		t.Errorf("requests lost %d, fates (-want +got):\n%s", seen.RequestsDropped, diff)
	}
	if got := seen.Trace.Exchanges[2].Result; got != "not forwarded: node 0 was killed by rule kill" {
		t.Errorf("the result of what came after is %q", got)
	}
}

// While the cluster is being changed for one connection, others go on.
func TestControlHoldsUpOneConnectionOnly(t *testing.T) {
	stuck := &stuckControl{began: make(chan bool)}
	c := startCluster(t, func(o *Options) {
		o.Engine, o.Control = plan(fault.Rule{Action: fault.KillNode, Select: nth("Produce", 1)}), stuck
	}, kfake.SeedTopics(1, topic))
	dialNode(t, c.proxy, 0).send(produceOne(1))
	<-stuck.began
	dialNode(t, c.proxy, 0).ask(kmsg.NewPtrMetadataRequest())
}

// failingControl says why it cannot.
type failingControl struct{ kfakeControl }

func (*failingControl) MoveLeader(context.Context, string, int32) error {
	return errors.New("no other replica")
}

// A change that did not happen is a problem; the request goes on as if nothing had
// been planned.
func TestControlFails(t *testing.T) {
	noPartition := kmsg.NewPtrFetchRequest()
	noPartition.Version = 4
	noID := kmsg.NewPtrInitProducerIDRequest()
	for _, tt := range []struct {
		rule fault.Rule
		ask  kmsg.Request
		node int32
		want string
	}{
		{fault.Rule{Action: fault.MoveLeader, Select: nth("Produce", 1)}, produceOne(1), 0, "no other replica"},
		{fault.Rule{Action: fault.MoveLeader, Select: nth("Fetch", 1)}, noPartition, 0, "names no partition"},
		{fault.Rule{Action: fault.MoveCoordinator, Select: nth("InitProducerId", 1)}, noID, 0, "no group or transactional id"},
		{fault.Rule{Action: fault.KillNode, Select: nth("Metadata", 1)}, kmsg.NewPtrMetadataRequest(), -1, "bootstrap address"},
	} {
		c := startCluster(t, func(o *Options) {
			o.Upstreams[-1] = o.Upstreams[0]
			o.Engine, o.Control = plan(tt.rule), &failingControl{}
		}, kfake.SeedTopics(1, topic))
		dialNode(t, c.proxy, tt.node).ask(tt.ask)
		seen := c.proxy.Observed()
		if len(seen.Problems) != 1 || !strings.Contains(seen.Problems[0], tt.want) || len(seen.Fired) > 0 || seen.Trace.Exchanges[0].Fault != "" {
			t.Errorf("%s %s: problems %q, fired %v, want a problem with %q", tt.rule.Action, tt.rule.Select.API, seen.Problems, seen.Fired, tt.want)
		}
	}
}

// Whose coordinator is moved, for every API that has one.
func TestCoordinated(t *testing.T) {
	type answer struct {
		Kind CoordinatorKind
		Key  string
	}
	id := "payments-1"
	got := map[string]answer{}
	for _, req := range []kmsg.Request{
		&kmsg.JoinGroupRequest{Group: "g"}, &kmsg.SyncGroupRequest{Group: "g"}, &kmsg.HeartbeatRequest{Group: "g"},
		&kmsg.LeaveGroupRequest{Group: "g"}, &kmsg.ConsumerGroupHeartbeatRequest{Group: "g"}, &kmsg.ShareGroupHeartbeatRequest{GroupID: "g"},
		&kmsg.OffsetCommitRequest{Group: "g"}, &kmsg.OffsetFetchRequest{Version: 8, Groups: []kmsg.OffsetFetchRequestGroup{{Group: "g"}}},
		&kmsg.TxnOffsetCommitRequest{Group: "g", TransactionalID: id},
		&kmsg.InitProducerIDRequest{TransactionalID: &id}, &kmsg.AddOffsetsToTxnRequest{TransactionalID: id, Group: "g"},
		&kmsg.AddPartitionsToTxnRequest{Version: 4, Transactions: []kmsg.AddPartitionsToTxnRequestTransaction{{TransactionalID: id}}},
		&kmsg.EndTxnRequest{TransactionalID: id}, &kmsg.ProduceRequest{TransactionID: &id},
	} {
		kind, key, has := coordinated(req)
		if !has {
			t.Errorf("%s has no coordinator", apiName(req.Key()))
		}
		got[apiName(req.Key())] = answer{kind, key}
	}
	group, transaction := answer{GroupCoordinator, "g"}, answer{TransactionCoordinator, id}
	want := map[string]answer{
		"JoinGroup": group, "SyncGroup": group, "Heartbeat": group, "LeaveGroup": group, "ConsumerGroupHeartbeat": group,
		"ShareGroupHeartbeat": group, "OffsetCommit": group, "OffsetFetch": group, "TxnOffsetCommit": group,
		"InitProducerId": transaction, "AddOffsetsToTxn": transaction, "AddPartitionsToTxn": transaction, "EndTxn": transaction, "Produce": transaction,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for key := range int16(kmsg.MaxKey + 1) {
		if _, listed := want[apiName(key)]; listed != hasCoordinator(key) {
			t.Errorf("%s: has a coordinator %v, in the list above %v", apiName(key), hasCoordinator(key), listed)
		}
	}
}

// A node comes back elsewhere: where it was the only one, nobody is left to tell by
// Metadata, so whoever restarted it is asked.
func TestRestartedNodeIsFound(t *testing.T) {
	c, control := controlled(t, fault.Rule{Action: fault.RestartNode, Select: nth("Produce", 1)})
	was := control.Addrs()[0]
	client := dialNode(t, c.proxy, 0)
	client.send(produceOne(1))
	if err := client.closed(); err != nil {
		t.Fatalf("the connection ended with %v, want an orderly end", err)
	}
	if err := c.proxy.Changed(within(t)); err != nil { // the connection ends before the node is back
		t.Fatal(err)
	}
	if is := control.Addrs()[0]; is == was {
		t.Fatalf("node 0 is at %s as before", is)
	}
	dialNode(t, c.proxy, 0).ask(kmsg.NewPtrApiVersionsRequest())
}

// A node is stopped and started again, which takes seconds. Meanwhile the client has
// got its answers elsewhere, and its story ends: the change is waited for, or the node
// would stay away and the fault had not fired.
func TestChangedWaits(t *testing.T) {
	control := &stuckControl{began: make(chan bool), goOn: make(chan bool)}
	u := serve(t, func(frame []byte) ([]byte, bool) { return produced(frame), true })
	p := u.before(t, func(o *Options) {
		o.Engine, o.Control = plan(fault.Rule{Action: fault.RestartNode, Select: nth("Produce", 1)}), control
	})
	if err := p.Changed(within(t)); err != nil {
		t.Errorf("nothing has begun: %v", err)
	}
	client := dialNode(t, p, 0)
	client.send(produceV8(1))
	<-control.began
	client.conn.Close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Changed(over); !errors.Is(err, context.Canceled) {
		t.Errorf("while the node is away: %v", err)
	}
	close(control.goOn)
	if err := p.Changed(within(t)); err != nil || len(p.Observed().Fired["rule 1"]) != 1 {
		t.Errorf("error %v, fired %v", err, p.Observed().Fired)
	}
}
