package sarama

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"

	"kcompare/drivers"
)

// TestLogins: sarama gets into a cluster with logins by each mechanism that the broker
// has, and not with a wrong password.
func TestLogins(t *testing.T) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.SeedTopics(1, "orders"),
		kfake.Superuser("PLAIN", "me", "pa55"), kfake.Superuser("SCRAM-SHA-256", "me", "pa55"), kfake.Superuser("SCRAM-SHA-512", "me", "pa55"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		for _, password := range []string{"pa55", "wrong"} {
			t.Run(mechanism+" "+password, func(t *testing.T) {
				t.Parallel()
				config := pairs("security.protocol=sasl_plaintext sasl.username=me")
				config["bootstrap.servers"] = strings.Join(fake.ListenAddrs(), ",")
				config["sasl.mechanism"], config["sasl.password"] = mechanism, password
				d := deliver(t, config, drivers.Record{Topic: "orders", Value: []byte("1")})
				if good := d.Outcome == drivers.Acked; good != (password == "pa55") {
					t.Errorf("got %s: %v", d.Outcome, d.Err)
				}
				if d.Err != nil && strings.Contains(d.Err.Error(), password) {
					t.Errorf("the error has the password: %v", d.Err)
				}
			})
		}
	}
}

// deliver sends one record with a producer of its own.
func deliver(t *testing.T, config map[string]string, r drivers.Record) drivers.Delivery {
	t.Helper()
	p, err := New().NewProducer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	var got drivers.Delivery
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	p.Produce(ctx, r, func(d drivers.Delivery) { got = d })
	if err := p.Flush(ctx); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	return got
}

// TestToken: the token and its extensions are those of the settings.
func TestToken(t *testing.T) {
	config := pairs("security.protocol=sasl_plaintext sasl.mechanism=OAUTHBEARER enable.sasl.oauthbearer.unsecure.jwt=true")
	config["sasl.oauthbearer.config"] = "principal=me extension_cluster=a extension_pool=b"
	conf := translated(t, drivers.RoleProducer, drivers.Settings{Config: config}).conf
	token, err := conf.Net.SASL.TokenProvider.Token()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"cluster": "a", "pool": "b"}, token.Extensions); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
	parts := strings.Split(token.Token, ".")
	claims, err := base64.RawURLEncoding.DecodeString(parts[min(1, len(parts)-1)])
	if err != nil || len(parts) != 3 || !strings.Contains(string(claims), `"sub":"me"`) {
		t.Errorf("token %q has claims %q, expected three parts with the subject me: %v", token.Token, claims, err)
	}
}
