package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"kcompare/internal/broker"
)

// ownBroker says which broker to start. --broker itself means more to some commands
// than to others, so each has a flag of its own for it.
type ownBroker struct {
	broker       string // embedded or kafka
	nodes        int
	kafkaVersion string
	features     []string
	levels       map[string]int16 // --feature, read
}

func (o *ownBroker) flags(f *pflag.FlagSet) {
	f.IntVar(&o.nodes, "nodes", 0, "nodes of the broker (0, the default: 3 embedded, 1 kafka; kafka takes 1 or 3)")
	f.StringVar(&o.kafkaVersion, "kafka-version", "", "release of --broker=kafka, from 3.9 on (default "+broker.DefaultKafkaVersion+")")
	f.StringArrayVar(&o.features, "feature", nil, "format --broker=kafka with this `name=level`, such as transaction.version=0 (repeatable)")
}

// check fills in the number of nodes.
func (o *ownBroker) check() (err error) {
	if o.broker == brokerKafka {
		if o.nodes == 0 {
			o.nodes = 1
		}
		if o.nodes != 1 && o.nodes != 3 {
			return usagef("--nodes=%d: expected 1 or 3 with --broker=kafka", o.nodes)
		}
		o.levels, err = featureLevels(o.features)
		return err
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

func featureLevels(features []string) (map[string]int16, error) {
	read, err := pairs(features)
	if err != nil {
		return nil, usagef("--feature: expected name=level, once each")
	}
	levels := map[string]int16{}
	for name, level := range read {
		n, err := strconv.ParseInt(level, 10, 16)
		if err != nil || n < 0 {
			return nil, usagef("--feature=%s=%s: expected a level, 0 or more", name, level)
		}
		levels[name] = int16(n)
	}
	return levels, nil
}

// kafka is what the flags ask of an Apache Kafka.
func (o *ownBroker) kafka(s *State) broker.KafkaOptions {
	return broker.KafkaOptions{
		Nodes: o.nodes, Version: o.kafkaVersion, Features: o.levels,
		Progress: func(what string) { fmt.Fprintf(s.Stderr, "kcompare: %s\n", strings.TrimSpace(what)) },
	}
}
