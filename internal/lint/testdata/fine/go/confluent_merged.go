// Settings that are put together: common ones, those of a role, those of an environment.
package shop

import (
	"maps"
	"os"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

func common() kafka.ConfigMap {
	m := kafka.ConfigMap{"bootstrap.servers": os.Getenv("BROKERS"), "client.id": "shop"}
	if password := os.Getenv("PASSWORD"); password != "" {
		m["security.protocol"] = "sasl_ssl"
		m["sasl.mechanism"] = "SCRAM-SHA-512"
		m["sasl.username"] = "shop"
		m["sasl.password"] = password
	}
	return m
}

func producerConfig(safe bool) *kafka.ConfigMap {
	m := common()
	maps.Copy(m, kafka.ConfigMap{"linger.ms": 5, "compression.type": "zstd"})
	if safe {
		m["acks"] = "all"
		m["enable.idempotence"] = true
	} else {
		m["acks"] = 1
		m["enable.idempotence"] = false
	}
	return &m
}

func newProducer(safe bool) (*kafka.Producer, error) { return kafka.NewProducer(producerConfig(safe)) }

func newAdmin() (*kafka.AdminClient, error) {
	m := common()
	return kafka.NewAdminClient(&m)
}
