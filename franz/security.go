package franz

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// withSecurity is for the settings that only say how security.protocol is done.
// Without it they have no effect, in librdkafka as here.
var withSecurity translator = none

// security makes TLS and SASL out of all the settings for them.
func security(value string, g given, _ config.Role) ([]kgo.Opt, error) {
	var opts []kgo.Opt
	protocol := strings.ToLower(value)
	if protocol == "ssl" || protocol == "sasl_ssl" {
		c, err := tlsConfig(g)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.DialTLSConfig(c))
	}
	if strings.HasPrefix(protocol, "sasl_") {
		m, err := mechanism(g)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.SASL(m))
	}
	return opts, nil
}

func mechanism(g given) (sasl.Mechanism, error) {
	user, pass := g["sasl.username"], g["sasl.password"]
	if user == "" || pass == "" {
		return nil, &drivers.ConfigError{Keys: []string{"sasl.username", "sasl.password"}, Reason: "both are needed for SASL"}
	}
	switch g["sasl.mechanism"] {
	case "PLAIN":
		return plain.Auth{User: user, Pass: pass}.AsMechanism(), nil
	case "SCRAM-SHA-256":
		return scram.Auth{User: user, Pass: pass}.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scram.Auth{User: user, Pass: pass}.AsSha512Mechanism(), nil
	}
	return nil, &drivers.UnsupportedError{Client: client, Key: "sasl.mechanism", Value: g["sasl.mechanism"],
		Reason: "this driver has PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512"}
}

func tlsConfig(g given) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	ca, err := material(g, "ssl.ca.pem", "ssl.ca.location")
	if err != nil {
		return nil, err
	}
	if ca != nil {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(ca) {
			return nil, &drivers.ConfigError{Keys: []string{caKey(g)}, Reason: "expected certificates in PEM, found none"}
		}
	}
	if err := ownCertificate(c, g); err != nil {
		return nil, err
	}
	verification(c, g)
	return c, nil
}

func caKey(g given) string {
	if g["ssl.ca.pem"] != "" {
		return "ssl.ca.pem"
	}
	return "ssl.ca.location"
}

func ownCertificate(c *tls.Config, g given) error {
	cert, err := material(g, "ssl.certificate.pem", "ssl.certificate.location")
	if err != nil {
		return err
	}
	key, err := material(g, "ssl.key.pem", "ssl.key.location")
	if err != nil || cert == nil && key == nil {
		return err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return &drivers.ConfigError{
			Keys:   []string{"ssl.certificate.location", "ssl.key.location"},
			Reason: "expected a certificate and its key in PEM: " + err.Error(),
		}
	}
	c.Certificates = []tls.Certificate{pair}
	return nil
}

// material is the text of one setting, or of the file that the other one names.
func material(g given, pem, location string) ([]byte, error) {
	if g[pem] != "" {
		return []byte(g[pem]), nil
	}
	if g[location] == "" {
		return nil, nil
	}
	text, err := os.ReadFile(g[location])
	if err != nil {
		return nil, &drivers.ConfigError{Keys: []string{location}, Reason: "expected a readable file in PEM: " + err.Error()}
	}
	return text, nil
}

// verification turns checks off as far as it was asked: the name of the server
// alone, or the whole chain.
func verification(c *tls.Config, g given) {
	switch {
	case g["enable.ssl.certificate.verification"] != "" && equal(g["enable.ssl.certificate.verification"], "false"):
		c.InsecureSkipVerify = true
	case equal(g["ssl.endpoint.identification.algorithm"], "none"):
		c.InsecureSkipVerify = true // crypto/tls checks chain and name together, so the chain is checked here
		c.VerifyConnection = func(s tls.ConnectionState) error { return verifyChain(s, c.RootCAs) }
	}
}

func verifyChain(s tls.ConnectionState, roots *x509.CertPool) error {
	between := x509.NewCertPool()
	for _, cert := range s.PeerCertificates[1:] {
		between.AddCert(cert)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
	return err
}
