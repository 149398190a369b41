package broker

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// settings is the server.properties of a node. What is not named here is Kafka's
// default, because defaults are part of what is looked at. Lines of own come last:
// the last one of a key is what Java takes.
func (n *node) settings(nodes []*node, own map[string]string) string {
	var voters []string
	for _, v := range nodes {
		voters = append(voters, fmt.Sprintf("%d@%s", v.id, v.controller.addr()))
	}
	replicas := len(nodes)
	inSync := (replicas + 1) / 2 // a node may be down
	lines := []string{
		"process.roles=broker,controller",
		fmt.Sprintf("node.id=%d", n.id),
		"controller.quorum.voters=" + strings.Join(voters, ","),
		"listeners=" + n.advertised() + ",CONTROLLER://" + n.controller.addr(),
		"advertised.listeners=" + n.advertised(),
		"listener.security.protocol.map=" + n.protocols(),
		"inter.broker.listener.name=INTER",
		"controller.listener.names=CONTROLLER",
		"log.dirs=" + filepath.ToSlash(n.data()),

		fmt.Sprintf("default.replication.factor=%d", replicas),
		fmt.Sprintf("min.insync.replicas=%d", inSync),

		// A misspelt topic is an error, and leaders stay where a fault moved them.
		"auto.create.topics.enable=false",
		"auto.leader.rebalance.enable=false",

		// Waiting that a trial would only sit out: 3 s before the first member of a
		// group gets partitions, up to 10 s until a timed out transaction is aborted.
		"group.initial.rebalance.delay.ms=0",
		"transaction.abort.timed.out.transaction.cleanup.interval.ms=500",

		"log.cleaner.dedupe.buffer.size=4194304", // 128 MiB otherwise, taken at the start
	}
	if replicas > 1 {
		lines = append(lines, failoverSettings...)
	}
	// As many partitions as nodes: every node coordinates, and the start has few to make.
	for _, topic := range []string{"offsets.topic", "transaction.state.log", "share.coordinator.state.topic"} {
		lines = append(lines,
			fmt.Sprintf("%s.num.partitions=%d", topic, replicas),
			fmt.Sprintf("%s.replication.factor=%d", topic, replicas))
		if topic != "offsets.topic" { // which follows min.insync.replicas
			lines = append(lines, fmt.Sprintf("%s.min.isr=%d", topic, inSync))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		lines = append(lines, key+"="+escaped.Replace(own[key]))
	}
	return strings.Join(lines, "\n") + "\n"
}

// escaped keeps a value with several lines, such as a key in PEM, on one.
var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`)

// advertised is every listener that is not the controller's.
func (n *node) advertised() string {
	all := "CLIENT://" + n.client.addr() + ",INTER://" + n.inter.addr()
	for _, l := range n.secure {
		all += "," + l.Name + "://" + l.port.addr()
	}
	return all
}

// protocols is what each listener speaks.
func (n *node) protocols() string {
	all := "CLIENT:PLAINTEXT,INTER:PLAINTEXT,CONTROLLER:PLAINTEXT"
	for _, l := range n.secure {
		all += "," + l.Name + ":" + l.Protocol
	}
	return all
}

// failoverSettings let the controller miss a dead node after 3 s, not 9. Two would
// do, and were too few where eight other jobs shared two cores: nodes that were
// merely slow lost their partitions. Ten heartbeats to a session, against four and a
// half by default, let a few be late.
var failoverSettings = []string{
	"broker.session.timeout.ms=3000",
	"broker.heartbeat.interval.ms=300",
}
