package broker

import (
	"net"

	"github.com/twmb/franz-go/pkg/kfake"
)

// EmbeddedOption changes how StartEmbedded starts a broker that is there for more
// than one trial.
type EmbeddedOption struct{ kfake kfake.Opt }

// OnPorts gives node n the nth port of 127.0.0.1, a free one where it is 0. There
// must be one for each node.
func OnPorts(ports ...int) EmbeddedOption { return EmbeddedOption{kfake.Ports(ports...)} }

// AutoCreateTopics creates a topic of one partition, as Kafka does by default, when
// a client asks for one that is not there and allows it to be created. It sets what
// a topic gets that says nothing of its partitions, too.
func AutoCreateTopics() []EmbeddedOption {
	const partitions = 1 // num.partitions of Kafka; kfake has 10
	return []EmbeddedOption{{kfake.AllowAutoTopicCreation()}, {kfake.DefaultNumPartitions(partitions)}}
}

// kfakeOptions are those of kfake for so many nodes.
func kfakeOptions(nodes int, listen func(network, address string) (net.Listener, error), more []EmbeddedOption) []kfake.Opt {
	opts := []kfake.Opt{kfake.NumBrokers(nodes), kfake.ListenFn(listen)}
	for _, o := range more {
		opts = append(opts, o.kfake)
	}
	return opts
}
