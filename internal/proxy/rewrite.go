package proxy

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// advertiser gives the address under which clients reach a node, and makes sure
// that somebody listens there.
type advertiser func(id int32, host string, port int32) (string, int32, error)

// carriesAddresses are the seven answers that tell a client where to connect.
// One of these that cannot be decoded must never go on: the client would talk
// past the proxy from then on, and every later test would pass for the wrong
// reason. TestEveryAddressIsClassified lists all other messages with a host in
// them, and why they are left alone.
func carriesAddresses(key int16) bool {
	switch kmsg.Key(key) {
	case kmsg.Produce, kmsg.Fetch, kmsg.Metadata, kmsg.FindCoordinator,
		kmsg.DescribeCluster, kmsg.ShareFetch, kmsg.ShareAcknowledge:
		return true
	}
	return false
}

// rewrite replaces the addresses of brokers in an answer, and says whether there
// were any. Node ids and racks stay what they are: clients compare them.
// The endpoints of Produce and Fetch (KIP-951) are a tagged field that kmsg
// reads at every flexible version, so no version is asked for.
func rewrite(resp kmsg.Response, at advertiser) (changed bool, err error) {
	w := rewriter{at: at}
	switch resp := resp.(type) {
	case *kmsg.MetadataResponse:
		for i := range resp.Brokers {
			b := &resp.Brokers[i]
			w.node(b.NodeID, &b.Host, &b.Port)
		}
	case *kmsg.FindCoordinatorResponse:
		w.node(resp.NodeID, &resp.Host, &resp.Port)
		for i := range resp.Coordinators {
			c := &resp.Coordinators[i]
			w.node(c.NodeID, &c.Host, &c.Port)
		}
	case *kmsg.DescribeClusterResponse:
		w.cluster(resp)
	default:
		w.nodeEndpoints(resp)
	}
	return w.changed, w.err
}

// controllers is the endpoint type of a DescribeCluster answer about the
// controllers (KIP-919), whose node ids are not those of brokers.
const controllers = 2

type rewriter struct {
	at      advertiser
	changed bool
	err     error // the first
}

func (w *rewriter) cluster(resp *kmsg.DescribeClusterResponse) {
	if resp.EndpointType == controllers {
		return
	}
	for i := range resp.Brokers {
		b := &resp.Brokers[i]
		w.node(b.NodeID, &b.Host, &b.Port)
	}
}

func (w *rewriter) nodeEndpoints(resp kmsg.Response) {
	switch resp := resp.(type) {
	case *kmsg.ProduceResponse:
		for i := range resp.Brokers {
			b := &resp.Brokers[i]
			w.node(b.NodeID, &b.Host, &b.Port)
		}
	case *kmsg.FetchResponse:
		for i := range resp.Brokers {
			b := &resp.Brokers[i]
			w.node(b.NodeID, &b.Host, &b.Port)
		}
	case *kmsg.ShareFetchResponse:
		for i := range resp.NodeEndpoints {
			b := &resp.NodeEndpoints[i]
			w.node(b.NodeID, &b.Host, &b.Port)
		}
	case *kmsg.ShareAcknowledgeResponse:
		for i := range resp.NodeEndpoints {
			b := &resp.NodeEndpoints[i]
			w.node(b.NodeID, &b.Host, &b.Port)
		}
	}
}

// node rewrites one address. A coordinator that is not available has node -1,
// no host, or port -1.
func (w *rewriter) node(id int32, host *string, port *int32) {
	if id < 0 || *host == "" || *port <= 0 || w.err != nil {
		return
	}
	newHost, newPort, err := w.at(id, *host, *port)
	if err != nil {
		w.err = fmt.Errorf("rewrite the address of node %d: %w", id, err)
		return
	}
	*host, *port, w.changed = newHost, newPort, true
}

// rememberRacks notes the racks of a Metadata answer, for answers that the proxy
// makes up itself.
func (p *Proxy) rememberRacks(resp *kmsg.MetadataResponse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range resp.Brokers {
		if n := p.nodes[b.NodeID]; n != nil {
			n.rack = b.Rack
		}
	}
}
