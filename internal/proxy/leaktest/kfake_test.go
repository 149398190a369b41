package leaktest

import (
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// embedded is a kfake cluster that knows each of its peers. Unlike Apache Kafka
// here, it lets nodes join, and restart on another port.
type embedded struct {
	*kfake.Cluster
	visitors *visitors

	nodes map[int32]string
}

func startEmbedded(t *testing.T) *embedded {
	t.Helper()
	v := &visitors{}
	c, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.ListenFn(v.listen))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	e := &embedded{Cluster: c, visitors: v, nodes: map[int32]string{}}
	for id, addr := range c.ListenAddrs() { // numbered in this order
		e.nodes[int32(id)] = addr
	}
	return e
}

func (e *embedded) addrs() map[int32]string { return maps.Clone(e.nodes) }

func (e *embedded) createTopic(t *testing.T, topic string) {
	t.Helper()
	if err := e.CreateTopic(topic, 1, nil); err != nil {
		t.Fatal(err)
	}
}

func (e *embedded) leader(_ *testing.T, topic string) int32 { return e.LeaderFor(topic, 0) }

func (e *embedded) moveLeader(t *testing.T, topic string, node int32) {
	t.Helper()
	if err := e.MoveTopicPartition(topic, 0, node); err != nil {
		t.Fatalf("move the leader of %s to node %d: %v", topic, node, err)
	}
}

// moveCoordinators hashes all ids anew, until both fell to another node.
func (e *embedded) moveCoordinators(t *testing.T, group, transactionalID string) {
	t.Helper()
	oldGroup, oldTxn := e.CoordinatorFor(group), e.CoordinatorFor(transactionalID)
	for range 100 {
		e.RehashCoordinators()
		if e.CoordinatorFor(group) != oldGroup && e.CoordinatorFor(transactionalID) != oldTxn {
			return
		}
	}
	t.Fatal("the coordinators stayed where they were, 100 times")
}

func (e *embedded) readShareGroupFromStart(_ *testing.T, group string) {
	e.SetGroupConfigs(group, map[string]string{"share.auto.offset.reset": "earliest"})
}

// tellWhere answers the next ShareAcknowledge as KIP-932 has it for a partition
// that another node leads: with that node's id and address. kfake itself leaves the
// address out.
func (e *embedded) tellWhere(t *testing.T, topic string) {
	t.Helper()
	leader, epoch := e.LeaderFor(topic, 0), e.PartitionInfo(topic, 0).Epoch
	host, port, err := net.SplitHostPort(e.nodes[leader])
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	e.ControlKey(int16(kmsg.ShareAcknowledge), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.ShareAcknowledgeResponse)
		resp.NodeEndpoints = []kmsg.ShareAcknowledgeResponseNodeEndpoint{{NodeID: leader, Host: host, Port: int32(number)}}
		for _, rt := range req.(*kmsg.ShareAcknowledgeRequest).Topics {
			moved := kmsg.NewShareAcknowledgeResponseTopicPartition()
			moved.ErrorCode = kerr.NotLeaderForPartition.Code
			moved.CurrentLeader.LeaderID, moved.CurrentLeader.LeaderEpoch = leader, epoch
			resp.Topics = append(resp.Topics, kmsg.ShareAcknowledgeResponseTopic{
				TopicID: rt.TopicID, Partitions: []kmsg.ShareAcknowledgeResponseTopicPartition{moved},
			})
		}
		return resp, nil, true
	})
}

// join adds a node.
func (e *embedded) join(t *testing.T) int32 { return e.add(t, -1) }

// restart ends a node with its connections, as the end of a process does, and
// brings it back on another port.
func (e *embedded) restart(t *testing.T, node int32) {
	t.Helper()
	if err := e.RemoveNode(node); err != nil {
		t.Fatal(err)
	}
	e.visitors.hangUp(e.nodes[node])
	e.add(t, node)
}

func (e *embedded) add(t *testing.T, node int32) int32 {
	t.Helper()
	node, port, err := e.AddNode(node, 0)
	if err != nil {
		t.Fatal(err)
	}
	e.nodes[node] = hostPort("127.0.0.1", int32(port))
	return node
}

func (e *embedded) strangers(known []string) []string {
	var strangers []string
	for _, peer := range e.visitors.peers() {
		if !slices.Contains(known, peer) {
			strangers = append(strangers, peer)
		}
	}
	return strangers
}

// visitors are all connections that kfake's nodes accepted. The zero value is
// ready; methods may be called concurrently.
type visitors struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (v *visitors) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	return doorman{Listener: l, visitors: v}, err
}

func (v *visitors) peers() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var addrs []string
	for _, c := range v.conns {
		addrs = append(addrs, c.RemoteAddr().String())
	}
	return addrs
}

// hangUp closes every connection that was accepted at an address.
func (v *visitors) hangUp(addr string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.conns {
		if portOf(c.LocalAddr().String()) == portOf(addr) {
			_ = c.Close() // those that are gone already may say so
		}
	}
}

// portOf leaves out the host, which kfake spells in its own way.
func portOf(addr string) string { return addr[strings.LastIndexByte(addr, ':')+1:] }

// doorman notes who comes in before the node reads from it.
type doorman struct {
	net.Listener
	visitors *visitors
}

func (d doorman) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err == nil {
		d.visitors.mu.Lock()
		d.visitors.conns = append(d.visitors.conns, conn)
		d.visitors.mu.Unlock()
	}
	return conn, err
}
