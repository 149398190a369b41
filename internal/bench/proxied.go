package bench

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"kcompare/internal/fault"
	"kcompare/internal/proxy"
)

// The proxy in front of the cluster: with the faults of --fault while the clock runs,
// and to see what a contestant does.

// passedBy starts a proxy. Towards clients it speaks plaintext, whatever the cluster
// speaks: see plainly.
func (o Options) passedBy(change func(*proxy.Options)) (*proxy.Proxy, error) {
	began := o.Now()
	options := proxy.Options{
		Upstreams: o.Cluster.Addrs(), BrokerTLS: o.Cluster.Access().TLS, HeadersOnly: true,
		Clock: func() time.Duration { return o.Now().Sub(began) },
	}
	options.Control, _ = o.Cluster.(proxy.Control)
	change(&options)
	p, err := proxy.Start(options)
	if err != nil {
		return nil, fmt.Errorf("put the proxy in between: %w", err)
	}
	return p, nil
}

// plainly is what a client is given that connects to the proxy: TLS ends there, and all
// of it is on this machine.
func plainly(given map[string]string) map[string]string {
	set := maps.Clone(given)
	maps.DeleteFunc(set, func(key, _ string) bool { return strings.HasPrefix(key, "ssl.") })
	switch strings.ToUpper(set["security.protocol"]) {
	case "SSL":
		set["security.protocol"] = "plaintext"
	case "SASL_SSL":
		set["security.protocol"] = "sasl_plaintext"
	}
	return set
}

// faulty is the proxy of one turn with faults: each turn meets the same ones, because
// requests are counted from its beginning.
type faulty struct {
	proxy *proxy.Proxy
}

// standFaulty starts it. acks is what the contestant asks for: what has no answer cannot
// have one that is late or lost, so with "0" such rules leave Produce alone.
func (o Options) standFaulty(acks string) (*faulty, error) {
	plan := o.Faults.Plan
	if acks == "0" {
		plan = unanswered(plan)
	}
	p, err := o.passedBy(func(options *proxy.Options) {
		options.Engine = fault.NewEngine(plan, 1)
		options.LongLived, options.Keep = true, 1
	})
	if err != nil {
		return nil, err
	}
	return &faulty{p}, nil
}

// unanswered is a plan without what happens to answers of Produce.
func unanswered(plan fault.Plan) fault.Plan {
	var rest fault.Plan
	for _, r := range plan {
		switch r.Action {
		case fault.Delay, fault.DropResponse, fault.Throttle:
			if r.Select.API == "Produce" {
				continue
			}
		}
		rest = append(rest, r)
	}
	return rest
}

// servers is bootstrap.servers for the client.
func (f *faulty) servers() string { return f.proxy.Bootstrap() }

// fired is how many faults happened so far.
func (f *faulty) fired() int64 {
	var n int64
	for _, hits := range f.proxy.Observed().Hits {
		n += hits
	}
	return n
}

// trouble is what it could not do so far.
func (f *faulty) trouble() error { return troubleOf(f.proxy.Observed()) }

// troubleOf is what a proxy could not follow or carry out.
func troubleOf(seen proxy.Observed) error {
	if len(seen.Problems) == 0 {
		return nil
	}
	return fmt.Errorf("the proxy: %s", strings.Join(seen.Problems, "; "))
}
