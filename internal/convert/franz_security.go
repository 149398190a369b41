package convert

import (
	"errors"
	"fmt"
	"strings"
)

// TLS and SASL in Go code (package security does the same for the driver).

func (b block) encrypted() bool {
	return strings.HasSuffix(b.text("security.protocol"), "ssl")
}

func (b block) authenticated() bool {
	return strings.HasPrefix(b.text("security.protocol"), "sasl_")
}

// secured is for security.protocol and all that says how TLS is done.
func secured(v value, b block) ([]string, error) {
	switch {
	case b.authenticated() && !b.set("sasl.mechanism"):
		return nil, errors.New("sasl.mechanism is missing, and its default GSSAPI takes a program in Go (pkg/sasl/kerberos)")
	case b.encrypted() && b.tlsReads():
		return option1("DialTLSConfig", "secure"), nil
	case b.encrypted():
		return option1("DialTLSConfig", "&tls.Config{"+strings.Join(b.tlsFields("nil"), ", ")+"}"), nil
	case v.key == b.given["security.protocol"].key:
		return nil, nil
	}
	return nil, errors.New("has no effect without security.protocol=ssl or sasl_ssl")
}

// tlsReads reports whether the configuration can fail, because certificates are read.
func (b block) tlsReads() bool {
	return b.set("ssl.ca.location") || b.set("ssl.ca.pem") || b.ownCertificate() != ""
}

func (b block) tlsFields(roots string) []string {
	fields := []string{"MinVersion: tls.VersionTLS12"}
	switch {
	case b.isFalse("enable.ssl.certificate.verification"):
		fields = append(fields, "InsecureSkipVerify: true")
	case b.text("ssl.endpoint.identification.algorithm") == "none":
		// crypto/tls checks chain and name together, so that the chain is checked apart.
		fields = append(fields, "InsecureSkipVerify: true", "VerifyConnection: verifyChain("+roots+")")
	}
	return fields
}

// ownCertificate is the call that reads the client's certificate and key, "" for none.
func (b block) ownCertificate() string {
	switch {
	case b.set("ssl.certificate.location") && b.set("ssl.key.location"):
		return fmt.Sprintf("tls.LoadX509KeyPair(%s, %s)", b.given["ssl.certificate.location"].quoted(), b.given["ssl.key.location"].quoted())
	case b.set("ssl.certificate.pem") && b.set("ssl.key.pem"):
		return fmt.Sprintf("tls.X509KeyPair([]byte(%s), []byte(%s))", b.given["ssl.certificate.pem"].quoted(), b.given["ssl.key.pem"].quoted())
	}
	return ""
}

// tlsFunction writes the function that reads certificates, "" where none are read.
func (b block) tlsFunction(name string) string {
	if !b.encrypted() || !b.tlsReads() {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\n// %s is how brokers are spoken to.\nfunc %s() (*tls.Config, error) {\n", name, name)
	roots := "nil"
	if b.set("ssl.ca.location") || b.set("ssl.ca.pem") {
		roots = "roots"
		text.WriteString(b.rootsCode())
	}
	fmt.Fprintf(&text, "c := &tls.Config{%s}\n", strings.Join(b.tlsFields(roots), ", "))
	if roots != "nil" {
		text.WriteString("c.RootCAs = roots\n")
	}
	if call := b.ownCertificate(); call != "" {
		fmt.Fprintf(&text, `own, err := %s
			if err != nil {
				return nil, fmt.Errorf("read the client's certificate: %%w", err)
			}
			// Always this one, as librdkafka does, whatever authorities the broker names.
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own, nil }
			`, call)
	}
	text.WriteString("return c, nil\n}\n")
	return text.String()
}

func (b block) rootsCode() string {
	pem := "pem := []byte(" + b.given["ssl.ca.pem"].quoted() + ")\n"
	if !b.set("ssl.ca.pem") {
		pem = fmt.Sprintf(`pem, err := os.ReadFile(%s)
			if err != nil {
				return nil, fmt.Errorf("read ssl.ca.location: %%w", err)
			}
			`, b.given["ssl.ca.location"].quoted())
	}
	return pem + `roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, errors.New("expected certificates in PEM")
		}
		`
}

var goMechanisms = map[string]struct{ auth, method string }{
	"PLAIN":         {"plain.Auth", "AsMechanism"},
	"SCRAM-SHA-256": {"scram.Auth", "AsSha256Mechanism"},
	"SCRAM-SHA-512": {"scram.Auth", "AsSha512Mechanism"},
}

// login is for sasl.mechanism and what goes with it.
func login(_ value, b block) ([]string, error) {
	if !b.authenticated() {
		return nil, errors.New("has no effect without security.protocol=sasl_ssl or sasl_plaintext")
	}
	m, ok := goMechanisms[b.text("sasl.mechanism")]
	switch {
	case !ok:
		return nil, errors.New("takes a program in Go: kgo.SASL with a mechanism of pkg/sasl/oauth or pkg/sasl/kerberos")
	case !b.set("sasl.username") || !b.set("sasl.password"):
		return nil, errors.New("sasl.username and sasl.password are both needed")
	}
	auth := fmt.Sprintf("%s{User: %s, Pass: %s}.%s()", m.auth, b.given["sasl.username"].quoted(), b.given["sasl.password"].quoted(), m.method)
	return option1("SASL", auth), nil
}
