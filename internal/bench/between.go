package bench

import (
	"maps"
	"slices"
	"strings"
)

// between is what a client connects to while the clock runs: the brokers, or the proxy with
// the faults of --fault. Nil where its contestant has not played yet.
type between struct {
	servers string
	config  map[string]string // what the client is given there
	faults  *faulty           // nil: nothing is in between
}

// stand starts what is in between for a turn of a contestant that is given this. Each turn
// meets the same faults: requests are counted from its beginning.
func (o Options) stand(config map[string]string) (*between, error) {
	if len(o.Faults.Plan) == 0 {
		return &between{servers: o.direct(), config: config}, nil
	}
	f, err := o.standFaulty(config["acks"])
	if err != nil {
		return nil, err
	}
	return &between{servers: f.servers(), config: plainly(config), faults: f}, nil
}

// fired is how many faults happened so far.
func (b *between) fired() int64 {
	if b.faults == nil {
		return 0
	}
	return b.faults.fired()
}

// trouble is why a turn is void: something could not be carried out, or followed.
func (b *between) trouble() error {
	if b.faults == nil {
		return nil
	}
	return b.faults.trouble()
}

// close ends it, once its client is closed, or it would look for its brokers through the
// turns of others.
func (b *between) close() error {
	if b == nil || b.faults == nil {
		return nil
	}
	return b.faults.proxy.Close()
}

// direct is bootstrap.servers of the brokers themselves.
func (o Options) direct() string {
	addrs := o.Cluster.Addrs()
	var all []string
	for _, id := range slices.Sorted(maps.Keys(addrs)) {
		all = append(all, addrs[id])
	}
	return strings.Join(all, ",")
}
