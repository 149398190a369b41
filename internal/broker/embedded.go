package broker

import (
	"fmt"
	"maps"
	"runtime/debug"

	"github.com/twmb/franz-go/pkg/kfake"

	"kcompare/internal/evidence"
)

// Embedded is a kfake cluster in this process. It de-duplicates idempotent
// producers and implements transactions; where it answers otherwise than
// Apache Kafka, a variant has to ask for a real broker.
type Embedded struct {
	cluster *kfake.Cluster
	addrs   map[int32]string
	peers   *peers
}

var _ Cluster = (*Embedded)(nil)

// StartEmbedded starts nodes 0 to nodes-1, on free ports of 127.0.0.1 unless an
// option says otherwise. It logs nothing. It fails when nodes is below 1 or a port
// cannot be opened.
func StartEmbedded(nodes int, more ...EmbeddedOption) (*Embedded, error) {
	if nodes < 1 {
		return nil, fmt.Errorf("start embedded broker: %d nodes: expected at least 1", nodes)
	}
	seen := &peers{}
	cluster, err := kfake.NewCluster(kfakeOptions(nodes, seen.listen, more)...)
	if err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", err)
	}
	addrs := map[int32]string{}
	for node, addr := range cluster.ListenAddrs() { // kfake numbers its nodes in this order
		addrs[int32(node)] = addr
	}
	return &Embedded{cluster: cluster, addrs: addrs, peers: seen}, nil
}

// Info says which kfake this is.
func (e *Embedded) Info() evidence.Broker { return EmbeddedInfo(len(e.addrs)) }

// EmbeddedInfo is what Embedded.Info says of a broker with so many nodes.
// Evidence of a run names its broker even when no trial could be played.
func EmbeddedInfo(nodes int) evidence.Broker {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return evidence.Broker{Kind: "embedded", Software: "kfake " + kfakeVersion(info), Nodes: nodes}
}

// Addrs has every node's own address.
func (e *Embedded) Addrs() map[int32]string { return maps.Clone(e.addrs) }

// Access is the zero value.
func (e *Embedded) Access() Access { return Access{} }

// Close stops every node and drops all connections. It always returns nil.
func (e *Embedded) Close() error {
	e.cluster.Close()
	return nil
}

// MoveLeader makes another node the leader of a partition, as a reassignment
// would: the leader epoch grows by one, and nobody is told.
func (e *Embedded) MoveLeader(topic string, partition, node int32) error {
	if err := e.cluster.MoveTopicPartition(topic, partition, node); err != nil {
		return fmt.Errorf("move leader of %s to node %d: %w", TopicPartition{Topic: topic, Partition: partition}, node, err)
	}
	return nil
}

// Peers lists the remote address of every connection that any node accepted so
// far, in the order of accepting.
func (e *Embedded) Peers() []string { return e.peers.all() }

// Strangers lists the peers that are not in known. A trial knows the addresses
// from which its proxy and its readers dialled; anybody else went past the
// proxy, and the trial is a leak.
func (e *Embedded) Strangers(known map[string]bool) []string {
	var strangers []string
	for _, peer := range e.Peers() {
		if !known[peer] {
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
