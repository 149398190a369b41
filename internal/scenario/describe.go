package scenario

import (
	"fmt"
	"maps"
	"slices"

	"kcompare/drivers"
)

// FaultNames lists what the plan does, "drop-response Produce", each kind once, in the
// order of the plan, and then what the story itself does. Several rules of a kind are
// counted: "answer-instead Produce x 12".
func (v Variant) FaultNames(p Parameters) []string {
	names := []string{}
	rules := map[string]int{}
	for _, r := range v.Plan(p) {
		name := string(r.Action)
		if r.Select.API != "" {
			name += " " + r.Select.API
		}
		if rules[name]++; rules[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if n := rules[name]; n > 1 {
			names[i] = fmt.Sprintf("%s x %d", name, n)
		}
	}
	for _, s := range v.Staged {
		names = append(names, s.Kind)
	}
	return names
}

// Requirements lists in words what the variant cannot be played without: the trial is
// not-supported where one is missing.
func (v Variant) Requirements(p Parameters) []string {
	all := []string{}
	if v.NeedsKafka != "" {
		all = append(all, "Apache Kafka: "+v.NeedsKafka)
	}
	if v.Missing != "" {
		all = append(all, "the embedded broker: it makes a topic when a client asks for it")
	}
	if v.Terminates {
		all = append(all, "a system that has SIGTERM")
	}
	for _, key := range slices.Sorted(maps.Keys(v.BrokerSettings)) {
		all = append(all, fmt.Sprintf("a broker of its own with %s=%s", key, v.BrokerSettings[key]))
	}
	if v.Nodes > 1 {
		all = append(all, fmt.Sprintf("%d nodes", v.Nodes))
	}
	for _, r := range v.Plan(p) {
		if r.Action.ChangesCluster() {
			all = append(all, "a broker of kcompare's own: a fault changes the cluster")
			break
		}
	}
	for _, ability := range v.Needs.Lacking(drivers.Abilities{}) {
		all = append(all, "a client with "+ability)
	}
	return all
}
