package convert

import (
	"strings"

	"kcompare/internal/source"
)

// TLS and SASL: Java has stores and a login module where librdkafka has files and words.

// javaSecurity takes the keys in that several canonical settings stand for, and reports
// whether it was one.
func (b *block) javaSecurity(e source.Entry) bool {
	switch e.Key {
	case "sasl.jaas.config":
		b.jaas(e)
	case "ssl.truststore.location":
		if !b.pem(e, "ssl.truststore.type") {
			b.lose(e, "only Java reads such a store; take the certificates out (keytool -exportcert -rfc) and give them as ssl.ca.location")
			return true
		}
		_ = b.put("ssl.ca.location", e.Value.Text, e)
	case "ssl.keystore.location":
		b.keystore(e)
	default:
		return false
	}
	return true
}

func (b *block) pem(e source.Entry, typeKey string) bool {
	return strings.EqualFold(b.raw[typeKey], "PEM") || strings.HasSuffix(e.Value.Text, ".pem")
}

func (b *block) keystore(e source.Entry) {
	switch {
	case b.pem(e, "ssl.keystore.type"): // one file with both
		_ = b.put("ssl.certificate.location", e.Value.Text, e)
		_ = b.put("ssl.key.location", e.Value.Text, e)
	case strings.EqualFold(b.raw["ssl.keystore.type"], "PKCS12"):
		_ = b.put("ssl.keystore.location", e.Value.Text, e)
	default:
		b.lose(e, "only Java reads a store of type JKS; convert it: keytool -importkeystore -srckeystore OLD -destkeystore NEW -deststoretype PKCS12")
	}
}

// jaas takes the user out of a login module's options. The password never is a value here.
func (b *block) jaas(e source.Entry) {
	user, named := jaasOption(e.Value.Text, "username")
	_, secret := jaasOption(e.Value.Text, "password")
	if e.Value.Kind == source.Computed || e.Value.Text == "" {
		user, named, secret = "", true, true
	}
	if !named || !secret {
		b.lose(e, "expected a login module with username and password; write what it does with the other client's means")
		return
	}
	of := e
	of.Value.Kind, of.Canonical = source.Text, ""
	if user == "" {
		of.Value.Kind = source.Computed
	}
	_ = b.put("sasl.username", user, of)
	of.Value.Kind = source.Computed
	_ = b.put("sasl.password", "", of)
}

// jaasOption is the value of NAME="VALUE" in a login module's options.
func jaasOption(text, name string) (string, bool) {
	_, rest, found := strings.Cut(text, name+"=")
	if !found || rest == "" {
		return "", false
	}
	quote := rest[:1]
	if quote != `"` && quote != "'" {
		value, _, _ := strings.Cut(strings.TrimRight(rest, "; "), " ")
		return value, value != ""
	}
	value, _, closed := strings.Cut(rest[1:], quote)
	return value, closed
}
