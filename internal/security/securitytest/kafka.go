// Package securitytest has what tests of secured clusters need: a real Kafka that
// wants TLS and logins, certificates, and the search for secrets in texts.
package securitytest

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
)

// starting bounds a start of Kafka on a machine that does other things too, the
// first one with its downloads included.
const starting = 3 * time.Minute

// The one user of a Kafka, and the listeners that it has beside the plaintext one.
const (
	User     = "shop"
	Password = "pa55 w\"ord+/=\\%"

	Secure = "SECURE" // SASL_SSL
	Login  = "LOGIN"  // SASL_PLAINTEXT
	Mutual = "MUTUAL" // SSL, with a certificate of the client
)

// Mechanisms are those of Secure and Login.
var Mechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"}

// Kafka is a real one with one node. OAUTHBEARER takes unsecured tokens there.
type Kafka struct {
	*broker.Kafka
	CA     *CA
	Client Pair // of CA
}

// StartKafka starts one for a test. It skips with -short and where java or mvn is
// absent; with CI=true the latter is a failure.
func StartKafka(t testing.TB) *Kafka {
	t.Helper()
	brokertest.NeedKafka(t)
	ctx, cancel := context.WithTimeout(t.Context(), starting)
	defer cancel()
	ca := NewCA(t)
	k, err := broker.StartKafka(t.Context(), broker.KafkaOptions{
		Nodes: 1, Dir: t.TempDir(), Env: append(os.Environ(), "KAFKA_HOME="), Progress: func(s string) { t.Log(s) },
		Settings: serverSettings(ca, ca.Issue(t, "broker")),
		Secure: []broker.Listener{
			{Name: Secure, Protocol: "SASL_SSL"}, {Name: Login, Protocol: "SASL_PLAINTEXT"}, {Name: Mutual, Protocol: "SSL"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	addUser(ctx, t, k)
	return &Kafka{Kafka: k, CA: ca, Client: ca.Issue(t, User)}
}

// serverSettings is what server.properties needs for the three listeners.
func serverSettings(ca *CA, own Pair) map[string]string {
	settings := map[string]string{
		"ssl.keystore.type": "PEM", "ssl.keystore.certificate.chain": own.Certificate, "ssl.keystore.key": own.Key,
		"ssl.truststore.type": "PEM", "ssl.truststore.certificates": ca.PEM,
		"listener.name.mutual.ssl.client.auth": "required",
	}
	const classes = "org.apache.kafka.common.security."
	for _, name := range []string{"secure", "login"} {
		prefix := "listener.name." + name + "."
		maps.Copy(settings, map[string]string{
			prefix + "sasl.enabled.mechanisms":        strings.Join(Mechanisms, ","),
			prefix + "plain.sasl.jaas.config":         classes + "plain.PlainLoginModule required user_" + User + "=" + Quoted(Password) + ";",
			prefix + "scram-sha-256.sasl.jaas.config": classes + "scram.ScramLoginModule required;",
			prefix + "scram-sha-512.sasl.jaas.config": classes + "scram.ScramLoginModule required;",
			prefix + "oauthbearer.sasl.jaas.config":   classes + "oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"broker\";",
			prefix + "oauthbearer.sasl.server.callback.handler.class": classes +
				"oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler",
		})
	}
	return settings
}

// Quoted is a value as a jaas line takes it.
func Quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// addUser tells the broker the passwords that SCRAM needs; PLAIN has them in its
// settings.
func addUser(ctx context.Context, t testing.TB, k *broker.Kafka) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(slices.Collect(maps.Values(k.Addrs()))...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, m := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} { // a call takes a user once
		done, err := kadm.NewClient(client).AlterUserSCRAMs(ctx, nil,
			[]kadm.UpsertSCRAM{{User: User, Mechanism: m, Iterations: 4096, Password: Password}})
		if err == nil {
			err = done.Error()
		}
		if err != nil {
			t.Fatalf("add user %s for %s: %v", User, m, err)
		}
	}
}

// Bootstrap is the addresses of a listener.
func (k *Kafka) Bootstrap(listener string) string {
	addrs := k.ListenerAddrs(listener)
	return strings.Join(slices.Sorted(maps.Values(addrs)), ",")
}

// Settings is what a client sets to get in at a listener, by canonical name; the
// mechanism is "" for Mutual.
func (k *Kafka) Settings(listener, mechanism string) map[string]string {
	settings := map[string]string{"security.protocol": "SASL_SSL", "ssl.ca.pem": k.CA.PEM, "sasl.mechanism": mechanism}
	switch listener {
	case Mutual:
		delete(settings, "sasl.mechanism")
		settings["security.protocol"] = "SSL"
		settings["ssl.certificate.pem"], settings["ssl.key.pem"] = k.Client.Certificate, k.Client.Key
		return settings
	case Login:
		delete(settings, "ssl.ca.pem")
		settings["security.protocol"] = "SASL_PLAINTEXT"
	}
	if mechanism == "OAUTHBEARER" {
		settings["enable.sasl.oauthbearer.unsecure.jwt"], settings["sasl.oauthbearer.config"] = "true", "principal="+User
		return settings
	}
	settings["sasl.username"], settings["sasl.password"] = User, Password
	return settings
}

// WriteProperties writes settings to a file for --command-config, and returns its
// path.
func WriteProperties(t testing.TB, settings map[string]string) string {
	t.Helper()
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		text.WriteString(key + "=" + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(settings[key]) + "\n")
	}
	path := filepath.Join(t.TempDir(), "client.properties")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
