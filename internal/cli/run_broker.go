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
	if err := oneOf("broker", o.broker, brokerEmbedded, brokerKafka); err != nil {
		return err
	}
	if o.broker == brokerKafka {
		if o.nodes == 0 {
			o.nodes = 1
		}
		if o.nodes != 1 && o.nodes != 3 {
			return usagef("--nodes=%d: expected 1 or 3 with --broker=kafka", o.nodes)
		}
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
	o.info = cluster.Info()
	site := &trial.Site{Cluster: cluster}
	for i := range specs {
		specs[i].Site = site
	}
	return cluster.Close, nil
}
