package broker

import (
	"fmt"
	"net"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"

	"kcompare/internal/evidence"
)

// Embedded is a kfake cluster in this process. It de-duplicates idempotent
// producers and implements transactions; where it answers otherwise than
// Apache Kafka, a variant has to ask for a real broker.
type Embedded struct {
	cluster      *kfake.Cluster
	peers        *peers // whoever connected
	own          *peers // those of them that were this package, to change the cluster
	coordinators *coordinators
	changes      *changes

	mu    sync.Mutex
	nodes []*embeddedNode // by id

	displaced map[TopicPartition]int32 // who led it before its node went; whoever changes the cluster has it
}

var _ Cluster = (*Embedded)(nil)

// StartEmbedded starts nodes 0 to nodes-1, on free ports of 127.0.0.1 unless an
// option says otherwise. It logs nothing. It fails when nodes is below 1 or a port
// cannot be opened.
func StartEmbedded(nodes int, more ...EmbeddedOption) (*Embedded, error) {
	if nodes < 1 {
		return nil, fmt.Errorf("start embedded broker: %d nodes: expected at least 1", nodes)
	}
	e := &Embedded{peers: &peers{}, own: &peers{}, changes: newChanges(), displaced: map[TopicPartition]int32{}}
	cluster, err := kfake.NewCluster(kfakeOptions(nodes, e.listen, more)...)
	if err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", err)
	}
	e.cluster = cluster
	e.coordinators = &coordinators{cluster: cluster, at: map[string]int32{}, dead: map[int32]bool{}}
	e.coordinators.watch()
	return e, nil
}

// listen is called by kfake for one node after the other, in the order of their ids.
func (e *Embedded) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	n := newEmbeddedNode(l, e.peers, e.changes.life.Done())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.nodes = append(e.nodes, n)
	return n, nil
}

// Info says which kfake this is.
func (e *Embedded) Info() evidence.Broker { return EmbeddedInfo(len(e.Addrs())) }

// EmbeddedInfo is what Embedded.Info says of a broker with so many nodes.
// Evidence of a run names its broker even when no trial could be played.
func EmbeddedInfo(nodes int) evidence.Broker {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return evidence.Broker{Kind: "embedded", Software: "kfake " + kfakeVersion(info), Nodes: nodes}
}

// Addrs has every node's own address. It follows a restart and a Revive; a dead node
// has its last one.
func (e *Embedded) Addrs() map[int32]string {
	addrs := map[int32]string{}
	for id, n := range e.all() {
		addrs[int32(id)] = n.Addr().String()
	}
	return addrs
}

func (e *Embedded) all() []*embeddedNode {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.nodes)
}

// Access is the zero value.
func (e *Embedded) Access() Access { return Access{} }

// Close stops every node and drops all connections. It always returns nil.
func (e *Embedded) Close() error {
	e.changes.stop() // kfake answers nobody after its end, and a change would wait for it
	e.cluster.Close()
	return nil
}

// Peers lists the remote address of every connection that any node accepted so
// far, in the order of accepting.
func (e *Embedded) Peers() []string { return e.peers.all() }

// Strangers lists the peers that are not in known. A trial knows the addresses
// from which its proxy and its readers dialled; anybody else went past the
// proxy, and the trial is a leak.
func (e *Embedded) Strangers(known map[string]bool) []string {
	own := e.own.all()
	var strangers []string
	for _, peer := range e.Peers() {
		if !known[peer] && !slices.Contains(own, peer) {
			strangers = append(strangers, peer)
		}
	}
	return strangers
}

// kfakeModule is where kfake's version stands in the build info.
const kfakeModule = "github.com/twmb/franz-go/pkg/kfake"

// kfakeVersion is the version that was built in. Test binaries do not record
// their modules.
func kfakeVersion(info *debug.BuildInfo) string {
	for _, dep := range info.Deps {
		if dep.Path == kfakeModule {
			return dep.Version
		}
	}
	return "(version not in the build info)"
}
