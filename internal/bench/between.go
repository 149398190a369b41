package bench

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// between is what clients connect to while the clock runs: the brokers, or the proxy with
// the faults of --fault.
type between struct {
	servers string
	fired   func() int64 // faults so far
	close   func()
}

// stand starts what is in between. Without faults that is nothing.
func (o Options) stand(context.Context) (between, error) {
	if len(o.Faults.Given) > 0 {
		return between{}, errors.New("--fault: not built yet")
	}
	return between{servers: o.direct(), fired: func() int64 { return 0 }, close: func() {}}, nil
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
