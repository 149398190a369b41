package security

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
)

// Bounds on asking for a token.
const (
	tokenTime  = 10 * time.Second
	tokenBytes = 1 << 20
)

// endpoint gives tokens for a client's own credentials (RFC 6749, 4.4), and keeps one
// until most of its life is over. Its methods may be called concurrently.
type endpoint struct {
	url               *url.URL
	id, secret, scope string
	extensions        map[string]string
	now               func() time.Time

	mu      sync.Mutex
	token   string
	renewAt time.Time
}

// oidcKeys are what a login through a token endpoint must have.
var oidcKeys = []string{
	"sasl.oauthbearer.token.endpoint.url",
	"sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.client.credentials.client.secret",
}

func (g given) oidc(client string, now func() time.Time) (sasl.Mechanism, error) {
	for _, key := range oidcKeys {
		if g[key] == "" {
			return nil, wrong("needed with sasl.oauthbearer.method=oidc", key)
		}
	}
	if grant := g["sasl.oauthbearer.grant.type"]; grant != "" && grant != "client_credentials" {
		return nil, unsupported(client, "sasl.oauthbearer.grant.type", grant, "expected client_credentials")
	}
	address, err := url.Parse(g[oidcKeys[0]])
	if err != nil || address.Scheme != "http" && address.Scheme != "https" {
		return nil, wrong("expected an address with http or https", oidcKeys[0])
	}
	e := &endpoint{
		url: address, id: g[oidcKeys[1]], secret: g[oidcKeys[2]], scope: g["sasl.oauthbearer.scope"],
		extensions: map[string]string{}, now: now,
	}
	for pair := range strings.SplitSeq(g["sasl.oauthbearer.extensions"], ",") {
		if name, value, ok := strings.Cut(strings.TrimSpace(pair), "="); ok {
			e.extensions[name] = value
		}
	}
	return oauth.Oauth(e.login), nil
}

// login is what kgo asks for each time it connects.
func (e *endpoint) login(ctx context.Context) (oauth.Auth, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.token == "" || !e.now().Before(e.renewAt) {
		if err := e.renew(ctx); err != nil {
			return oauth.Auth{}, fmt.Errorf("get a token from %s: %w", e.url.Redacted(), err)
		}
	}
	return oauth.Auth{Token: e.token, Extensions: e.extensions}, nil
}

func (e *endpoint) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tokenTime)
	defer cancel()
	form := url.Values{"grant_type": {"client_credentials"}}
	if e.scope != "" {
		form.Set("scope", e.scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.SetBasicAuth(e.id, e.secret)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	return e.take(resp)
}

// take reads an answer. What an endpoint says in a refusal is not repeated: it may
// quote what it was sent.
func (e *endpoint) take(resp *http.Response) error {
	var answer struct {
		Token   string  `json:"access_token"`
		Seconds float64 `json:"expires_in"`
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s, expected 200", resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, tokenBytes)).Decode(&answer); err != nil || answer.Token == "" {
		return fmt.Errorf("expected JSON with an access_token")
	}
	e.token = answer.Token
	e.renewAt = e.now().Add(time.Duration(answer.Seconds * 0.8 * float64(time.Second))) // as librdkafka does
	return nil
}
