package security_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/security"
	"kcompare/internal/security/securitytest"
)

// issuer is a token endpoint whose tokens nobody signed.
type issuer struct {
	*httptest.Server
	asked atomic.Int64
}

func startIssuer(t *testing.T, id, secret, scope string, life time.Duration) *issuer {
	t.Helper()
	i := &issuer{}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.asked.Add(1)
		user, pass, _ := r.BasicAuth()
		if user != id || pass != secret || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != scope {
			http.Error(w, pass, http.StatusUnauthorized) // which quotes what it was sent
			return
		}
		now := time.Now()
		claims := fmt.Sprintf(`{"sub":%q,"iat":%d,"exp":%d}`, id, now.Unix(), now.Add(life).Unix())
		token := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "."
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": int(life.Seconds())})
	}))
	t.Cleanup(i.Close)
	return i
}

func oidc(k *securitytest.Kafka, url, secret string) map[string]string {
	return change(k.Settings(securitytest.Secure, "OAUTHBEARER"),
		"enable.sasl.oauthbearer.unsecure.jwt", "", "sasl.oauthbearer.config", "", "sasl.oauthbearer.method", "oidc",
		"sasl.oauthbearer.token.endpoint.url", url, "sasl.oauthbearer.scope", "orders",
		"sasl.oauthbearer.client.credentials.client.id", "shop", "sasl.oauthbearer.client.credentials.client.secret", secret)
}

// testOIDC: everybody gets in with a token of an endpoint, and reuses it.
func testOIDC(t *testing.T, k *securitytest.Kafka) {
	endpoint := startIssuer(t, "shop", "s3cret", "orders", time.Hour)
	read, err := security.ReadFile(securitytest.WriteProperties(t, oidc(k, endpoint.URL, "s3cret")))
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t, find(t, k, way{securitytest.Secure, "OAUTHBEARER"}, read.Client))
	if _, err := r.CreateTopics(within(t), []broker.Topic{{Name: "kcompare-oidc", Partitions: 1}}); err != nil {
		t.Fatal(err)
	}
	if asked := endpoint.asked.Load(); asked != 1 {
		t.Errorf("the endpoint was asked %d times, expected once for all connections", asked)
	}
	playAll(t, k.Bootstrap(securitytest.Secure), "kcompare-oidc", read.Client)
	settings := oidc(k, endpoint.URL, "wr0ng-s3cret")
	_, err = broker.ConnectExternal(within(t), strings.Split(k.Bootstrap(securitytest.Secure), ","), access(t, settings))
	if err == nil || !strings.Contains(err.Error(), "it answered 401 Unauthorized, expected 200") || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("%v: expected the refusal of the endpoint, without its words", err)
	}
}
