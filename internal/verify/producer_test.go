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
	}
}
