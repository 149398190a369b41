package verify

import (
	"testing"

	"kcompare/internal/config"
)

func TestConsumerFlips(t *testing.T) {
	t.Parallel()
	flips(t, config.Consumer, consumerFlips())
}

func consumerFlips() []flip {
	group := map[string]string{"group.id": "till"}
	served := map[string]string{"group.id": "till", "group.protocol": "consumer"}
	commits := map[string]string{"group.id": "till", "enable.auto.commit": "true"}
	return []flip{
		{key: "group.id", a: "till-1", b: "till-2"},
		{key: "group.instance.id", a: "left", b: "right", with: group},
		{key: "group.protocol", a: "classic", b: "consumer", with: group},
		{key: "group.protocol.type", a: "consumer", b: "desk", with: group, only: onlyFranz}, // librdkafka takes only one
		{key: "group.remote.assignor", a: "range", b: "uniform", with: served},
		{key: "session.timeout.ms", a: "30000", b: "40000", with: group},
		{key: "max.poll.interval.ms", a: "120000", b: "300000", with: group},
		{key: "max.poll.interval.ms", a: "120000", b: "300000", with: served},
		{key: "partition.assignment.strategy", a: "range", b: "cooperative-sticky", with: group},
		{key: "partition.assignment.strategy", a: "range,roundrobin", b: "roundrobin,range", with: group},
		{key: "auto.offset.reset", a: "earliest", b: "latest", with: group},
		{key: "auto.offset.reset", a: "error", b: "latest", with: group},
		{key: "enable.auto.commit", a: "true", b: "false", with: group},
		{key: "enable.auto.offset.store", a: "true", b: "false", with: commits},
		{key: "client.id", a: "till-1", b: "till-2"},
		{key: "client.rack", a: "left", b: "right"},
		{key: "isolation.level", a: "read_committed", b: "read_uncommitted"},
		{key: "fetch.min.bytes", a: "1", b: "2"},
		{key: "fetch.max.bytes", a: "2000000", b: "3000000"},
		{key: "max.partition.fetch.bytes", a: "500000", b: "600000"},
		{key: "fetch.wait.max.ms", a: "100", b: "200"},
		{key: "allow.auto.create.topics", a: "true", b: "false"},
		{key: "enable.metrics.push", a: "true", b: "false"},
		{key: "heartbeat.interval.ms", a: "1000", b: "3000", with: group},
		{key: "auto.commit.interval.ms", a: "300", b: "1000", with: commits},
		{key: "socket.timeout.ms", a: "500", b: "3000", with: map[string]string{"fetch.wait.max.ms": "100"}},
	}
}
