package config

import (
	"slices"
	"strconv"
	"strings"
)

// rule is one contradiction between settings.
type rule struct {
	role   Role
	keys   []string
	broken func(given) bool
	reason string
}

// Rule is one contradiction between settings, of which Check reports the first that is
// broken.
type Rule struct {
	Role   Role
	Keys   []string // two canonical names
	Reason string   // what is wrong when it is broken, and what to do

	broken func(given) bool
}

// Names reports whether the rule is about a setting.
func (r Rule) Names(key string) bool { return slices.Contains(r.Keys, key) }

// Broken reports whether settings, which passed one by one, break the rule.
func (r Rule) Broken(canonical map[string]string) bool { return r.broken(given(canonical)) }

// Rules is every contradiction that Check knows.
func Rules() []Rule {
	var all []Rule
	for _, r := range rules {
		all = append(all, Rule{Role: r.role, Keys: r.keys, Reason: r.reason, broken: r.broken})
	}
	return all
}

// rules are the contradictions that librdkafka 2.11.1 refuses at creation
// (rdkafka_conf.c, rd_kafka_conf_finalize), and that make no sense elsewhere.
var rules = []rule{
	{Producer, []string{"acks", "enable.idempotence"},
		func(g given) bool { return g.isTrue("enable.idempotence") && g.acksBelowAll() },
		"idempotence needs acks=all; set it, or enable.idempotence=false"},
	{Producer, []string{"acks", "transactional.id"},
		func(g given) bool { return g["transactional.id"] != "" && g.acksBelowAll() },
		"transactions need acks=all; set it, or leave transactional.id out"},
	{Producer, []string{"enable.idempotence", "transactional.id"},
		func(g given) bool { return g["transactional.id"] != "" && g.isFalse("enable.idempotence") },
		"transactions need enable.idempotence=true; set it, or leave transactional.id out"},
	{Producer, []string{"max.in.flight.requests.per.connection", "enable.idempotence"},
		func(g given) bool {
			return g.isTrue("enable.idempotence") && g.above("max.in.flight.requests.per.connection", 5)
		},
		"the broker remembers 5 batches of an idempotent producer; use at most 5 requests in flight"},
	{Producer, []string{"retries", "enable.idempotence"},
		func(g given) bool { return g.isTrue("enable.idempotence") && g["retries"] == "0" },
		"an idempotent producer must be able to retry; use at least 1, or enable.idempotence=false"},
	{Producer, []string{"queuing.strategy", "enable.idempotence"},
		func(g given) bool {
			return g.isTrue("enable.idempotence") && strings.EqualFold(g["queuing.strategy"], "lifo")
		},
		"idempotence needs queuing.strategy=fifo"},
	{Producer, []string{"queue.buffering.backpressure.threshold", "enable.idempotence"},
		func(g given) bool {
			return g.isTrue("enable.idempotence") && g.above("queue.buffering.backpressure.threshold", 1)
		},
		"idempotence needs a threshold of 1"},
	{Producer, []string{"enable.gapless.guarantee", "enable.idempotence"},
		func(g given) bool { return g.isTrue("enable.gapless.guarantee") && !g.isTrue("enable.idempotence") },
		"the guarantee needs enable.idempotence=true"},
	{Producer, []string{"delivery.timeout.ms", "transaction.timeout.ms"},
		func(g given) bool {
			return g["transactional.id"] != "" && g.exceeds("delivery.timeout.ms", "transaction.timeout.ms", 0)
		},
		"a record must not outlive its transaction; lower the first or raise the second"},
	{Producer, []string{"socket.timeout.ms", "transaction.timeout.ms"},
		func(g given) bool {
			return g["transactional.id"] != "" && g.exceeds("socket.timeout.ms", "transaction.timeout.ms", 100)
		},
		"a request must not outlive its transaction by more than 100 ms; lower the first or raise the second"},
	{Producer, []string{"linger.ms", "delivery.timeout.ms"},
		func(g given) bool {
			return g.above("delivery.timeout.ms", 0) && g.atLeast("linger.ms", "delivery.timeout.ms")
		},
		"a record would time out while it lingers; the delivery timeout must be the greater one"},
	{Producer, []string{"reconnect.backoff.ms", "reconnect.backoff.max.ms"},
		reconnectInverted, "the maximum must not be below the first backoff"},

	{Consumer, []string{"reconnect.backoff.ms", "reconnect.backoff.max.ms"},
		reconnectInverted, "the maximum must not be below the first backoff"},
	{Consumer, []string{"session.timeout.ms", "max.poll.interval.ms"},
		func(g given) bool { return g.exceeds("session.timeout.ms", "max.poll.interval.ms", 0) },
		"the poll interval must not be below the session timeout"},
	{Consumer, []string{"message.max.bytes", "fetch.max.bytes"},
		func(g given) bool { return g.exceeds("message.max.bytes", "fetch.max.bytes", 0) },
		"a fetch must have room for the largest message"},
	{Consumer, []string{"fetch.max.bytes", "receive.message.max.bytes"},
		func(g given) bool { return g.exceeds("fetch.max.bytes", "receive.message.max.bytes", -512) },
		"a response must have room for a fetch and 512 bytes around it"},
	{Consumer, []string{"session.timeout.ms", "group.protocol"}, brokerSide("session.timeout.ms"),
		"the broker decides it with group.protocol=consumer; leave it out"},
	{Consumer, []string{"heartbeat.interval.ms", "group.protocol"}, brokerSide("heartbeat.interval.ms"),
		"the broker decides it with group.protocol=consumer; leave it out"},
	{Consumer, []string{"group.protocol.type", "group.protocol"}, brokerSide("group.protocol.type"),
		"it does not exist with group.protocol=consumer; leave it out"},
	{Consumer, []string{"partition.assignment.strategy", "group.protocol"}, brokerSide("partition.assignment.strategy"),
		"with group.protocol=consumer use group.remote.assignor instead"},
}

func reconnectInverted(g given) bool {
	return g.exceeds("reconnect.backoff.ms", "reconnect.backoff.max.ms", 0)
}

// brokerSide is broken where a key is given that KIP-848 took away from clients.
func brokerSide(key string) func(given) bool {
	return func(g given) bool {
		_, set := g[key]
		return set && strings.EqualFold(g["group.protocol"], "consumer")
	}
}

// given asks about settings whose values were checked one by one before. A key
// that is not there never breaks a rule.
type given map[string]string

func (g given) isTrue(key string) bool {
	v, ok := Bool(g[key])
	return ok && v
}

func (g given) isFalse(key string) bool {
	v, ok := Bool(g[key])
	return ok && !v
}

func (g given) acksBelowAll() bool {
	acks, set := g["acks"]
	return set && acks != "all" && acks != "-1"
}

func (g given) number(key string) (float64, bool) {
	v, err := strconv.ParseFloat(g[key], 64)
	return v, err == nil
}

func (g given) above(key string, limit float64) bool {
	v, ok := g.number(key)
	return ok && v > limit
}

// exceeds reports whether a is greater than b plus slack.
func (g given) exceeds(a, b string, slack float64) bool {
	x, okA := g.number(a)
	y, okB := g.number(b)
	return okA && okB && x > y+slack
}

func (g given) atLeast(a, b string) bool {
	x, okA := g.number(a)
	y, okB := g.number(b)
	return okA && okB && x >= y
}
