// Package proxy stands in front of every broker of a cluster: it rewrites the
// addresses that brokers tell their clients, records each request and answer
// as evidence, and carries out the faults that package fault decides.
//
//	client ── TCP ──> listener of node 1 ── TCP ──> node 1
//	       └─ TCP ──> listener of node 2 ── TCP ──> node 2
//
// A client connection has one broker connection of its own. Frames are
// forwarded byte for byte; the only ones that change are answers with addresses
// in them, ApiVersions where a broker knows more than this package, and what a
// fault asks for. Everything listens and dials on behalf of one trial, and Close
// leaves nothing behind.
package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Options say what to stand in front of, and what to do to it.
type Options struct {
	// Upstreams is node id to host:port of the real broker. Nodes that a broker
	// names later get a listener when they are first named. Negative ids stand
	// for addresses whose node is not known, as with bootstrap servers.
	Upstreams map[int32]string

	Roles            map[string]string   // topic to role, for fault decisions; other topics have role ""
	TransactionalIDs map[string]string   // transactional id to what fault rules call it; others are none of theirs
	TopicIDs         map[[16]byte]string // topic ids known from the start; others are learned from answers

	Engine *fault.Engine        // decides on faults; nil: none
	Clock  func() time.Duration // time since the trial began

	// Keep is how many exchanges the trace keeps, 10,000 if it is 0; the rest is
	// counted in Trace.Cut. Produce is kept up to ten times that, because the
	// leak check needs it.
	Keep int

	// HeadersOnly leaves the records of Produce requests as they are, and compressed
	// where they are: the trace has producer, sequence and count of each batch, but
	// no identities. It is for traffic whose records nobody asks about, at the speed
	// of a relay. Start refuses a plan with rules that need the records.
	HeadersOnly bool

	// Fields keeps the settings in requests: see evidence.Exchange.Fields.
	Fields bool

	// LongLived is for a proxy that runs until somebody stops it: what only a trial
	// asks for is counted and not kept (see Observed), and attempts at a record are
	// forgotten after a million other records. Keep should be small then.
	LongLived bool

	// Listen is the host:port of 127.0.0.1 where the listener of the first upstream
	// stands, by node id; "" and all others: free ports.
	Listen string

	// ClientTLS is what clients have to speak to the proxy, BrokerTLS what the proxy
	// speaks to brokers; nil: plaintext. A name to verify is taken from each broker's
	// own address where BrokerTLS has none.
	ClientTLS *tls.Config
	BrokerTLS *tls.Config

	// Control changes the cluster for rules that ask for it (fault.Action.ChangesCluster).
	// Without it, Start refuses such a plan.
	Control Control

	// OnFault is told of each fault when it has fired, OnExchange of each request when
	// its fate is settled: answered, or its connection has ended. Both are called from
	// any goroutine, one call at a time, and must not block.
	OnFault    func(FaultFired)
	OnExchange func(evidence.Exchange)

	// LeaveAddresses are the APIs (see carriesAddresses) whose answers pass with the
	// addresses that they have, so that a test can watch a client leak past the
	// proxy. For mutation tests only.
	LeaveAddresses []string

	// tap stands between the proxy and both sides of each connection, for a test that
	// compares what passes there.
	tap func(client, broker duplex) (duplex, duplex)
}

// Control changes a cluster. Each call returns when the change has happened, so
// that what comes next over the wire meets it; the error says what never came.
// Calls may be concurrent.
type Control interface {
	// MoveLeader makes another replica the leader of a partition.
	MoveLeader(ctx context.Context, topic string, partition int32) error

	// MoveCoordinator lets another node coordinate a group or transactional id.
	MoveCoordinator(ctx context.Context, kind CoordinatorKind, key string) error

	// KillNode ends a node as a crash does. Partitions that other nodes have a
	// replica of find a new leader after that, in the cluster's own time.
	KillNode(ctx context.Context, node int32) error

	// PauseNode stops a node for that long without closing its connections. It
	// returns when the node stands still; the node goes on by itself.
	PauseNode(ctx context.Context, node int32, lasting time.Duration) error

	// RestartNode stops a node in an orderly way and starts it again on another
	// port, and returns when it answers.
	RestartNode(ctx context.Context, node int32) error

	// Addrs is where each node is now. It is asked after a restart: where the only node
	// has moved, no other is left to tell it by Metadata.
	Addrs() map[int32]string
}

// CoordinatorKind is what somebody coordinates, as FindCoordinator numbers it.
type CoordinatorKind = int8

// The kinds of coordinators.
const (
	GroupCoordinator       CoordinatorKind = 0
	TransactionCoordinator CoordinatorKind = 1
)

// FaultFired is one fault that happened.
type FaultFired struct {
	At      time.Duration // by Options.Clock
	Rule    fault.Rule
	Points  []fault.Point
	Request evidence.Exchange // as it stood then; zero for RefuseConnection
}

// Proxy is a running proxy. Its methods may be called concurrently.
type Proxy struct {
	opts   Options
	record *recorder
	topics *topics
	holds  *holds
	gates  *gates

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	owned  sync.WaitGroup // every goroutine that Close waits for

	welcomed atomic.Bool // a client has completed a TLS handshake

	mu      sync.Mutex
	closed  bool
	nodes   map[int32]*node
	conns   map[*conn]bool
	changes map[chan struct{}]bool // of the cluster that are under way; each is closed when it is over
	opened  int64                  // connections so far
}

const (
	defaultKeep   = 10_000  // bounds a trace where nobody said otherwise
	mostAttempted = 1 << 20 // records whose attempts a proxy with LongLived remembers at least
)

// Start listens on 127.0.0.1 for each upstream. The error names the fault rule
// that could not be carried out (see CheckPlan), or the node whose listener
// failed; nothing is left open then.
func Start(opts Options) (*Proxy, error) {
	if opts.Clock == nil || len(opts.Upstreams) == 0 {
		return nil, errors.New("start proxy: expected a clock and at least one upstream")
	}
	if opts.Engine == nil {
		opts.Engine = fault.NewEngine(nil, 0)
	}
	if err := CheckPlan(opts.Engine.Plan()); err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	if opts.HeadersOnly {
		if err := needNoRecords(opts.Engine.Plan()); err != nil {
			return nil, fmt.Errorf("start proxy: %w", err)
		}
	}
	if opts.Control == nil {
		if err := needNoControl(opts.Engine.Plan()); err != nil {
			return nil, fmt.Errorf("start proxy: %w", err)
		}
	}
	if opts.Keep == 0 {
		opts.Keep = defaultKeep
	}
	if opts.LongLived {
		opts.Engine.Bound(mostAttempted)
	}
	p := &Proxy{
		opts: opts, record: newRecorder(opts), topics: newTopics(opts.TopicIDs),
		holds: newHolds(opts.Engine.Plan()), gates: newGates(), nodes: map[int32]*node{}, conns: map[*conn]bool{}, changes: map[chan struct{}]bool{},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if err := p.listen(); err != nil {
		return nil, errors.Join(fmt.Errorf("start proxy: %w", err), p.Close())
	}
	return p, nil
}

// listen opens the listeners that are known from the start.
func (p *Proxy) listen() error {
	at, err := listenAddr(p.opts.Listen)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(p.opts.Upstreams)) {
		if _, err := p.ensureNodeAt(id, p.opts.Upstreams[id], at); err != nil {
			return err
		}
		at = loopback(0) // Listen is for the first alone
	}
	return nil
}

// Bootstrap is what clients take as bootstrap.servers: the listeners of the
// nodes that were known from the start.
func (p *Proxy) Bootstrap() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var addrs []string
	for _, id := range slices.Sorted(maps.Keys(p.opts.Upstreams)) {
		addrs = append(addrs, p.nodes[id].listener.Addr().String())
	}
	return strings.Join(addrs, ",")
}

// Drained waits until every connection has come to its end by itself: clients
// hung up, and what they had sent was forwarded. The error is that of ctx.
func (p *Proxy) Drained(ctx context.Context) error {
	for {
		c := p.anyConn()
		if c == nil {
			return nil
		}
		select {
		case <-c.served:
		case <-ctx.Done():
			return fmt.Errorf("a client still holds a connection to node %d: %w", c.node.id, ctx.Err())
		}
	}
}

func (p *Proxy) anyConn() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		return c
	}
	return nil
}

// Close closes every listener and connection and waits for all goroutines.
// Calling it again does no harm. Observed is final afterwards.
func (p *Proxy) Close() error {
	p.cancel()
	p.mu.Lock()
	p.closed = true
	var errs []error
	for _, n := range p.nodes {
		if err := n.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, fmt.Errorf("close proxy: node %d: %w", n.id, err))
		}
	}
	for c := range p.conns {
		c.abandon()
	}
	p.mu.Unlock()
	p.owned.Wait()
	return errors.Join(errs...)
}
