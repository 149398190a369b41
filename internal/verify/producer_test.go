package verify

import (
	"testing"

	"kcompare/internal/config"
)

func TestProducerFlips(t *testing.T) {
	t.Parallel()
	flips(t, config.Producer, producerFlips())
}

func producerFlips() []flip {
	plain := map[string]string{"enable.idempotence": "false"}
	transactional := map[string]string{"transactional.id": "shop"}
	return []flip{
		{key: "acks", a: "all", b: "1", with: plain},
		{key: "acks", a: "1", b: "0", with: plain},
		{key: "request.timeout.ms", a: "5000", b: "6000"},
		{key: "enable.idempotence", a: "true", b: "false"},
		{key: "compression.type", a: "lz4", b: "zstd"},
		{key: "compression.type", a: "none", b: "gzip"},
		{key: "client.id", a: "till-1", b: "till-2"},
		{key: "allow.auto.create.topics", a: "true", b: "false"},
		{key: "transactional.id", a: "shop-1", b: "shop-2"},
		{key: "transaction.timeout.ms", a: "30000", b: "40000", with: transactional},
		{key: "partitioner", a: "murmur2_random", b: "consistent_random"},
		{key: "partitioner", a: "fnv1a", b: "murmur2"},
		{key: "compression.level", a: "1", b: "9", with: map[string]string{"compression.type": "gzip"}, only: onlyFranz},
		{key: "compression.level", a: "1", b: "9", with: map[string]string{"compression.type": "gzip"}, only: onlyLibrdkafka},
		{key: "batch.size", a: "20000", b: "100000"},
		{key: "batch.num.messages", a: "100", b: "200", only: onlyLibrdkafka},
		{key: "message.max.bytes", a: "20000", b: "100000"},
		{key: "queuing.strategy", a: "fifo", b: "lifo", with: plain, only: onlyLibrdkafka},
		{key: "queue.buffering.max.messages", a: "10", b: "20"},
		{key: "queue.buffering.max.kbytes", a: "100", b: "200"},
		{key: "linger.ms", a: "5", b: "25"},
		{key: "linger.ms", a: "0", b: "100"},
		{key: "max.in.flight.requests.per.connection", a: "2", b: "4", with: plain},
		{key: "max.in.flight.requests.per.connection", a: "5", b: "1000000", with: plain},
		{key: "sticky.partitioning.linger.ms", a: "20", b: "1000", only: onlyLibrdkafka},
		{key: "retries", a: "2", b: "4", with: plain},
		{key: "retry.backoff.ms", a: "100", b: "300"},
		{key: "retry.backoff.max.ms", a: "200", b: "600", only: onlyLibrdkafka},
		{key: "socket.timeout.ms", a: "1000", b: "4000", with: map[string]string{"request.timeout.ms": "500"}, deep: true},
		{key: "delivery.timeout.ms", a: "1000", b: "4000", deep: true, with: map[string]string{
			"enable.idempotence": "false", "request.timeout.ms": "500", "socket.timeout.ms": "700",
		}},
		{key: "enable.gapless.guarantee", a: "false", b: "true", with: map[string]string{"enable.idempotence": "true"}, only: onlyLibrdkafka},
	}
}
