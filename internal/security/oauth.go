package security

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
)

// oauthBearer logs in with tokens as librdkafka gets them: made here and not signed
// (enable.sasl.oauthbearer.unsecure.jwt), or from a token endpoint
// (sasl.oauthbearer.method=oidc).
func (g given) oauthBearer(client string, now func() time.Time) (sasl.Mechanism, error) {
	unsecured, oidc := g.isTrue("enable.sasl.oauthbearer.unsecure.jwt"), strings.EqualFold(g["sasl.oauthbearer.method"], "oidc")
	switch {
	case unsecured && oidc:
		return nil, wrong("two ways to get a token, give one", "enable.sasl.oauthbearer.unsecure.jwt", "sasl.oauthbearer.method")
	case unsecured:
		token, err := parseUnsecured(g["sasl.oauthbearer.config"])
		if err != nil {
			return nil, wrong(err.Error(), "sasl.oauthbearer.config")
		}
		return oauth.Oauth(func(context.Context) (oauth.Auth, error) {
			return oauth.Auth{Token: token.jwt(now()), Extensions: token.extensions}, nil
		}), nil
	case oidc:
		return g.oidc(client, now)
	}
	return nil, wrong("OAUTHBEARER needs one of them to get a token: "+
		"enable.sasl.oauthbearer.unsecure.jwt=true with sasl.oauthbearer.config, or sasl.oauthbearer.method=oidc",
		"enable.sasl.oauthbearer.unsecure.jwt", "sasl.oauthbearer.method")
}

// unsecured is a token that nobody signed, and says so (RFC 7515, appendix A.5).
type unsecured struct {
	claims     map[string]any // beside the times
	life       time.Duration
	extensions map[string]string // of the SASL message (KIP-342)
}

// parseUnsecured reads sasl.oauthbearer.config as librdkafka does
// (rdkafka_sasl_oauthbearer.c): name=value, separated by blanks.
func parseUnsecured(text string) (unsecured, error) {
	u := unsecured{claims: map[string]any{}, life: time.Hour, extensions: map[string]string{}}
	values := map[string]string{"principalClaimName": "sub", "scopeClaimName": "scope"}
	for pair := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(pair, "=")
		if extension, ok := strings.CutPrefix(name, "extension_"); ok {
			u.extensions[extension] = value
			continue
		}
		switch name {
		case "principalClaimName", "principal", "scopeClaimName", "scope", "lifeSeconds":
			values[name] = value
		default:
			return u, fmt.Errorf("unknown name %q, expected principal, principalClaimName, scope, scopeClaimName, lifeSeconds or extension_NAME", name)
		}
	}
	if values["principal"] == "" {
		return u, fmt.Errorf("principal=NAME is missing")
	}
	u.claims[values["principalClaimName"]] = values["principal"]
	if values["scope"] != "" {
		u.claims[values["scopeClaimName"]] = strings.Split(values["scope"], ",")
	}
	if life, given := values["lifeSeconds"]; given {
		seconds, err := strconv.Atoi(life)
		if err != nil || seconds < 1 {
			return u, fmt.Errorf("lifeSeconds=%s: expected a number of seconds, 1 or more", life)
		}
		u.life = time.Duration(seconds) * time.Second
	}
	return u, nil
}

// jwt is the token of one login.
func (u unsecured) jwt(now time.Time) string {
	claims := maps.Clone(u.claims)
	claims["iat"], claims["exp"] = now.Unix(), now.Add(u.life).Unix()
	body, _ := json.Marshal(claims) // strings and numbers only
	return encoded(`{"alg":"none"}`) + "." + encoded(string(body)) + "."
}

func encoded(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
