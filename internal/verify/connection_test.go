package verify

import (
	"maps"
	"testing"

	"kcompare/internal/config"
)

func TestConnectionFlips(t *testing.T) {
	t.Parallel()
	flips(t, config.Consumer, connectionFlips(map[string]string{"group.id": "till"}))
	flips(t, config.Producer, connectionFlips(nil))
	flips(t, config.Producer, leaderFlips())
}

// leaderFlips are those of producers that look for a topic or its leader.
func leaderFlips() []flip {
	return []flip{
		{key: "topic.metadata.refresh.fast.interval.ms", a: "100", b: "5000", only: onlyFranz, deep: true},
		{key: "topic.metadata.propagation.max.ms", a: "500", b: "6000", only: onlyLibrdkafka, deep: true},
	}
}

// connectionFlips are those of either role.
func connectionFlips(own map[string]string) []flip {
	with := func(more map[string]string) map[string]string {
		all := maps.Clone(more)
		maps.Copy(all, own)
		return all
	}
	often := with(map[string]string{"topic.metadata.refresh.fast.interval.ms": "50"})
	secure := with(map[string]string{"security.protocol": "ssl"})
	login := with(map[string]string{"security.protocol": "sasl_plaintext", "sasl.username": "anna", "sasl.password": "nobody's"})
	return []flip{
		{key: "connections.max.idle.ms", a: "300", b: "6000", with: own, deep: true},
		{key: "topic.metadata.refresh.interval.ms", a: "600", b: "3000", with: often},
		{key: "metadata.max.age.ms", a: "600", b: "3000", with: often, only: onlyFranz},
		{key: "security.protocol", a: "plaintext", b: "ssl", with: own},
		{key: "sasl.mechanism", a: "PLAIN", b: "SCRAM-SHA-256", with: login},
		{key: "socket.connection.setup.timeout.ms", a: "1000", b: "3000", with: secure},
		{key: "reconnect.backoff.ms", a: "100", b: "2000", with: with(map[string]string{"reconnect.backoff.max.ms": "2000"}), only: onlyLibrdkafka, deep: true},
		{key: "reconnect.backoff.max.ms", a: "300", b: "1000", with: own, only: onlyLibrdkafka},
	}
}
