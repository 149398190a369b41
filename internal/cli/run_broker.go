package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kcompare/internal/broker"
	"kcompare/internal/trial"
)

// checkBroker checks the flags that say what the trials run against, and fills in
// the number of nodes.
func (o *runOptions) checkBroker() error {
	if err := o.whichBroker(); err != nil {
		return err
	}
	if err := o.siteOptions.check(o.servers != nil); err != nil {
		return err
	}
	if o.servers != nil {
		return o.checkOwnCluster()
	}
	if o.broker == brokerKafka {
		if o.nodes == 0 {
			o.nodes = 1
		}
		if o.nodes != 1 && o.nodes != 3 {
			return usagef("--nodes=%d: expected 1 or 3 with --broker=kafka", o.nodes)
		}
		o.site = &trial.Site{}
		return o.readFeatures()
	}
	if o.nodes == 0 {
		o.nodes = 3
	}
	switch {
	case o.nodes < 1 || o.nodes > 100:
		return usagef("--nodes=%d: expected 1 to 100", o.nodes)
	case o.kafkaVersion != "" || len(o.features) > 0:
		return usagef("--kafka-version and --feature: only with --broker=kafka")
	}
	return nil
}

// whichBroker reads --broker and --bootstrap-servers, which say the same.
func (o *runOptions) whichBroker() (err error) {
	switch {
	case o.bootstrap != "" && o.broker != brokerEmbedded:
		return usagef("--broker=%s and --bootstrap-servers=%s: give one of them", o.broker, o.bootstrap)
	case o.bootstrap != "":
		o.servers, err = servers("bootstrap-servers", o.bootstrap)
	case strings.Contains(o.broker, ":"):
		o.servers, err = servers("broker", o.broker)
	case o.broker != brokerEmbedded && o.broker != brokerKafka:
		return usagef("--broker=%s: expected %s, %s or HOST:PORT,...", o.broker, brokerEmbedded, brokerKafka)
	}
	return err
}

func (o *runOptions) checkOwnCluster() (err error) {
	if o.nodes != 0 || o.kafkaVersion != "" || len(o.features) > 0 {
		return usagef("--nodes, --kafka-version and --feature: a cluster of your own has its own")
	}
	o.site, err = o.newSite()
	return err
}

func (o *runOptions) readFeatures() error {
	read, err := pairs(o.features)
	if err != nil {
		return usagef("--feature: expected name=level, once each")
	}
	o.levels = map[string]int16{}
	for name, level := range read {
		n, err := strconv.ParseInt(level, 10, 16)
		if err != nil || n < 0 {
			return usagef("--feature=%s=%s: expected a level, 0 or more", name, level)
		}
		o.levels[name] = int16(n)
	}
	return nil
}

// startBroker starts the cluster that all trials share, if there is to be one.
// stop ends it.
func (o *runOptions) startBroker(ctx context.Context, specs []trial.Spec) (stop func() error, err error) {
	if o.servers != nil {
		return o.connect(ctx, specs)
	}
	if o.broker == brokerEmbedded {
		o.info = broker.EmbeddedInfo(o.nodes)
		return func() error { return nil }, nil
	}
	cluster, err := broker.StartKafka(ctx, broker.KafkaOptions{
		Nodes: o.nodes, Version: o.kafkaVersion, Features: o.levels,
		Progress: func(what string) { fmt.Fprintf(o.state.Stderr, "kcompare: %s\n", strings.TrimSpace(what)) },
	})
	if err != nil {
		return nil, err
	}
	o.info, o.site.Cluster = cluster.Info(), cluster
	return cluster.Close, nil
}

// mostReplicas of a partition are made where the user did not say how many.
const mostReplicas = 3

// connect finds the nodes of the user's own cluster, and says what the run will make
// there before it makes anything.
func (o *runOptions) connect(ctx context.Context, specs []trial.Spec) (stop func() error, err error) {
	cluster, err := broker.ConnectExternal(ctx, o.servers, o.access)
	if err != nil {
		return nil, err
	}
	o.info, o.nodes, o.site.Cluster = cluster.Info(), cluster.Info().Nodes, cluster
	switch {
	case int(o.replicas) > o.nodes:
		return nil, usagef("--replication-factor=%d: the cluster has %d nodes", o.replicas, o.nodes)
	case o.replicas == 0:
		o.site.Replicas = int16(min(o.nodes, mostReplicas))
	}
	for i := range specs {
		specs[i].Nodes = o.nodes
	}
	o.announce(specs)
	return cluster.Close, nil
}
