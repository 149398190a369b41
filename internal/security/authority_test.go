package security_test

import (
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"

	"kcompare/internal/security"
)

// TestAuthority: a server with the authority's certificate is who it says at 127.0.0.1
// and localhost, and nowhere else, as long as a run may last.
func TestAuthority(t *testing.T) {
	now := time.Now()
	a, err := security.NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(a.PEM))
	tests := map[string]struct {
		name string
		at   time.Time
		want string // of the error
	}{
		"by address":       {"127.0.0.1", now, ""},
		"by name":          {"localhost", now, ""},
		"a clock behind":   {"localhost", now.Add(-30 * time.Minute), ""},
		"a long run":       {"localhost", now.Add(29 * 24 * time.Hour), ""},
		"another address":  {"127.0.0.2", now, "127.0.0.2"},
		"another name":     {"broker.test", now, "broker.test"},
		"after a long run": {"localhost", now.Add(31 * 24 * time.Hour), "expired"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := a.Server.Certificates[0].Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: tc.name, CurrentTime: tc.at})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, expected an error with %q", err, tc.want)
			}
		})
	}
	other, err := security.NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Server.Certificates[0].Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now}); err == nil {
		t.Error("two runs have the same authority")
	}
}

func TestThroughProxy(t *testing.T) {
	a := &security.Authority{PEM: "the authority"}
	tests := map[string]struct{ client, want map[string]string }{
		"plain text": {map[string]string{}, map[string]string{}},
		"login": {
			map[string]string{"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "u", "sasl.password": "p"},
			map[string]string{"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "u", "sasl.password": "p"},
		},
		"TLS, mutual": {
			map[string]string{"security.protocol": "SSL", "ssl.ca.pem": "theirs", "ssl.certificate.pem": "c", "ssl.key.pem": "k"},
			map[string]string{"security.protocol": "SSL", "ssl.ca.pem": "the authority"},
		},
		"TLS, unverified, and login": {
			map[string]string{
				"security.protocol": "SASL_SSL", "enable.ssl.certificate.verification": "false", "ssl.endpoint.identification.algorithm": "none",
				"sasl.mechanism": "OAUTHBEARER", "enable.sasl.oauthbearer.unsecure.jwt": "true", "sasl.oauthbearer.config": "principal=u",
			},
			map[string]string{
				"security.protocol": "SASL_SSL", "ssl.ca.pem": "the authority",
				"sasl.mechanism": "OAUTHBEARER", "enable.sasl.oauthbearer.unsecure.jwt": "true", "sasl.oauthbearer.config": "principal=u",
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, a.ThroughProxy(tc.client)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestLibrariesTrustTheAuthority with what they get of it, checks of the name included.
func TestLibrariesTrustTheAuthority(t *testing.T) {
	a, err := security.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.TLS(a.Server), kfake.SeedTopics(1, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	settings := a.ThroughProxy(map[string]string{"security.protocol": "SSL"})
	playAll(t, cluster.ListenAddrs()[0], "orders", settings)
}
