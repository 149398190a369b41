package broker

import (
	"context"
	"fmt"
	"maps"
	"net"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/evidence"
)

// External is a cluster of somebody else's: kcompare connects to it and changes
// nothing but what it made there.
type External struct {
	addrs  map[int32]string
	access Access
}

var _ Cluster = (*External)(nil)

// ConnectExternal asks one of the servers (host:port each) which nodes there are.
// ctx bounds it.
func ConnectExternal(ctx context.Context, servers []string, access Access) (*External, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(servers...))
	if err != nil {
		return nil, fmt.Errorf("connect to %v: %w", servers, err)
	}
	defer client.Close()
	known, err := metadataRequest(nil).RequestWith(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("connect to %v: %w", servers, err)
	}
	e := &External{addrs: map[int32]string{}, access: access}
	for _, b := range known.Brokers {
		e.addrs[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	return e, nil
}

// Info names no host: evidence may be published.
func (e *External) Info() evidence.Broker {
	return evidence.Broker{Kind: "external", Software: "Apache Kafka", Nodes: len(e.addrs)}
}

// Addrs has every node's own address, as the cluster tells it.
func (e *External) Addrs() map[int32]string { return maps.Clone(e.addrs) }

// Access is what ConnectExternal was given.
func (e *External) Access() Access { return e.access }

// Close does nothing: the cluster stays.
func (e *External) Close() error { return nil }
