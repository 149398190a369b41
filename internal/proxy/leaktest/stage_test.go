// Package leaktest has real client libraries talk to real brokers through the
// proxy while the cluster changes under them, and proves that none of them ever
// reaches a broker by itself; nor would that pass unseen.
package leaktest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kcompare/internal/proxy"
)

// deadline bounds every wait of these tests.
const deadline = 60 * time.Second

// brokers is a cluster of three nodes or more that can be changed.
type brokers interface {
	// addrs is where each node listens now.
	addrs() map[int32]string

	// createTopic makes a topic of one partition that every node has a replica of.
	createTopic(t *testing.T, topic string)

	// leader is the node that leads the partition of a topic.
	leader(t *testing.T, topic string) int32

	// moveLeader makes another node the leader; every node knows when it returns.
	moveLeader(t *testing.T, topic string, node int32)

	// moveCoordinators lets other nodes coordinate the group and the transactional id.
	moveCoordinators(t *testing.T, group, transactionalID string)

	// readShareGroupFromStart is share.auto.offset.reset=earliest.
	readShareGroupFromStart(t *testing.T, group string)

	// strangers are those who connected to a node from an address that is not known,
	// as far as the nodes can tell.
	strangers(known []string) []string
}

// stage is brokers behind a proxy, and a list of whatever the clients on it
// connect to.
type stage struct {
	brokers
	proxy *proxy.Proxy

	topic, group, transactionalID string

	real  map[string]bool // addresses of brokers, also those of nodes that moved since
	dials dials
	ends  []func() // of clients, called in reverse, and before the proxy closes
}

// newStage puts a proxy in front of the brokers. It leaves the addresses in the
// answers to one API, or to none.
func newStage(t *testing.T, b brokers, leave string) *stage {
	t.Helper()
	began := time.Now()
	opts := proxy.Options{Upstreams: b.addrs(), Clock: func() time.Duration { return time.Since(began) }}
	if leave != "" {
		opts.LeaveAddresses = []string{leave}
	}
	p, err := proxy.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	id := "kcompare-" + strings.NewReplacer("/", "-", " ", "-", "_", "-").Replace(t.Name())
	s := &stage{brokers: b, proxy: p, topic: id, group: id, transactionalID: id, real: map[string]bool{}}
	s.noteAddrs()
	t.Cleanup(func() { s.close(t) })
	b.createTopic(t, s.topic)
	return s
}

// noteAddrs is called again when a node has come or moved.
func (s *stage) noteAddrs() {
	for _, addr := range s.addrs() {
		s.real[addr] = true
	}
}

func (s *stage) bootstrap() []string { return strings.Split(s.proxy.Bootstrap(), ",") }

// atEnd has a client closed when the story is over.
func (s *stage) atEnd(end func()) { s.ends = append(s.ends, end) }

func (s *stage) close(t *testing.T) {
	for _, end := range slices.Backward(s.ends) {
		end()
	}
	s.ends = nil
	if err := s.proxy.Close(); err != nil {
		t.Error(err)
	}
}

// past ends the story and lists every way in which somebody got past the proxy.
// The clients say what they dialled; the brokers, if they can, who came.
func (s *stage) past(t *testing.T) []string {
	t.Helper()
	s.close(t)
	seen := s.proxy.Observed()
	for _, problem := range seen.Problems {
		t.Errorf("the proxy has a problem: %s", problem)
	}
	var past []string
	for _, addr := range s.dials.all() {
		if s.real[addr] {
			past = append(past, "dialled "+addr)
		}
	}
	for _, peer := range s.strangers(seen.BrokerSide) {
		past = append(past, "came from "+peer)
	}
	return past
}

// dialled says whether a client has named the address of a broker so far.
func (s *stage) dialled() bool {
	return slices.ContainsFunc(s.dials.all(), func(addr string) bool { return s.real[addr] })
}

// other is a node that runs and is not this one.
func (s *stage) other(node int32) int32 {
	for _, id := range slices.Sorted(maps.Keys(s.addrs())) {
		if id != node {
			return id
		}
	}
	return -1
}

// awaitFetches waits until no Fetch is on its way, nor was since the last look.
func (s *stage) awaitFetches(t *testing.T) {
	t.Helper()
	last := -1
	eventually(t, "all Fetch requests are answered", func() bool {
		sent, answered := 0, 0
		for _, e := range s.proxy.Observed().Trace.Exchanges {
			if e.API == "Fetch" {
				sent++
			}
			if e.API == "Fetch" && e.Delivered {
				answered++
			}
		}
		still := sent == last && answered == sent
		last = sent
		return still
	})
}

// servers are the nodes that answered this API without an error, in the order of
// the requests. It is complete when the proxy is closed.
func (s *stage) servers(api string) []int32 {
	var nodes []int32
	for _, e := range s.proxy.Observed().Trace.Exchanges {
		if e.API == api && e.Delivered && e.Result == "ok" {
			nodes = append(nodes, e.Node)
		}
	}
	return nodes
}

// dials are the addresses that clients say they connect to. The zero value is
// ready; methods may be called concurrently.
type dials struct {
	mu    sync.Mutex
	addrs []string
}

func (d *dials) add(addr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addrs = append(d.addrs, addr)
}

func (d *dials) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.addrs)
}

// dial is a kgo.Dialer.
func (d *dials) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d.add(addr)
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

// within is a context of the test that names the deadline as its cause.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), deadline, fmt.Errorf("%s: not done within %v", t.Name(), deadline))
	t.Cleanup(cancel)
	return ctx
}

// eventually waits for a condition, and names it when it never came.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx := within(t)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("this never came within %v: %s", deadline, what)
		}
	}
}

// hostPort is how all of these tests spell an address.
func hostPort(host string, port int32) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}
