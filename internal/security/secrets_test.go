package security_test

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/security"
	"kcompare/internal/security/securitytest"
)

// TestNoSecretLeaks: a session through the proxy, with the most talkative logs, and a
// login that is refused. Whatever is kept or said of it has no secret in it, in no
// encoding.
func TestNoSecretLeaks(t *testing.T) {
	ca := securitytest.NewCA(t)
	own := ca.Issue(t, securitytest.User)
	mutual := ca.Issue(t, "broker").Config(t)
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, ca.Pool()
	tests := map[string]struct {
		mechanism string
		broker    []kfake.Opt
		settings  map[string]string
	}{
		"PLAIN":         {"PLAIN", nil, map[string]string{"security.protocol": "SASL_PLAINTEXT"}},
		"SCRAM-SHA-256": {"SCRAM-SHA-256", nil, map[string]string{"security.protocol": "SASL_PLAINTEXT"}},
		"PLAIN with mutual TLS": {"PLAIN", []kfake.Opt{kfake.TLS(mutual)}, map[string]string{
			"security.protocol": "SASL_SSL", "ssl.truststore.certificates": ca.PEM,
			"ssl.keystore.certificate.chain": own.Certificate, "ssl.keystore.key": own.Key,
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cluster, err := kfake.NewCluster(append(tc.broker, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"), kfake.EnableSASL(),
				kfake.Superuser(tc.mechanism, securitytest.User, securitytest.Password))...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cluster.Close)
			tc.settings["sasl.mechanism"], tc.settings["sasl.jaas.config"] = tc.mechanism, jaas(tc.mechanism)
			read, err := security.ReadFile(securitytest.WriteProperties(t, tc.settings))
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range session(t, cluster.ListenAddrs()[0], read.Client) {
				for _, leak := range securitytest.Leaks(text, append(read.Secrets, wrongPassword)) {
					t.Errorf("%s has %s:\n%s", name, leak, text)
				}
			}
		})
	}
}

const wrongPassword = "wr0ng-pa55 \"word\""

func jaas(mechanism string) string {
	module := "ScramLoginModule"
	if mechanism == "PLAIN" {
		module = "PlainLoginModule"
	}
	return module + " required username=" + securitytest.User + " password=" + securitytest.Quoted(securitytest.Password) + ";"
}

// session plays with every library and returns what is left of it, by name.
func session(t *testing.T, addr string, settings map[string]string) map[string]string {
	t.Helper()
	said := map[string]string{}
	external, err := broker.ConnectExternal(within(t), []string{addr}, access(t, settings))
	if err != nil {
		t.Fatal(err)
	}
	p, authority := startProxy(t, external)
	client := authority.ThroughProxy(settings)
	for _, d := range clients(t) {
		talkative := client
		if d.Client() == "librdkafka" { // the driver of franz-go takes warnings and errors, whatever is set
			talkative = change(client, "debug", "all")
		}
		var log lines
		for _, problem := range playLogged(t, d, p.Bootstrap(), "orders", talkative, &log) {
			t.Error(problem)
		}
		said["the log of "+d.Client()] = log.text()
		said["the refusal of "+d.Client()] = refused(t, d, p.Bootstrap(), change(client, "sasl.password", wrongPassword))
		_, err := d.Differences(drivers.RoleProducer, drivers.Settings{Config: change(client, "sasl.mechanism", "GSSAPI")})
		said["the reason of "+d.Client()] = errorOr(err)
	}
	_, err = broker.ConnectExternal(within(t), []string{addr}, access(t, change(settings, "sasl.password", wrongPassword)))
	said["the refusal of the reader"] = errorOr(err)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	seen := p.Observed()
	trace, err := json.Marshal(seen)
	if err != nil {
		t.Fatal(err)
	}
	said["the trace"] = string(trace)
	for _, api := range []string{"SaslAuthenticate", "Produce", "Fetch"} {
		if !strings.Contains(said["the trace"], api) {
			t.Errorf("the trace has no %s: the session did not go through the proxy", api)
		}
	}
	return said
}

func errorOr(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestLeaks: each form is found, wherever a secret begins.
func TestLeaks(t *testing.T) {
	const secret = "hun/ter+2?"
	texts := map[string]string{
		"text":      "the password is hun/ter+2?, keep it",
		"JSON":      `{"password":"hun/ter+2?"}`,
		"hex":       strings.ToUpper(hex.EncodeToString([]byte("\x00shop\x00" + secret))),
		"query":     "?a=" + url.QueryEscape(secret),
		"path":      "/" + url.PathEscape(secret) + "/",
		"base64 0":  base64.StdEncoding.EncodeToString([]byte(secret + "\x00x")),
		"base64 1":  base64.StdEncoding.EncodeToString([]byte("\xff" + secret + "x")),
		"base64 2":  base64.StdEncoding.EncodeToString([]byte("\xff\xff" + secret)),
		"base64url": base64.RawURLEncoding.EncodeToString([]byte("\xff\xff\xff\xff" + secret + "\xff")),
	}
	for name, text := range texts {
		if len(securitytest.Leaks(text, []string{secret})) == 0 {
			t.Errorf("%s: not found in %s", name, text)
		}
	}
	if diff := cmp.Diff([]string(nil), securitytest.Leaks("hun/ter2? aHVuL3Rlcis", []string{secret})); diff != "" {
		t.Errorf("found in an innocent text: %s", diff)
	}
}
