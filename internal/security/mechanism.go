package security

import (
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// mechanisms are those that kcompare can do with every library.
var mechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"}

// Mechanism is how canonical settings ask to log in, nil where they do not.
// now is for tokens; client is who is to log in, for the error: a
// *drivers.UnsupportedError for another mechanism, a *drivers.ConfigError for what is
// wrong. Nothing connects before the mechanism is used.
func Mechanism(client string, settings map[string]string, now func() time.Time) (sasl.Mechanism, error) {
	g := given(settings)
	if !g.authenticated() {
		return nil, nil
	}
	name := g["sasl.mechanism"]
	if name == "" {
		return nil, wrong("is missing, expected one of "+strings.Join(mechanisms, ", "), "sasl.mechanism")
	}
	if name == "OAUTHBEARER" {
		return g.oauthBearer(client, now)
	}
	user, pass := g["sasl.username"], g["sasl.password"]
	if user == "" || pass == "" {
		return nil, wrong("both are needed for SASL", "sasl.username", "sasl.password")
	}
	switch name {
	case "PLAIN":
		return plain.Auth{User: user, Pass: pass}.AsMechanism(), nil
	case "SCRAM-SHA-256":
		return scram.Auth{User: user, Pass: pass}.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scram.Auth{User: user, Pass: pass}.AsSha512Mechanism(), nil
	}
	return nil, unsupported(client, "sasl.mechanism", name, "expected one of "+strings.Join(mechanisms, ", "))
}
