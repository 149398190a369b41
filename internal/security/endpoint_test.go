package security

import (
	"strings"
	"testing"
	"time"
)

// An address may have a password in it, which no error repeats.
func TestTokenEndpointWithPassword(t *testing.T) {
	m, err := Mechanism("franz", map[string]string{
		"security.protocol": "sasl_plaintext", "sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.method": "oidc",
		"sasl.oauthbearer.token.endpoint.url":               "http://shop:hunter2@127.0.0.1:0/token",
		"sasl.oauthbearer.client.credentials.client.id":     "shop",
		"sasl.oauthbearer.client.credentials.client.secret": "s3cret",
	}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = m.Authenticate(t.Context(), "broker")
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:0/token") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v, want one that names the endpoint without the password", err)
	}
}
