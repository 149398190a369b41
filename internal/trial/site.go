package trial

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"kcompare/internal/broker"
	"kcompare/internal/scenario"
)

// Site is a cluster that the trials of a run share, each with topics, groups and
// ids of its own.
type Site struct {
	Cluster broker.Cluster // one that is a proxy.Control is ours to change

	// Run is part of every name on a cluster where other runs may be at work; "" on
	// one that is this run's alone.
	Run string

	// Security is what clients need to get in through the proxy, in canonical names;
	// ClientTLS and BrokerTLS are the proxy's two sides.
	Security             map[string]string
	ClientTLS, BrokerTLS *tls.Config

	// StartOwn starts another cluster with settings of its own (scenario.Variant's
	// BrokerSettings), for one trial, which closes it. The end of ctx closes it too. nil:
	// nobody can.
	StartOwn func(ctx context.Context, settings map[string]string) (broker.Cluster, error)

	Replicas    int16             // of each partition; 0: on every node
	TopicConfig map[string]string // beside what a scenario asks for, and before it
	Keep        bool              // topics stay, for looking at them
	Remains     *Remains          // is told of what is made and removed; nil: nobody asks

	mu      sync.Mutex
	dialled map[string]bool // addresses from which trials connected to the cluster on purpose
}

// dialledFrom notes them.
func (s *Site) dialledFrom(addrs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dialled == nil {
		s.dialled = map[string]bool{}
	}
	for _, addr := range addrs {
		s.dialled[addr] = true
	}
}

// Strangers lists who connected to the cluster past the proxies of all trials that
// have ended. Ask when none is under way; whose a stranger was, nobody can tell then.
// It is empty for a cluster that does not tell who connects.
func (s *Site) Strangers(ctx context.Context) ([]string, error) {
	telling, tells := s.Cluster.(interface {
		Strangers(context.Context, map[string]bool) ([]string, error)
	})
	if !tells {
		return nil, nil
	}
	s.mu.Lock()
	known := maps.Clone(s.dialled)
	s.mu.Unlock()
	return telling.Strangers(ctx, known)
}

// DefaultPrefix begins the name of everything that a trial makes on a cluster.
const DefaultPrefix = "kcompare-"

// Names are what a trial makes on a cluster.
type Names struct {
	Topics          map[string]string // by role
	Group           string            // "" for a story without consumers in a group
	TransactionalID string            // "" for a story without transactions; it expires by itself
}

// Names says, before anything is made, how it will be called. Trials that share a
// cluster never share a name.
func (s Spec) Names() Names {
	n := Names{Topics: map[string]string{}}
	for _, t := range s.Scenario.Topics {
		n.Topics[t.Role] = s.topicName(t.Role)
	}
	if s.Variant.Missing != "" {
		n.Topics[s.Variant.Missing] = s.topicName(s.Variant.Missing)
	}
	n.Group = s.idName(s.Variant.Consuming["group.id"])
	n.TransactionalID = s.idName(s.Variant.Settings["transactional.id"])
	return n
}

// topicName is the user's own one where it can be: for the only topic of the only
// trial.
func (s Spec) topicName(role string) string {
	switch {
	case s.Topic == "":
		return s.prefix() + s.Scenario.Name + "-" + role + s.suffix()
	case s.Alone && len(s.Scenario.Topics) == 1:
		return s.Topic
	}
	return s.Topic + "-" + role + s.suffix()
}

// idName gives a scenario's id the user's prefix and the trial's suffix.
func (s Spec) idName(id string) string {
	if id == "" {
		return ""
	}
	return s.prefix() + strings.TrimPrefix(id, DefaultPrefix) + s.suffix()
}

func (s Spec) prefix() string {
	if s.Prefix == "" {
		return DefaultPrefix
	}
	return s.Prefix
}

// suffix is empty on a broker that is the trial's own.
func (s Spec) suffix() string {
	switch {
	case s.Site == nil:
		return ""
	case s.Site.Run == "":
		return fmt.Sprintf("-%d", s.Number)
	}
	return fmt.Sprintf("-%s-%d", s.Site.Run, s.Number)
}

// Remains is what trials made on a cluster and did not remove yet. The zero value
// is ready; methods may be called concurrently, by a nil one without effect.
type Remains struct {
	mu      sync.Mutex
	names   map[string]bool
	reasons []string
}

// Reasons say why something could not be removed, each once.
func (r *Remains) Reasons() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.reasons)
}

// refused notes why something stays; nil is none.
func (r *Remains) refused(err error) {
	r.change(func() {
		if err != nil && !slices.Contains(r.reasons, err.Error()) {
			r.reasons = append(r.reasons, err.Error())
		}
	})
}

// List is "topic NAME" and "group NAME", sorted.
func (r *Remains) List() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.names))
}

func (r *Remains) made(what string, names ...string) {
	r.change(func() {
		for _, name := range names {
			if name != "" {
				r.names[what+" "+name] = true
			}
		}
	})
}

func (r *Remains) removed(what string, names ...string) {
	r.change(func() {
		for _, name := range names {
			delete(r.names, what+" "+name)
		}
	})
}

func (r *Remains) change(change func()) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names == nil {
		r.names = map[string]bool{}
	}
	change()
}

// ChangesCluster says whether a fault of the trial does something to brokers. Such
// a trial needs a broker of its own, or a shared one to itself for a while.
func (s Spec) ChangesCluster() bool { return changesCluster(s.Variant, s.Parameters) }

func changesCluster(v scenario.Variant, p scenario.Parameters) bool {
	for _, rule := range v.Plan(p) {
		if rule.Action.ChangesCluster() {
			return true
		}
	}
	return false
}
