//go:build cgo

package proxy

import (
	"encoding/pem"
	"strings"
	"testing"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/twmb/franz-go/pkg/kfake"
)

// text is the CA as librdkafka takes it.
func (a *authority) text() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
}

// OpenSSL checks the proxy's certificate by the name that the client was told, and
// librdkafka's SCRAM passes.
func TestTLSAndSASLLibrdkafka(t *testing.T) {
	brokers, clients := newAuthority(t, "brokers"), newAuthority(t, "clients")
	c := secured(t, brokers, clients, kfake.SeedTopics(3, topic))
	produceLibrdkafka(t, c, kafka.ConfigMap{
		"security.protocol": "SASL_SSL", "ssl.ca.pem": clients.text(),
		"sasl.mechanism": "SCRAM-SHA-256", "sasl.username": user, "sasl.password": password,
	})
	seen := c.proxy.Observed()
	if seen.Requests["SaslAuthenticate"] == 0 || seen.ProduceRequests == 0 || len(seen.Problems) > 0 {
		t.Errorf("requests %v, problems %q", seen.Requests, seen.Problems)
	}
	holdsNoSecret(t, seen)
}

// What the proxy says of a librdkafka that is set up otherwise than its listener.
func TestHandshakeOfLibrdkafkaFails(t *testing.T) {
	ca, other := newAuthority(t, "clients"), newAuthority(t, "others")
	for _, tt := range []struct {
		name   string
		config kafka.ConfigMap
		want   string
	}{
		{"plaintext", nil, "it looks like a Kafka frame in plaintext: " + setClientTLS},
		{"another CA", kafka.ConfigMap{"security.protocol": "SSL", "ssl.ca.pem": other.text()}, "it refused without encryption, as OpenSSL refuses a certificate: " + setClientTrust},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startCluster(t, func(o *Options) { o.ClientTLS = ca.server(listenHost, false) })
			producer, err := kafka.NewProducer(c.config(tt.config))
			if err != nil {
				t.Fatal(err)
			}
			defer producer.Close()
			named := func() bool { return strings.Contains(strings.Join(c.proxy.Observed().Problems, "\n"), tt.want) }
			if !comesTrue(named) {
				t.Errorf("problems %q, want one with %q", c.proxy.Observed().Problems, tt.want)
			}
		})
	}
}
