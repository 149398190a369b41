package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/trial"
)

// checkBroker checks the flags that say what the trials run against.
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
		o.site = &trial.Site{}
	}
	return o.ownBroker.check()
}

// whichBroker reads --broker and --bootstrap-servers, which say the same.
func (o *runOptions) whichBroker() (err error) {
	o.servers, err = whichCluster(o.broker, o.bootstrap)
	return err
}

// whichCluster reads the values of --broker and --bootstrap-servers: the servers of a cluster
// of the user's own, nil where --broker says which one to start.
func whichCluster(broker, bootstrap string) ([]string, error) {
	switch {
	case bootstrap != "" && broker != brokerEmbedded:
		return nil, usagef("--broker=%s and --bootstrap-servers=%s: give one of them", broker, bootstrap)
	case bootstrap != "":
		return servers("bootstrap-servers", bootstrap)
	case strings.Contains(broker, ":"):
		return servers("broker", broker)
	case broker != brokerEmbedded && broker != brokerKafka:
		return nil, usagef("--broker=%s: expected %s, %s or HOST:PORT,...", broker, brokerEmbedded, brokerKafka)
	}
	return nil, nil
}

func (o *runOptions) checkOwnCluster() (err error) {
	if o.nodes != 0 || o.kafkaVersion != "" || len(o.features) > 0 {
		return usagef("--nodes, --kafka-version and --feature: a cluster of your own has its own")
	}
	o.site, err = o.newSite()
	return err
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
	cluster, err := broker.StartKafka(ctx, o.kafka(o.state))
	if err != nil {
		return nil, err
	}
	o.info, o.site.Cluster = cluster.Info(), cluster
	o.site.StartOwn = o.oneAtATime()
	return cluster.Close, nil
}

// oneAtATime starts a Kafka of one node beside the shared one when the one before it is
// gone: each takes 300 MB.
func (o *runOptions) oneAtATime() func(context.Context, map[string]string) (broker.Cluster, error) {
	room := make(chan struct{}, 1)
	return func(ctx context.Context, settings map[string]string) (broker.Cluster, error) {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		opts := o.kafka(o.state)
		opts.Nodes, opts.Settings = 1, settings
		cluster, err := broker.StartKafka(ctx, opts)
		if err != nil {
			<-room
			return nil, err
		}
		return &ownKafka{cluster, sync.OnceFunc(func() { <-room })}, nil
	}
}

// ownKafka makes room for the next one when it is closed.
type ownKafka struct {
	*broker.Kafka
	leave func()
}

func (k *ownKafka) Close() error {
	defer k.leave()
	return k.Kafka.Close()
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
		return nil, usagef("--replication-factor=%d: the cluster has %s", o.replicas, counted(o.nodes, "node"))
	case o.replicas == 0:
		o.site.Replicas = int16(min(o.nodes, mostReplicas))
	}
	for i := range specs {
		specs[i].Nodes = o.nodes
	}
	o.announce(specs)
	return cluster.Close, nil
}

// strangersTime bounds the look into the logs of a Kafka.
const strangersTime = 5 * time.Second

// checkStrangers is an error if anybody reached a Kafka that the run started past the
// proxies. Trials share it, so nobody can tell whose client that was.
func (o *runOptions) checkStrangers(ctx context.Context) error {
	if o.site == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, strangersTime)
	defer cancel()
	strangers, err := o.site.Strangers(ctx)
	switch {
	case err != nil:
		fmt.Fprintf(o.state.Stderr, "kcompare: whether anybody went past the proxy is not known: %v\n", err)
	case len(strangers) > 0:
		return fmt.Errorf("%s reached the broker past the proxy: nothing in this report proves anything", counted(len(strangers), "connection"))
	}
	return nil
}
