package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kcompare/internal/broker"
)

type brokerOptions struct {
	state *State

	ownBroker
	listen     string
	autoCreate bool
}

func newBroker(s *State) *cobra.Command {
	opts := &brokerOptions{state: s}
	cmd := &cobra.Command{
		Use:   "broker",
		Short: "Serve a broker until Ctrl-C",
		Long: `broker serves the embedded broker, or an Apache Kafka that it starts, until Ctrl-C.
The address for bootstrap.servers goes to stdout in a line of its own as soon as
the broker answers, everything else to stderr. Any client can use it, in plain
text and from this machine; what is written is gone when it ends.

Of several nodes the first one listens on the port of --listen and each other one
on the port after it, or all of them on free ports where that is 0. A topic that a
client asks for, and is allowed by its own settings to create, is created with one
partition; franz-go allows that only with AllowAutoTopicCreation.

Exit code: 0 after Ctrl-C, which is how it ends; 1 if it could not be started, or
ended by itself; 130 if it was interrupted before it served.`,
		Example: `  kcompare broker
  kcompare broker --listen=127.0.0.1:0
  kcompare broker --broker=kafka --nodes=3`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBroker(cmd.Context(), opts) },
	}
	f := cmd.Flags()
	f.StringVar(&opts.listen, "listen", defaultServer, "`HOST:PORT` of the first node, port 0 for free ones")
	f.StringVar(&opts.broker, "broker", brokerEmbedded, "embedded, or kafka: an Apache Kafka (needs Java and Maven)")
	opts.flags(f)
	f.BoolVar(&opts.autoCreate, "auto-create-topics", true, "create a topic when a client asks for it")
	return cmd
}

// served is a broker that runs.
type served struct {
	cluster broker.Cluster
	watch   func(context.Context) error // returns when ctx ends, or with the error of a broker that ended by itself
}

func runBroker(ctx context.Context, opts *brokerOptions) error {
	ports, err := opts.check()
	if err != nil {
		return err
	}
	s, err := opts.start(ctx, ports)
	if err != nil {
		return taken(err, opts.listen)
	}
	addrs := s.cluster.Addrs()
	fmt.Fprintf(opts.state.Stderr, "kcompare: %s serves at %s until Ctrl-C\n", s.cluster.Info().Software, strings.Join(byNode(addrs), ","))
	fmt.Fprintln(opts.state.Stdout, addrs[0])
	ended := s.watch(ctx)
	if err := s.cluster.Close(); err != nil {
		return fmt.Errorf("stop the broker: %w", err)
	}
	return ended
}

func (o *brokerOptions) check() (ports []int, err error) {
	if err := oneOf("broker", o.broker, brokerEmbedded, brokerKafka); err != nil {
		return nil, err
	}
	if err := o.ownBroker.check(); err != nil {
		return nil, err
	}
	first, err := listenPort(o.listen)
	if err != nil {
		return nil, err
	}
	if last := first + o.nodes - 1; last > 65535 {
		return nil, usagef("--listen=%s with --nodes=%d: the last node would have port %d: expected at most 65535", o.listen, o.nodes, last)
	}
	return portsFrom(first, o.nodes), nil
}

// portsFrom is a port for each node: one after the other, or any.
func portsFrom(first, nodes int) []int {
	ports := make([]int, nodes)
	for n := range ports {
		if first > 0 {
			ports[n] = first + n
		}
	}
	return ports
}

func (o *brokerOptions) start(ctx context.Context, ports []int) (served, error) {
	if o.broker == brokerKafka {
		return o.startKafka(ctx, ports)
	}
	how := []broker.EmbeddedOption{broker.OnPorts(ports...)}
	if o.autoCreate {
		how = append(how, broker.AutoCreateTopics()...)
	}
	embedded, err := broker.StartEmbedded(o.nodes, how...)
	if err != nil {
		return served{}, err
	}
	return served{embedded, func(ctx context.Context) error { <-ctx.Done(); return nil }}, nil
}

func (o *brokerOptions) startKafka(ctx context.Context, ports []int) (served, error) {
	how := o.kafka(o.state)
	how.Ports = ports
	how.Settings = map[string]string{"auto.create.topics.enable": fmt.Sprint(o.autoCreate)}
	kafka, err := broker.StartKafka(ctx, how)
	if err != nil {
		return served{}, err
	}
	return served{kafka, kafka.Watch}, nil
}

func byNode(addrs map[int32]string) []string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(addrs)) {
		all = append(all, addrs[id])
	}
	return all
}
