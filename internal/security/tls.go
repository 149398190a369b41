package security

import (
	"crypto/tls"
	"crypto/x509"
	"strings"

	"kcompare/internal/config"
)

// TLS is what canonical settings ask for when a client connects, nil for plaintext.
// No server name is set: each broker is verified by the address that was dialled.
// The error is a *drivers.ConfigError; files are read here and now.
func TLS(settings map[string]string) (*tls.Config, error) {
	g := given(settings)
	if !g.encrypted() {
		return nil, nil
	}
	m, err := g.material()
	if err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.ca != "" {
		c.RootCAs = x509.NewCertPool()
		c.RootCAs.AppendCertsFromPEM([]byte(m.ca))
	}
	if m.certificate != "" {
		pair, err := tls.X509KeyPair([]byte(m.certificate), []byte(m.key))
		if err != nil {
			return nil, wrong("expected a certificate and its key: "+err.Error(), g.ownKeys()...)
		}
		// Always this one, even if the broker does not name its authority as one that
		// it takes: librdkafka does the same, and the broker's refusal says more than a
		// certificate that is missing.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	g.verification(c)
	return c, nil
}

// verification turns checks off as far as it was asked: the name of the server
// alone, or the whole chain.
func (g given) verification(c *tls.Config) {
	verify, told := config.Bool(g["enable.ssl.certificate.verification"])
	switch {
	case told && !verify:
		c.InsecureSkipVerify = true
	case strings.EqualFold(g["ssl.endpoint.identification.algorithm"], "none"):
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
