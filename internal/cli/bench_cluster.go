package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"kcompare/internal/bench"
	"kcompare/internal/broker"
	"kcompare/internal/trial"
)

// benchCluster says where on a cluster of the user's own a bench may put what it makes.
type benchCluster struct {
	bootstrap     string
	commandConfig string
	prefix        string
	dryRun        bool

	servers []string // nil: the broker is started for the bench
}

func (o *benchCluster) flags(f *pflag.FlagSet) {
	f.StringVar(&o.bootstrap, "bootstrap-servers", "", "`HOST:PORT,...` of a cluster of your own, the same as --broker=HOST:PORT,...")
	f.StringVar(&o.commandConfig, "command-config", "", "")
	_ = f.MarkHidden("command-config") // it is there: so that its refusal can say why
	f.StringVar(&o.prefix, "prefix", trial.DefaultPrefix, "begins the name of every topic, group and transactional id")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be timed and what made on the cluster, and stop there")
}

func (o *benchOptions) checkCluster() (err error) {
	if o.servers, err = whichCluster(o.broker, o.bootstrap); err != nil {
		return err
	}
	switch own := o.nodes != 0 || o.kafkaVersion != "" || len(o.features) > 0; {
	case o.commandConfig != "":
		return usagef("--command-config: bench does not play on clusters that ask for TLS or a login, see docs/not-covered.md")
	case !legalName.MatchString(o.prefix):
		return usagef("--prefix=%s: expected up to 200 letters, digits, dots, hyphens and underscores", o.prefix)
	case o.servers != nil && own:
		return usagef("--nodes, --kafka-version and --feature: a cluster of your own has its own")
	case o.servers != nil:
		return nil
	case o.nodes == 0:
		o.nodes = 1 // with more of them, whose partitions a client has on a node decides how much it can have in flight
	}
	return o.check()
}

// runName tells this run's names on a cluster from those of others.
func runName(s *State) string { return strconv.FormatInt(s.Now().UnixMilli(), 36) }

// start starts the broker, or connects to the user's own cluster and says what will be made
// there. stop ends what was started.
func (o *benchOptions) start(ctx context.Context, plan *bench.Options) (stop func() error, err error) {
	switch {
	case o.servers != nil:
		cluster, err := broker.ConnectExternal(ctx, o.servers, broker.Access{})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(o.state.Stderr, "kcompare: on %s this bench makes %s, and removes them again\n", strings.Join(o.servers, ","), made(plan.Topics))
		plan.Cluster = cluster
		return cluster.Close, nil
	case o.broker == brokerKafka:
		kafka := o.kafka(o.state)
		kafka.Sustained = true
		cluster, err := broker.StartKafka(ctx, kafka)
		if err != nil {
			return nil, err
		}
		plan.Cluster, plan.Processes = cluster, cluster.Processes()
		return cluster.Close, nil
	}
	cluster, err := broker.StartEmbedded(o.nodes)
	if err != nil {
		return nil, err
	}
	plan.Cluster = cluster
	return cluster.Close, nil
}

func made(names string) string {
	return "topics, groups and transactional ids whose names begin with " + names
}

// printDryRun says what the bench would time and make, and makes nothing.
func (o *benchOptions) printDryRun(plan bench.Options) error {
	var b strings.Builder
	for _, c := range plan.Contestants {
		fmt.Fprintf(&b, "%s: %s of %s\n", c.Name, counted(o.load.WarmUp+o.load.Rounds, "round"), counted(int(o.load.Records), "record"))
	}
	fmt.Fprintf(&b, "%s: nothing was made\n", made(plan.Topics))
	return o.output.put(o.state, []byte(b.String()))
}
