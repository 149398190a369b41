package verify

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/config"
)

// TestEveryKeyHasAnAnswer: what no experiment sees has a reason, and the reasons that
// are written down are of settings that need one.
func TestEveryKeyHasAnAnswer(t *testing.T) {
	t.Parallel()
	proven := Proven()
	for _, s := range config.Settings() {
		for _, role := range []config.Role{config.Producer, config.Consumer} {
			if unproven(s.Name, role) == "" {
				t.Errorf("%s: no experiment and no reason", s.Name)
			}
		}
	}
	for key := range missing {
		if s, known := config.Lookup(key); !known || s.Name != key {
			t.Errorf("%s: no setting of that name", key)
		}
		if slices.Contains(proven, key) {
			t.Errorf("%s: an experiment sees it, so it needs no reason", key)
		}
	}
}

func TestUnproven(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"min.insync.replicas":             "no setting of that name",
		"linger.ms":                       "not a setting of this kind of client",
		"sasl.jaas.config":                "librdkafka knows it only to refuse it",
		"check.crcs":                      "needs a broken batch, and the broker of this run keeps none",
		"topic.metadata.refresh.fast.cnt": "it does not show in Kafka's protocol: it is deprecated, for logs, or for programs in C",
		"statistics.interval.ms":          "it does not show in Kafka's protocol, and kgo has nothing like it",
		"receive.message.max.bytes":       "it does not show in Kafka's protocol: connection closed on an oversized response",
		"client.dns.lookup":               "it does not show in Kafka's protocol: it is about what the library does inside the program, or before it connects",
		"ssl.ca.location":                 "it shows as: TLS handshake success/failure; no experiment brings that about",
	} {
		if diff := cmp.Diff(want, unproven(key, config.Consumer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
