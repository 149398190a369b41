package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/broker"
	"kcompare/internal/fault"
	"kcompare/internal/planfile"
	"kcompare/internal/probe"
	"kcompare/internal/proxy"
)

// readFaults is the plan that --fault and --fault-plan ask for.
func (o *probeOptions) readFaults() (fault.Plan, error) {
	known := probe.Faults()
	var names []string
	for _, f := range known {
		names = append(names, f.Name)
	}
	var plan fault.Plan
	for i, name := range o.faults {
		at := slices.Index(names, name)
		switch {
		case at < 0:
			return nil, unknown("fault", name, names)
		case slices.Contains(o.faults[:i], name):
			return nil, usagef("--fault=%s: given twice", name)
		}
		plan = append(plan, known[at].Plan...)
	}
	if o.faultPlan == "" {
		return plan, nil
	}
	content, err := os.ReadFile(o.faultPlan)
	if err != nil {
		return nil, usagef("--fault-plan: %w", err)
	}
	own, err := planfile.Parse(o.faultPlan, content, countsRequests, knownAPI, func(r fault.Rule) error { return proxy.CheckPlan(fault.Plan{r}) })
	if err != nil {
		return nil, usageError{err}
	}
	plan = append(plan, own...)
	if err := plan.Validate(); err != nil { // two of them may have one name
		return nil, usagef("--fault and --fault-plan: %w", err)
	}
	return plan, nil
}

// readTopics reads --topic=NAME[:PARTITIONS].
func readTopics(flags []string) ([]broker.Topic, error) {
	const mostPartitions = 1000
	var topics []broker.Topic
	for _, flag := range flags {
		name, number, given := strings.Cut(flag, ":")
		topic := broker.Topic{Name: name, Partitions: 1}
		if given {
			n, err := strconv.ParseInt(number, 10, 32)
			if err != nil || n < 1 || n > mostPartitions {
				return nil, usagef("--topic=%s: expected NAME or NAME:PARTITIONS with 1 to %d partitions", flag, mostPartitions)
			}
			topic.Partitions = int32(n)
		}
		if name == "" || slices.ContainsFunc(topics, func(t broker.Topic) bool { return t.Name == name }) {
			return nil, usagef("--topic=%s: expected NAME or NAME:PARTITIONS, each name once", flag)
		}
		topics = append(topics, topic)
	}
	return topics, nil
}

// countsRequests refuses what cannot be done to clients that are not kcompare's own.
func countsRequests(r fault.Rule) error {
	if !r.NeedsRecords() {
		return nil
	}
	return fmt.Errorf("fault rule %q: it is decided record by record, by headers that only the clients of kcompare run write: count requests with nth or first, and leave record and attempts out", r.Name)
}
